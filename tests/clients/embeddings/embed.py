"""Serves vectors as an OpenAI-compatible endpoint does, of the model that the package wordllama brings."""

import json
import pathlib
import shutil
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import wordllama

# The package looks for its tokenizer in a cache, and brings it in another folder.
own, cache = pathlib.Path(wordllama.__file__).parent / "tokenizers", pathlib.Path(sys.argv[1])
shutil.copytree(own, cache / "tokenizers", dirs_exist_ok=True)
model = wordllama.WordLlama.load(cache_dir=cache, disable_download=True)


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        vectors = model.embed(asked["input"], norm=True).tolist()
        rows = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        body = json.dumps({"object": "list", "data": rows}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Endpoint)
print(server.server_port, flush=True)
server.serve_forever()
