// What editors do with schemas of tools, over the list of the server: schemas.mjs SERVER. They check
// them as schemas of draft 7, want the items of every array, and check arguments before they send them.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Ajv } from "ajv";
import { check, main } from "./checks.mjs";

const [command] = process.argv.slice(2);
const ajv = new Ajv({ allErrors: true, strict: false });
const strict = new Ajv({ strict: true, allowUnionTypes: false });

const ARGUMENTS = {
  evolve: [{ name: "f", description: "", code: { lam: "x", body: 1 }, examples: [{ args: [1, [2]], output: null }], output_schema: { type: "integer" } }],
  run: [{ code: { add: [1, 2] } }, { code: "1", input: [[1, 2], ["a"]] }, { code: "data[0]", data: [{ a: [[[null]]] }], fuel: 1000, trace: true }, { tool: "f", data: null, context: { x: 1 } }],
  check: [{ code: { add: [1, 2] } }, { code: "[1" }],
  memory_store: [{ key: "a", value: [null, 1.5], tags: ["b"] }, { key: "a", value: false }],
  journal_recent: [{ since: "7", kind: "run" }],
  tool: [{ data: 1 }, { data: 1.5 }],
};

function* nodes(schema) {
  if (schema && typeof schema === "object") {
    yield schema;
    for (const member of Object.values(schema)) {
      yield* nodes(member);
    }
  }
}

main(async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, env: process.env }));
  for (const output_schema of [undefined, { type: ["integer", "null"] }, true]) {
    const code = { mul: [{ var: "x" }, 2] };
    await client.callTool({ name: "evolve", arguments: { name: "tool", description: "", code, output_schema } });
  }
  for (const { name, description, inputSchema, outputSchema } of (await client.listTools()).tools) {
    check(`${name}: draft 7`, ajv.validateSchema(inputSchema), ajv.errors);
    check(`${name}: strict`, [inputSchema, outputSchema ?? {}].every((schema) => strict.compile(schema)), name);
    const bare = [...nodes(inputSchema)].filter((node) => node.type === "array" && !node.items);
    check(`${name}: items of arrays`, bare.length === 0, bare);
    check(`${name}: a description that services take`, description.length > 0 && description.length <= 1024, description.length);
    const validate = ajv.compile(inputSchema);
    for (const sent of ARGUMENTS[name] ?? []) {
      check(`${name}: ${JSON.stringify(sent)}`, validate(sent), validate.errors);
    }
  }
  await client.close();
});
