"""The official Python SDK against the server: client.py SERVER MODE. SERVER is a
program or a URL.

Prints a line for each check, `ok NAME` or `FAILED NAME: …`, and exits with 1 if one failed.
Modes are those of the SDK: legacy, auto, 2026-07-28.
"""

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

DEADLINE = 60
MANIFEST = Path(__file__).parents[3] / "host/package/manifest.json"
BUILT_IN = [tool["name"] for tool in json.loads(MANIFEST.read_text())["tools"]]
DOUBLE = {
    "name": "double",
    "description": "Doubles a number",
    "code": {"mul": [{"var": "x"}, 2]},
}


class Checks:
    """What was found so far."""

    def __init__(self):
        self.failed = 0

    def check(self, name, holds, found=None):
        if holds:
            print(f"ok {name}")
        else:
            self.failed += 1
            print(f"FAILED {name}: {found!r}")


def text(result):
    return result.content[0].text


async def session(server, mode, checks):
    changed = asyncio.Event()

    async def on_message(message):
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            changed.set()

    passed = ("HOME", "MCP_PIF_CACHE", "MCP_PIF_EPHEMERAL")
    environment = {name: os.environ[name] for name in passed if name in os.environ}
    if server.startswith("http"):
        transport = server
    else:
        transport = stdio_client(StdioServerParameters(command=server, env=environment))
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            Client(transport, mode=mode, message_handler=on_message)
        )
        legacy = mode == "legacy"
        version = client.protocol_version
        checks.check("connect", version == ("2025-11-25" if legacy else "2026-07-28"), version)
        if mode != "2026-07-28":  # a pinned client asks for nothing but what it is told to
            instructions = client.instructions or ""
            checks.check("instructions", "workshop" in instructions, instructions)
        names = [tool.name for tool in (await client.list_tools()).tools]
        checks.check("list", names == BUILT_IN, names)
        if not legacy:
            events = await stack.enter_async_context(client.listen(tools_list_changed=True))

            async def watch():
                async for _ in events:
                    changed.set()

            watcher = asyncio.create_task(watch())
            stack.callback(watcher.cancel)
        await calls(client, checks, changed)


async def calls(client, checks, changed):
    result = await client.call_tool("evolve", DOUBLE)
    checks.check("evolve", not result.is_error and "evolved `double`" in text(result), result)
    await changed.wait()
    checks.check("list_changed", True)
    names = [tool.name for tool in (await client.list_tools()).tools]
    checks.check("list again", names == [*BUILT_IN, "double"], names)
    result = await client.call_tool("run", {"tool": "double", "input": 21})
    checks.check("run", text(result) == "42" and result.structured_content["value"] == 42, result)
    result = await client.call_tool("double", {"input": 4})
    checks.check("direct call", text(result) == "8" and result.structured_content["value"] == 8, result)
    factor = 10**30 + 7
    result = await client.call_tool("run", {"code": {"mul": [factor, factor]}})
    checks.check("big integers", text(result) == str(factor * factor), result)
    result = await client.call_tool("run", {"code": {"add": [1, "a"]}})
    fault = result.structured_content or {}
    flat = (fault.get("code"), fault.get("at")) == ("type-mismatch", "/add/1")
    checks.check("fault", result.is_error and flat, result)
    try:
        checks.check("unknown tool", False, await client.call_tool("doubel", {}))
    except MCPError as error:
        advice = error.error.code == -32602 and "did you mean `double`?" in str(error)
        checks.check("unknown tool", advice, error)
    runs = [client.call_tool("run", {"code": {"mul": [n, n]}}) for n in range(64)]
    squares = [text(result) for result in await asyncio.gather(*runs)]
    checks.check("64 calls at once", squares == [str(n * n) for n in range(64)], squares)


async def main(server, mode):
    checks = Checks()
    try:
        await asyncio.wait_for(session(server, mode, checks), DEADLINE)
    except Exception as error:  # whatever it is, it is a failure to be shown
        checks.check("session", False, error)
    return checks.failed


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main(*sys.argv[1:])) else 0)
