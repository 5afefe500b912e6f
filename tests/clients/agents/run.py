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

from agents import AGENTS, Link, version, write
from model import Model
from script import BIG, Script

HERE = Path(__file__).parent
# For a client, from its start to its end.
DEADLINE = 240


def arguments(home):
    """The server's options: another server, each of whose calls needs an approval."""
    other = {"command": sys.executable, "args": [str(HERE / "other.py")], "grants": "ask"}
    write(home / "capabilities.json", {"mcpServers": {"other": other}})
    return ["--data", str(home / "store"), "--capabilities", str(home / "capabilities.json")]


@contextmanager
def linked(transport, server, home):
    """A server, and how to reach it."""
    words = arguments(home)
    if transport == "stdio":
        # Some clients make names of tools of the command, so it is that of an installed server.
        program = home / "bin/mcp-pif"
        tapped = [sys.executable, str(HERE / "tap.py"), str(home / "said.log"), server, *words]
        write(program, f"#!/bin/sh\nexec {shlex.join(tapped)} \"$@\"\n")
        program.chmod(0o755)
        yield Link(["mcp-pif", "serve"], None)
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
    path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(home), "NO_PROXY": "127.0.0.1,localhost", **(more or {})}


def drive(name, transport, server, model, home):
    """Lets a client follow the script."""
    work = home / "work"
    work.mkdir(parents=True)
    model.script, model.missed = Script(), []
    begun = time.monotonic()
    with linked(transport, server, home) as link:
        start = AGENTS[name][0](home if name != "opencode" else work, link, model.url)
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


def declared(home):
    """What a client says in its first message that it can do; None: nobody listened."""
    log = home / "said.log"
    if not log.exists():
        return None
    first = json.loads(log.read_text().split("\n")[0].removeprefix("> "))["params"]
    meta = first.get("_meta", {})
    capabilities = first.get("capabilities", meta.get("io.modelcontextprotocol/clientCapabilities", {}))
    era = first.get("protocolVersion", meta.get("io.modelcontextprotocol/protocolVersion"))
    return era, sorted(capabilities)


def seen(script):
    """What a client was seen to do, in words."""
    deep = script.told.get("deep lists in data", "")
    lists = "as they are" if "deep lists in data" in script.passed() else f"not: {deep[:80]}"
    big = script.told.get("big integer in data", "")
    integers = "exact" if str(BIG + 1) in big else "rounded, with a warning" if "rounded" in big else "rounded"
    if script.direct.get("evolved tool"):
        changed = "at once"
    elif script.direct.get("evolved tool, later"):
        changed = "a turn later"
    else:
        changed = "not; by `run`"
    question = script.told.get("question", "")
    asks = "waits for a person" if "mcp-pif approve" in question else question[:60]
    return [script.names.get("run", ""), lists, integers, changed, asks]


def main(server, packages, names):
    os.environ["PATH"] = f"{Path(packages) / '.bin'}{os.pathsep}{os.environ['PATH']}"
    model, failed, rows = Model(), 0, []
    folder = Path(tempfile.mkdtemp(prefix="mcp-pif-agents-"))
    for name in names or AGENTS:
        package = version(AGENTS[name][1], packages)
        for transport in ("stdio", "http"):
            home = folder / f"{name}-{transport}"
            script, seconds = drive(name, transport, server, model, home)
            failed += told(f"{name}, {transport}", script, home)
            speaks = declared(home)
            words = [name, package, transport, *seen(script)]
            words += [", ".join([speaks[0], *speaks[1]]) if speaks else "", f"{seconds:.0f}"]
            rows.append(words)
    print()
    for words in [COLUMNS, ["---"] * len(COLUMNS), *rows]:
        print(f"| {' | '.join(word.replace('|', '/') for word in words)} |")
    if os.environ.get("KEEP"):
        print(folder)
    else:
        shutil.rmtree(folder)
    sys.exit(failed > 0)


def told(client, script, home):
    """Prints a line for each check up to the first that was not reached. Gives the number of failures."""
    failed = 0
    for step, holds, text in script.checks():
        failed += not holds
        if holds:
            print(f"ok {client}: {step.name}", flush=True)
            continue
        detail = json.dumps(text)[:600] if text else "not reached: " + tail(home / "client.log")
        print(f"FAILED {client}: {step.name}: {detail}", flush=True)
        if not text:
            break
    return failed


def tail(path):
    return " ".join(path.read_text(errors="replace").split())[-400:]


COLUMNS = ["client", "version", "transport", "name of `run`", "nested lists", "big integers in `data`",
           "an evolved tool", "a question", "protocol, and what it declares", "s"]

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
