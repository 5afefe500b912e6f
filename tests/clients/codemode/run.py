"""Programs in the style of models over the reference servers: run.py SERVER PACKAGES [TASK…]. SERVER is
the program mcp-pif, PACKAGES the folder `node_modules` of package.json; this interpreter has what
requirements.txt names.

Every task has a new world and a new server. Prints a line for each, `ok NAME` or `FAILED NAME: …`, and
exits with 1 if one failed.
"""

import asyncio
import importlib.util
import json
import sys
import tempfile
from pathlib import Path

import fixtures
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

DEADLINE = 120
HERE = Path(__file__).parent


def servers(root, packages):
    """The servers, each with all its tools."""

    def node(name, *arguments, **environment):
        index = packages / "@modelcontextprotocol" / f"server-{name}" / "dist/index.js"
        return {"command": "node", "args": [str(index), *arguments], "env": environment}

    def python(name, *arguments):
        return {"command": sys.executable, "args": ["-m", f"mcp_server_{name}", *arguments]}

    found = {
        "filesystem": node("filesystem", str(root)),
        "memory": node("memory", MEMORY_FILE_PATH=str(root.parent / "memory.jsonl")),
        "everything": node("everything"),
        "time": python("time", "--local-timezone", "UTC"),
        "git": python("git"),
        "fetch": python("fetch", "--ignore-robots-txt", "--allow-private-ips"),
    }
    # The interpreters start slowly where several of them start at once.
    limits = {"limits": {"call_timeout": "30s"}}
    return {name: {**server, "grants": "allow", **limits} for name, server in found.items()}


def give_reader_its_packages(packages):
    """The server `fetch` reads pages by a script for Node.js, whose packages would be installed by the
    first call otherwise."""
    reader = Path(importlib.util.find_spec("readabilipy").origin).parent
    modules = reader / "javascript/node_modules"
    if not modules.exists():
        modules.symlink_to(packages, target_is_directory=True)


async def answer(server, folder, code, data):
    """The value of a program, or the text of its fault."""
    arguments = ["--capabilities", str(folder / "capabilities.json"), "--data", str(folder / "store")]
    transport = stdio_client(StdioServerParameters(command=server, args=arguments))
    async with Client(transport, mode="legacy") as client:
        result = await client.call_tool("run", {"code": code, "data": data})
        content = result.structured_content or {}
        if result.is_error or "value" not in content:
            return None, result.content[0].text
        return content["value"], None


def attempt(server, packages, task, site):
    with tempfile.TemporaryDirectory(prefix="codemode-") as folder:
        folder = Path(folder).resolve()
        root = folder / "world"
        root.mkdir()
        fixtures.make(root)
        configuration = folder / "capabilities.json"
        configuration.write_text(json.dumps({"mcpServers": servers(root, packages)}))
        configuration.chmod(0o600)
        code = (HERE / "tasks" / f"{task['name']}.js").read_text()
        data = {"root": str(root), "repository": str(root / "repository"), "site": site}
        running = answer(server, folder, code, data)
        return asyncio.run(asyncio.wait_for(running, DEADLINE))


def same(value, wanted):
    """Equal, also in the order of keys."""
    return value == wanted and shape(value) == shape(wanted)


def shape(value):
    if isinstance(value, dict):
        return [(key, shape(member)) for key, member in value.items()]
    return [shape(element) for element in value] if isinstance(value, list) else None


def main(server, packages, *wanted):
    packages = Path(packages).resolve()
    give_reader_its_packages(packages)
    site = fixtures.site()
    failed = 0
    for task in json.loads((HERE / "tasks.json").read_text()):
        if wanted and task["name"] not in wanted:
            continue
        try:
            value, fault = attempt(server, packages, task, site)
        except Exception as error:  # whatever it is, it is a failure to be shown
            value, fault = None, repr(error)
        if fault is None and same(value, task["value"]):
            print(f"ok {task['name']}", flush=True)
            continue
        failed += 1
        said = fault if fault is not None else json.dumps(value, ensure_ascii=False)
        print(f"FAILED {task['name']}: {' ¦ '.join(said.splitlines())}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
