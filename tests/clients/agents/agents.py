"""How each client is told of the server and of the model, and how it is started.

A server is a `Link`: a command for standard input and output, or an address."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROMPT = "Use the tools of the server pif."


@dataclass
class Link:
    """How a client reaches the server."""

    command: list | None
    url: str | None


@dataclass
class Start:
    """What is started: the words of the command, and what its environment has more."""

    words: list
    environment: dict


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))


def claude(home, link, model):
    if link.url:
        server = {"type": "http", "url": link.url}
    else:
        server = {"type": "stdio", "command": link.command[0], "args": link.command[1:]}
    write(home / "mcp.json", {"mcpServers": {"pif": server}})
    words = ["claude", "-p", PROMPT, "--mcp-config", str(home / "mcp.json"), "--strict-mcp-config"]
    words += ["--allowedTools", "mcp__pif", "--model", "claude-sonnet-4-5"]
    return Start(words, {
        "ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
    })


def codex(home, link, model):
    if link.url:
        server = f"url = {json.dumps(link.url)}\n"
    else:
        server = f"command = {json.dumps(link.command[0])}\nargs = {json.dumps(link.command[1:])}\n"
    write(home / ".codex/config.toml", f"""
model = "gpt-5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{model}/v1"
wire_api = "responses"
[mcp_servers.pif]
{server}""")
    words = ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT]
    return Start(words, {"CODEX_HOME": str(home / ".codex")})


def opencode(home, link, model):
    if link.url:
        server = {"type": "remote", "url": link.url, "enabled": True, "oauth": False}
    else:
        server = {"type": "local", "command": link.command, "enabled": True}
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "scripted",
        "options": {"baseURL": f"{model}/v1", "apiKey": "scripted"},
        "models": {"scripted": {"name": "scripted", "tool_call": True}},
    }
    write(home / "opencode.json", {
        "$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled",
        "enabled_providers": ["scripted"], "provider": {"scripted": provider},
        "model": "scripted/scripted", "small_model": "scripted/scripted", "mcp": {"pif": server},
    })
    words = ["opencode", "run", "--auto", "--pure", "-m", "scripted/scripted", PROMPT]
    return Start(words, {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"})


def gemini(home, link, model):
    server = {"httpUrl": link.url} if link.url else {"command": link.command[0], "args": link.command[1:]}
    write(home / ".gemini/settings.json", {
        "mcpServers": {"pif": {**server, "trust": True}},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True}, "privacy": {"usageStatisticsEnabled": False},
    })
    words = ["gemini", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", PROMPT]
    return Start(words, {"GEMINI_API_KEY": "scripted", "GOOGLE_GEMINI_BASE_URL": model})


def qwen(home, link, model):
    server = {"httpUrl": link.url} if link.url else {"command": link.command[0], "args": link.command[1:]}
    write(home / ".qwen/settings.json", {
        "mcpServers": {"pif": {**server, "trust": True}},
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False},
    })
    words = ["qwen", "--yolo", "--auth-type", "openai", "-m", "scripted", "-p", PROMPT]
    return Start(words, {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": f"{model}/v1"})


def framework(name):
    """A program of ours that uses a framework of Python: frameworks/NAME.py in its own environment."""

    def start(home, link, model):
        interpreter = os.environ[f"PYTHON_{name.upper()}"]
        told = json.dumps({"command": link.command, "url": link.url, "prompt": PROMPT})
        words = [interpreter, str(HERE / "frameworks" / f"{name}.py"), told]
        return Start(words, {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": f"{model}/v1",
                             "PYTHONDONTWRITEBYTECODE": "1"})

    return start


# How each is started, and the package that it comes in.
AGENTS = {
    "claude-code": (claude, "@anthropic-ai/claude-code"),
    "codex": (codex, "@openai/codex"),
    "opencode": (opencode, "opencode-ai"),
    "gemini-cli": (gemini, "@google/gemini-cli"),
    "qwen-code": (qwen, "@qwen-code/qwen-code"),
    "crewai": (framework("crewai"), "crewai"),
    "langchain": (framework("langchain"), "langchain-mcp-adapters"),
    "pydantic-ai": (framework("pydantic"), "pydantic-ai-slim"),
}


def version(package, packages):
    """The version of a package: of one of npm, or of a framework by its interpreter."""
    manifest = Path(packages) / package / "package.json"
    if manifest.exists():
        return json.loads(manifest.read_text())["version"]
    interpreters = [os.environ[name] for name in os.environ if name.startswith("PYTHON_")]
    for interpreter in interpreters:
        told = "import importlib.metadata as m; print(m.version(%r))" % package
        asked = subprocess.run([interpreter, "-c", told], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return asked.stdout.strip()
    return "?"
