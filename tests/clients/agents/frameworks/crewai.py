"""A crew of one agent of CrewAI with the tools of the server: crewai.py JSON."""

import json
import sys

# This folder has a file with the name of the package.
sys.path.pop(0)
from crewai import LLM, Agent  # noqa: E402
from crewai.mcp import MCPServerStdio  # noqa: E402
from crewai_tools import MCPServerAdapter  # noqa: E402

told = json.loads(sys.argv[1])


def work(**tools):
    agent = Agent(role="caller", goal="Call the tools of the server.", backstory="A test.",
                  llm=LLM(model="openai/gpt-4o"), max_iter=60, **tools)
    print(agent.kickoff(told["prompt"]).raw)


if told["url"]:
    # `mcps` fails over HTTP whatever the server is: "Error during MCP client disconnect: no running event
    # loop". The adapter is the other way that the framework has.
    with MCPServerAdapter({"url": told["url"], "transport": "streamable-http"}) as tools:
        work(tools=list(tools))
else:
    command = told["command"]
    work(mcps=[MCPServerStdio(command=command[0], args=command[1:])])
