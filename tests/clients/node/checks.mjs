// What every client has to see, whatever its version: a line for each check. The manifest of the bundle,
// which is copied beside this file, names the tools.

import { readFileSync } from "node:fs";

export const DEADLINE = 60_000;
const manifest = JSON.parse(readFileSync(new URL("manifest.json", import.meta.url), "utf8"));
const BUILT_IN = manifest.tools.map((tool) => tool.name);

let failed = 0;

export function check(name, holds, found) {
  if (!holds) {
    failed += 1;
  }
  console.log(holds ? `ok ${name}` : `FAILED ${name}: ${JSON.stringify(found)}`);
}

const text = (result) => result.content[0].text;
const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Settles when the server says that its tools have changed.
export function signal() {
  const changed = {};
  changed.seen = new Promise((resolve) => (changed.tell = resolve));
  return changed;
}

export async function exercise(client, changed) {
  check("instructions", client.getInstructions()?.includes("workshop"), client.getInstructions());
  let tools = await names(client);
  check("list", same(tools, BUILT_IN), tools);
  const call = (name, args) => client.callTool({ name, arguments: args });

  const code = { mul: [{ var: "x" }, 2] };
  let result = await call("evolve", { name: "double", description: "Doubles a number", code });
  check("evolve", !result.isError && text(result).startsWith("evolved `double`"), result);
  await changed.seen;
  check("list_changed", true);
  tools = await names(client);
  check("list again", same(tools, [...BUILT_IN, "double"]), tools);

  result = await call("run", { tool: "double", input: 21 });
  check("run", text(result) === "42" && result.structuredContent.value === 42, result);
  result = await call("double", { input: 4 });
  check("direct call", text(result) === "8" && result.structuredContent.value === 8, result);
  const factor = "1000000000000000000000000000007";
  result = await call("run", { code: `{"mul":[${factor},${factor}]}` });
  const product = (BigInt(factor) * BigInt(factor)).toString();
  check("big integers", text(result) === product && result.structuredContent.exact === product, result);

  result = await call("run", { code: { add: [1, "a"] } });
  const fault = result.structuredContent;
  check("fault", result.isError && fault.code === "type-mismatch" && fault.at === "/add/1", result);
  const refusal = await call("doubel", {}).catch((error) => error);
  const advice = refusal.code === -32602 && String(refusal.message).includes("did you mean `double`?");
  check("unknown tool", advice, refusal);

  const runs = Array.from({ length: 64 }, (_, n) => call("run", { code: { mul: [n, n] } }));
  const squares = (await Promise.all(runs)).map(text);
  check("64 calls at once", squares.every((square, n) => square === String(n * n)), squares);
}

// Runs a session to its end, and the process with it.
export async function main(session) {
  const timer = setTimeout(() => {
    check("session", false, "it takes too long");
    process.exit(1);
  }, DEADLINE);
  try {
    await session();
  } catch (error) {
    check("session", false, String(error));
  }
  clearTimeout(timer);
  process.exit(failed ? 1 : 0);
}
