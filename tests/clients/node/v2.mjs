// The TypeScript SDK, version 2, against the server: v2.mjs SERVER auto|legacy. SERVER is a program or a URL.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { check, exercise, main, signal } from "./checks.mjs";

const [command, mode] = process.argv.slice(2);
const VERSIONS = { auto: "2026-07-28", legacy: "2025-11-25" };

main(async () => {
  const changed = signal();
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, onChanged: changed.tell } },
    },
  );
  await client.connect(
    command.startsWith("http")
      ? new StreamableHTTPClientTransport(new URL(command))
      : new StdioClientTransport({ command, env: process.env }),
  );
  const version = client.getNegotiatedProtocolVersion();
  check("connect", version === VERSIONS[mode], version);
  await exercise(client, changed);
  await client.close();
});
