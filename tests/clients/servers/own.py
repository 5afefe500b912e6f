"""A server made with FastMCP."""

from fastmcp import FastMCP

mcp = FastMCP("own")


@mcp.tool
def area(width: int, height: int) -> dict:
    """The area of a rectangle"""
    return {"area": width * height}


mcp.run(show_banner=False)
