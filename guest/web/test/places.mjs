// JSON Pointers to parts of a text: for the place of every fault in the corpus, and for texts made to
// be awkward, the part that is found must be the value that the pointer means.

import assert from "node:assert/strict";
import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { test } from "./report.mjs";

const here = dirname(fileURLToPath(import.meta.url));

export async function places({ dist, cases }) {
  const outfile = join(dist, "../harness/json.mjs");
  await build({ entryPoints: [join(here, "../src/json.ts")], outfile, format: "esm" });
  const json = await import(pathToFileURL(outfile).href);
  await test("the place of every fault in the corpus is found", () => faults(json, cases));
  await test("every place of awkward texts is found", () => awkward(json));
  await test("a line and a column, or a byte, is a place in the text", () => {
    const text = '[1,\n "é𝔘x", }';
    assert.equal(text[json.characterAt(text, 2, 5)], "x");
    assert.equal(text[json.byteAt(text, 12)], "x");
    assert.equal(json.characterAt(text, 9, 1), text.length);
    assert.equal(json.byteAt(text, 99), text.length);
  });
  await test("a text formatted at any width is the same value", () => formatting(json, cases));
}

/** The value that a pointer means, the plain way. */
function meant(value, pointer) {
  const names = pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((value, name) => value[name], value);
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function faults({ locate }, cases) {
  let count = 0;
  for (const { name: title, program, fault } of cases) {
    if (fault === undefined || ["unparsable", "duplicate-key"].includes(fault.code)) continue;
    const { code, argument, tools } = program;
    const isInArgument = argument.tag !== "none" && fault.at.startsWith(`/${argument.tag}`);
    if (isInArgument || fault.at.startsWith("/context") || (fault.tool === null && code.tag === "tool")) continue;
    const [, name, within] = /^\/bindings\/([^/]*)(.*)/.exec(fault.at) ?? [];
    const text = name !== undefined ? program.bindings[name] : fault.tool === null ? code.text : tools[fault.tool];
    const at = within ?? fault.at;
    // A pointer means a part of JSON; a program in the notation has lines and columns.
    if (!isJson(text)) continue;
    const { from, to } = locate(text, at);
    assert.deepEqual(JSON.parse(text.slice(from, to)), meant(JSON.parse(text), at), title);
    count++;
  }
  assert.ok(count > 200, `${count} places`);
}

function awkward({ locate, step }) {
  const value = { "": [{ "a/b": 1, "m~n": [[], {}, [""]], 'q"\\"': "]}\\", "é\u2028": null }], x: -1.5e-7, "~1": { "/": true } };
  const visit = (text, at, part) => {
    const { from, to } = locate(text, at);
    assert.deepEqual(JSON.parse(text.slice(from, to)), part, at);
    if (typeof part !== "object" || part === null) return;
    for (const [key, inner] of Object.entries(part)) visit(text, at + step(key), inner);
  };
  for (const text of [JSON.stringify(value), ` ${JSON.stringify(value, null, "\t\r\n")} `]) visit(text, "", value);
}

function formatting({ format }, cases) {
  for (const { program } of cases.filter((one) => one.program.code.tag === "term")) {
    const { text } = program.code;
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      continue;
    }
    for (const width of [20, 72]) assert.deepEqual(JSON.parse(format(text, width)), value, text.slice(0, 200));
  }
}
