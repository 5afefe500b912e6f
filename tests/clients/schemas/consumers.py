"""Programs that read schemas of tools, over the list of the server: consumers.py SERVER.

Prints a line for each check, `ok NAME` or `FAILED NAME: …`, and exits with 1 if one failed.
"""

import copy
import json
import os
import subprocess
import sys
import warnings

import mcp.types
from agents.mcp import MCPServerStdio, MCPUtil
from agents.strict_schema import ensure_strict_json_schema
from google.genai import types
from google.genai._mcp_utils import mcp_to_gemini_tool
from jsonschema import Draft7Validator, Draft202012Validator
from voluptuous_openapi import convert, convert_to_voluptuous

CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "consumers", "version": "1"},
}
EVOLVED = [
    {},
    {"output_schema": {"type": "integer"}},
    {"output_schema": {"type": ["integer", "null"], "$defs": {"a": {"type": "array"}}}},
    {"output_schema": True},
    {"description": "x" * 1000},
]
# Any JSON is meant here. Three lists within each other are not in the schema, which would be longer; the server
# takes them.
ANY = [1, 1.5, "text", True, None, {}, {"a": [[[1]]]}, [], [1, None], [[1, 2], ["a"]], [{"a": []}]]
# What the tools that are evolved here double.
NUMBERS = [1, 1.5, -(10**30)]
# A program is a text, or a term as an object.
CODE = ["x => x * 2", "[1", {}, {"mul": [1, [2]]}]


def listed(server):
    lines = [
        {"id": 0, "method": "initialize", "params": CLIENT},
        {"method": "notifications/initialized"},
    ]
    for number, more in enumerate(EVOLVED):
        tool = {"name": f"tool_{number}", "description": "Doubles", "code": {"mul": [{"var": "x"}, 2]}, **more}
        lines.append({"id": f"evolve {number}", "method": "tools/call", "params": {"name": "evolve", "arguments": tool}})
    text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    passed = ("HOME", "MCP_PIF_CACHE", "MCP_PIF_EPHEMERAL")
    environment = {name: os.environ[name] for name in passed if name in os.environ}
    process = subprocess.Popen([server], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(text)
    process.stdin.flush()
    # The list is asked for when all tools are there.
    waiting = {f"evolve {number}" for number in range(len(EVOLVED))}
    while waiting:
        waiting.discard(json.loads(process.stdout.readline()).get("id"))
    process.stdin.write('{"jsonrpc":"2.0","id":"list","method":"tools/list"}\n')
    process.stdin.flush()
    while (message := json.loads(process.stdout.readline())).get("id") != "list":
        pass
    process.stdin.close()
    process.wait()
    return message["result"]["tools"]


def gemini(tool):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        declared = mcp_to_gemini_tool(mcp.types.Tool.model_validate(tool)).function_declarations[0]
    types.Schema.model_validate(tool["inputSchema"])
    assert declared.parameters.type == types.Type.OBJECT
    assert set(declared.parameters.properties or {}) == set(tool["inputSchema"]["properties"])


def home_assistant(tool):
    schema = convert_to_voluptuous(tool["inputSchema"])
    assert convert(schema)["type"] == "object"


def openai_agents(tool):
    ensure_strict_json_schema(copy.deepcopy(tool["inputSchema"]))
    parsed = mcp.types.Tool.model_validate(tool)
    server = MCPServerStdio(params={"command": "never started"})
    for strict in (False, True):
        function = MCPUtil.to_function_tool(parsed, server, strict)
        assert function.params_json_schema["type"] == "object"


def json_schema(tool):
    for schema in (tool["inputSchema"], tool.get("outputSchema", {})):
        Draft7Validator.check_schema(schema)
        Draft202012Validator.check_schema(schema)
    for name in ("code", "input", "data", "value"):
        property = tool["inputSchema"]["properties"].get(name)
        if property is not None:
            anything = NUMBERS if tool["name"].startswith("tool_") else ANY
            for value in anything if name != "code" else CODE:
                Draft7Validator(property).validate(value)


def main():
    server, failed = sys.argv[1], 0
    tools = listed(server)
    for consumer in (gemini, home_assistant, openai_agents, json_schema):
        name, before = consumer.__name__.replace("_", " "), failed
        for tool in tools:
            try:
                consumer(tool)
            except Exception as error:
                failed += 1
                print(f"FAILED {name}, {tool['name']}: {error!r}".replace("\n", " "))
        if failed == before:
            print(f"ok {name} takes {len(tools)} tools")
    sys.exit(failed > 0)


main()
