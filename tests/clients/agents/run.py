"""Clients that people use, with a model that follows a script: run.py SERVER PACKAGES [CLIENT…]. SERVER is
the program mcp-pif, PACKAGES the folder `node_modules` of package.json. The variables PYTHON_CREWAI,
PYTHON_LANGCHAIN and PYTHON_PYDANTIC name interpreters that have the packages of these frameworks.

Prints `ok CLIENT, TRANSPORT: CHECK` or `FAILED …: DETAIL` for each check, then what was seen of each
client as a table, and exits with 1 if a check failed."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from agents import AGENTS, Link, write
from model import Model
from script import Script

HERE = Path(__file__).parent
# For a client, from its start to its end.
DEADLINE = 240


def arguments(home):
    """The server's options: another server that it asks for, each of whose calls needs an approval."""
    other = {"command": sys.executable, "args": [str(HERE / "other.py")], "grants": "ask"}
    write(home / "capabilities.json", {"mcpServers": {"other": other}})
    return ["--data", str(home / "store"), "--capabilities", str(home / "capabilities.json")]


@contextmanager
def linked(transport, server, home):
    """A server, and how to reach it."""
    words = arguments(home)
    if transport == "stdio":
        # Some clients make names of the command.
        program = home / "bin/mcp-pif"
        tapped = [sys.executable, str(HERE / "tap.py"), str(home / "said.log"), server, *words]
        write(program, f"#!/bin/sh\nexec {shlex.join(tapped)} \"$@\"\n")
        program.chmod(0o755)
        yield Link([str(program), "serve"], None)
        return
    with open(home / "server.log", "wb") as errors:
        started = subprocess.Popen([server, "serve", "--http", "127.0.0.1:0", *words], stderr=errors,
                                   stdin=subprocess.DEVNULL, env=environment(home))
    try:
        yield Link(None, f"http://{address(home / 'server.log', started)}/mcp")
    finally:
        started.terminate()
        started.wait()


def address(log, started):
    """Where a server listens, which it says in its log."""
    until = time.monotonic() + 60
    while time.monotonic() < until and started.poll() is None:
        if found := re.search(r"127\.0\.0\.1:(\d+)", log.read_text()):
            return found.group()
        time.sleep(0.05)
    raise SystemExit(f"the server does not start: {log.read_text()}")


def environment(home, more=None):
    """Neither a client nor its server knows anything of who runs it."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "NO_PROXY": "127.0.0.1,localhost", **(more or {})}


def drive(name, transport, server, model, home):
    """Lets a client follow the script."""
    work = home / "work"
    work.mkdir(parents=True)
    model.script, model.missed = Script(), []
    begun = time.monotonic()
    with linked(transport, server, home) as link:
        start = AGENTS[name](home if name != "opencode" else work, link, model.url)
        with open(home / "client.log", "wb") as log:
            client = subprocess.Popen(start.words, cwd=work, env=environment(home, start.environment),
                                      stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                      start_new_session=True)
            try:
                client.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                pass
            finally:
                end(client)
    return model.script, time.monotonic() - begun


def end(client):
    """Ends a client with all that it has started."""
    try:
        os.killpg(client.pid, 9)
    except ProcessLookupError:
        pass
    client.wait()


def main(server, packages, names):
    os.environ["PATH"] = f"{Path(packages) / '.bin'}{os.pathsep}{os.environ['PATH']}"
    model, failed, rows = Model(), 0, []
    folder = Path(tempfile.mkdtemp(prefix="mcp-pif-agents-"))
    for name in names or AGENTS:
        for transport in ("stdio", "http"):
            home = folder / f"{name}-{transport}"
            script, seconds = drive(name, transport, server, model, home)
            for step, holds, told in script.checks():
                failed += not holds
                text = json.dumps(told)[:600] if told else "not reached: " + tail(home / "client.log")
                print(f"ok {name}, {transport}: {step.name}" if holds else
                      f"FAILED {name}, {transport}: {step.name}: {text}", flush=True)
                if not told:
                    break
            rows.append((name, transport, script, seconds, home))
    print(folder)
    if not os.environ.get("KEEP"):
        shutil.rmtree(folder)
    sys.exit(failed > 0)


def tail(path):
    return " ".join(path.read_text(errors="replace").split())[-400:]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
