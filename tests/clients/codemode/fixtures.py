"""What the servers of the tasks find: a folder of files, a git repository and a small web site. All of it
is the same at each start; only the folder and the port of the site differ."""

import json
import os
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

FILES = {
    "services/auth.json": {"name": "auth", "port": 8080, "owner": "Ada", "needs": ["storage"]},
    "services/billing.json": {"name": "billing", "port": 8081, "owner": "Grace", "needs": ["auth", "storage"]},
    "services/search.json": {"name": "search", "port": 8080, "owner": "Edsger", "needs": ["index", "auth"]},
    "services/storage.json": {"name": "storage", "port": 9000, "owner": "Ada", "needs": []},
    "services/index.json": {"name": "index", "port": 9000, "owner": "Edsger", "needs": ["storage"]},
    "services/README.md": "# Services\n\nOne file for each.\n",
    "logs/web/monday.log": (
        "2026-03-02T08:00:01Z INFO web started\n"
        "2026-03-02T08:14:09Z ERROR payment timeout after 5012ms order=17\n"
        "2026-03-02T08:15:40Z WARN search slow after 812ms\n"
        "2026-03-02T09:01:00Z ERROR login refused after 31ms user=bob\n"
    ),
    "logs/web/tuesday.log": (
        "2026-03-03T10:00:00Z ERROR payment timeout after 4990ms order=23\n"
        "2026-03-03T10:00:30Z ERROR payment declined after 420ms order=23\n"
        "2026-03-03T11:12:13Z INFO web stopped\n"
    ),
    "logs/jobs/nightly.log": (
        "2026-03-03T02:00:00Z INFO export started\n"
        "2026-03-03T02:07:00Z ERROR export failed after 420000ms rows=1200\n"
        "\n"
    ),
    "orders/january.csv": (
        "id,customer,sku,qty\n"
        "1,Hopper & Sons,A-1,3\n"
        "2,Acme,B-2,10\n"
        "3,Acme,A-1,1\n"
    ),
    "orders/february.csv": (
        "id,customer,sku,qty\n"
        "4,Initech,C-3,2\n"
        "5,Hopper & Sons,B-2,5\n"
        "6,Acme,Z-9,4\n"
    ),
    "meetings.json": [
        {"title": "Planning", "at": "09:00", "zone": "Africa/Nairobi", "with": ["Asia/Tokyo", "Asia/Kolkata"]},
        {"title": "Review", "at": "16:30", "zone": "Asia/Dubai", "with": ["Asia/Singapore"]},
        {"title": "Retro", "at": "23:15", "zone": "UTC", "with": ["Asia/Tokyo", "Asia/Dubai"]},
    ],
}

COMMITS = [
    ("Ada Lovelace", "2026-02-01T10:00:00Z", "feat: add parser", {
        "src/parser.js": "export function parse(text) {\n  // TODO: report the line\n  return JSON.parse(text);\n}\n",
        "README.md": "# Tool\n",
    }),
    ("Grace Hopper", "2026-02-02T11:30:00Z", "fix: handle empty input (#12)", {
        "src/parser.js": "export function parse(text) {\n  // TODO: report the line\n  if (!text) return null;\n  return JSON.parse(text);\n}\n",
    }),
    ("Ada Lovelace", "2026-02-05T09:15:00Z", "feat: add printer", {
        "src/printer.js": "export const print = value => JSON.stringify(value); // FIXME: indent\n",
    }),
    ("Edsger Dijkstra", "2026-02-09T16:45:00Z", "docs: explain the printer (#15)", {
        "README.md": "# Tool\n\n`print` writes JSON.\n",
    }),
    ("Grace Hopper", "2026-02-10T08:05:00Z", "fix: print null (#18)", {
        "src/printer.js": "export const print = value => JSON.stringify(value ?? null); // FIXME: indent\n",
    }),
]

BRANCH = ("Ada Lovelace", "2026-02-12T12:00:00Z", "feat: export to CSV", {
    "src/export.js": "export const rows = table => table.map(row => row.join(\",\"));\n",
    "README.md": "# Tool\n\n`print` writes JSON, `rows` writes CSV.\n",
})

PAGES = {
    "/": (
        "text/html",
        "<!doctype html><html><head><title>Releases</title></head><body><article><h1>Releases</h1>"
        "<p>All releases of the tool, with their notes.</p>"
        "<ul><li><a href='/releases/1.0'>1.0</a></li><li><a href='/releases/1.1'>1.1</a></li>"
        "<li><a href='/releases/2.0'>2.0</a></li></ul></article></body></html>",
    ),
    "/releases/1.0": (
        "text/html",
        "<!doctype html><html><head><title>1.0</title></head><body><article><h1>Release 1.0</h1>"
        "<p>Released: 2025-04-01</p><p>Downloads: 12,480</p><p>The first release.</p></article></body></html>",
    ),
    "/releases/1.1": (
        "text/html",
        "<!doctype html><html><head><title>1.1</title></head><body><article><h1>Release 1.1</h1>"
        "<p>Released: 2025-09-15</p><p>Downloads: 8,031</p><p>Repairs the printer.</p></article></body></html>",
    ),
    "/releases/2.0": (
        "text/html",
        "<!doctype html><html><head><title>2.0</title></head><body><article><h1>Release 2.0</h1>"
        "<p>Released: 2026-02-20</p><p>Downloads: 970</p><p>Breaks what was old.</p></article></body></html>",
    ),
    "/prices.json": (
        "application/json",
        json.dumps({"currency": "EUR", "prices": {"A-1": 19.5, "B-2": 4.25, "C-3": 120}}),
    ),
}


def write(folder, files):
    """Writes files; what is no text becomes JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")


def git(repository, *words, author=None, date=None):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    if author:
        email = author.split()[0].lower() + "@example.com"
        for who in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{who}_NAME": author, f"GIT_{who}_EMAIL": email, f"GIT_{who}_DATE": date}
    subprocess.run(["git", "-C", repository, *words], check=True, capture_output=True, env=environment)


def commit(repository, author, date, message, files):
    write(repository, files)
    git(repository, "add", "--all")
    git(repository, "commit", "--message", message, author=author, date=date)


def make(folder):
    """Makes the files and the repository, on its branch `main`."""
    write(folder, FILES)
    repository = folder / "repository"
    repository.mkdir()
    git(repository, "init", "--initial-branch", "main")
    for made in COMMITS:
        commit(repository, *made)
    git(repository, "checkout", "-b", "export")
    commit(repository, *BRANCH)
    git(repository, "checkout", "main")


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, page = PAGES.get(self.path, (None, "not found"))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_):
        pass


def site():
    """Serves the pages, and gives their address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
