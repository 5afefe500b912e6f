"""A server of the Python SDK over HTTP, to be measured beside ours: adder.py PORT."""

import sys

from mcp.server import MCPServer

server = MCPServer("adder", log_level="ERROR")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers"""
    return a + b


if __name__ == "__main__":
    server.run(
        "streamable-http", port=int(sys.argv[1]), json_response=True, stateless_http=True
    )
