"""An agent of Pydantic AI with the tools of the server: pydantic.py JSON."""

import asyncio
import json
import sys

# This folder has a file with the name of a package.
sys.path.pop(0)
from fastmcp.client.transports import StdioTransport  # noqa: E402
from pydantic_ai import Agent  # noqa: E402
from pydantic_ai.mcp import MCPToolset  # noqa: E402
from pydantic_ai.models.openai import OpenAIChatModel  # noqa: E402


async def main():
    told = json.loads(sys.argv[1])
    command = told["command"]
    server = told["url"] or StdioTransport(command[0], command[1:])
    agent = Agent(OpenAIChatModel("scripted"), toolsets=[MCPToolset(server)], retries=5)
    async with agent:
        print((await agent.run(told["prompt"])).output)


asyncio.run(main())
