// A static server for tests: sends the precompressed file where one lies beside it, as hosts do that
// are told to, and counts what it sent.

import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves folders under `/playground/`, for pages must not care where they lie. */
export async function serve(folders) {
  const sent = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const name = path === "/playground/" ? "index.html" : path.replace(/^\/playground\//, "");
    const file = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
    const type = TYPES[extname(name)];
    if (!path.startsWith("/playground/") || type === undefined || file === undefined) {
      sent.push({ name: path, bytes: 0, status: 404 });
      return response.writeHead(404).end();
    }
    const isBrotli = (request.headers["accept-encoding"] ?? "").includes("br") && existsSync(`${file}.br`);
    const body = readFileSync(isBrotli ? `${file}.br` : file);
    const isNamedByContent = /-[0-9A-Za-z]{8,}\.\w+$/.test(name);
    response.writeHead(200, {
      "content-type": type,
      "content-length": body.length,
      "cache-control": isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache",
      ...(isBrotli ? { "content-encoding": "br" } : {}),
    });
    response.end(body);
    sent.push({ name, bytes: body.length, status: 200 });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return { url: `http://localhost:${port}/playground/`, sent, close: () => server.close() };
}
