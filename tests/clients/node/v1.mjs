// The TypeScript SDK, version 1, against the server: v1.mjs SERVER, which is a program or a URL.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { check, exercise, main, signal } from "./checks.mjs";

const [command] = process.argv.slice(2);

main(async () => {
  const changed = signal();
  const client = new Client({ name: "test", version: "1" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed.tell);
  await client.connect(
    command.startsWith("http")
      ? new StreamableHTTPClientTransport(new URL(command))
      : new StdioClientTransport({ command, env: process.env }),
  );
  check("connect", client.getServerVersion()?.name === "mcp-pif", client.getServerVersion());
  await exercise(client, changed);
  await client.close();
});
