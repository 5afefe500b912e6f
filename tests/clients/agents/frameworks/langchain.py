"""An agent of LangChain with the tools of the server: langchain.py JSON."""

import asyncio
import json
import sys

# This folder has a file with the name of the package.
sys.path.pop(0)
from langchain.agents import create_agent  # noqa: E402
from langchain_mcp_adapters.client import MultiServerMCPClient  # noqa: E402
from langchain_mcp_adapters.tools import load_mcp_tools  # noqa: E402
from langchain_openai import ChatOpenAI  # noqa: E402


async def main():
    told = json.loads(sys.argv[1])
    if told["url"]:
        server = {"transport": "streamable_http", "url": told["url"]}
    else:
        server = {"transport": "stdio", "command": told["command"][0], "args": told["command"][1:]}
    client = MultiServerMCPClient({"pif": server})
    async with client.session("pif") as session:
        tools = await load_mcp_tools(session)
        agent = create_agent(ChatOpenAI(model="scripted"), tools)
        result = await agent.ainvoke({"messages": [("user", told["prompt"])]}, {"recursion_limit": 100})
        print(result["messages"][-1].content)


asyncio.run(main())
