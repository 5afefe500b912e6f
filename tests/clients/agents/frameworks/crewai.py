"""A crew of one agent of CrewAI with the tools of the server: crewai.py JSON."""

import json
import sys

# This folder has a file with the name of the package.
sys.path.pop(0)
from crewai import LLM, Agent  # noqa: E402
from crewai.mcp import MCPServerHTTP, MCPServerStdio  # noqa: E402

told = json.loads(sys.argv[1])
if told["url"]:
    server = MCPServerHTTP(url=told["url"])
else:
    server = MCPServerStdio(command=told["command"][0], args=told["command"][1:])
agent = Agent(role="caller", goal="Call the tools of the server.", backstory="A test.", mcps=[server],
              llm=LLM(model="openai/gpt-4o"), max_iter=60)
print(agent.kickoff(told["prompt"]).raw)
