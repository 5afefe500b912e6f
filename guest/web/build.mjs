// Makes the page: `node build.mjs COMPONENT ANALYST OUT`. jco writes the glue for the components, tsc checks
// the sources, esbuild bundles them. The components are copied as they are.

import { transpileBytes } from "@bytecodealliance/jco-transpile";
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const [component, analyst, out] = process.argv.slice(2).map((path) => resolve(path));
if (out === undefined) throw new Error("node build.mjs COMPONENT ANALYST OUT; `cargo x web` does it");
const evaluator = join(out, "evaluator");
const dist = join(out, "dist");

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** The core modules in a component, as they lie in it. */
function modulesOf(bytes) {
  const found = [];
  for (let i = 8; i < bytes.length; ) {
    const section = bytes[i++];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[i++];
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    if (section === 1) found.push(bytes.subarray(i, i + size));
    i += size;
  }
  return found;
}

/** The table of the notation, as it stands in the evaluator's source; the names of JavaScript's functions, as
 *  `help` tells their spellings. */
function tableOf(source, spellings) {
  const list = (name, pattern) => {
    const [, count, rows] = new RegExp(`const ${name}: \\[[^\\]]*; (\\d+)\\]([^]*?);\n\n`).exec(source) ?? [];
    const found = [...(rows ?? "").matchAll(pattern)].map((match) => match[1]);
    if (found.length !== Number(count)) throw new Error(`${name} has ${count} rows, and ${found.length} were found`);
    return found;
  };
  return {
    operators: list("OPERATORS", /row\("([^"]+)"/g),
    words: list("WORDS", /"(\w+)"/g),
    aliases: namesOf(spellings),
  };
}

/** The functions in the first column of a table. */
function namesOf(rows) {
  const spellings = rows.split("\n").map((row) => row.split("\t")[0]);
  // What stands in brackets is no name of a function.
  const names = spellings.flatMap((it) => it.replace(/[({\[`"].*?[)}\]`"]/g, "").match(/[A-Za-z]\w+/g) ?? []);
  if (names.length < 100) throw new Error(`only ${names.length} functions were found`);
  return [...new Set(names)];
}

/** Writes the glue, and makes sure that its modules are those that the page cuts out. */
async function transpile(name, bytes) {
  const options = { name, instantiation: { tag: "sync" }, nodejsCompat: false };
  const { files, imports } = await transpileBytes(bytes, options);
  if (imports.length > 0) throw new Error(`the component imports ${imports}`);
  const modules = modulesOf(bytes);
  const glue = join(out, name);
  rmSync(glue, { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) {
    const core = /\.core(\d*)\.wasm$/.exec(name);
    if (core === null) {
      mkdirSync(dirname(join(glue, name)), { recursive: true });
      writeFileSync(join(glue, name), content);
    } else if (!modules[core[1] === "" ? 0 : Number(core[1]) - 1]?.equals(content)) {
      throw new Error(`${name} is not what lies in the component`);
    }
  }
}

/** Bundles, under names that change with the content; the name of each entry point's file. */
async function bundle() {
  const entries = { main: "main.ts", worker: "worker.ts", style: "style.css" };
  const result = await build({
    absWorkingDir: join(here, "src"),
    entryPoints: Object.entries(entries).map(([name, file]) => ({ in: file, out: name })),
    entryNames: "[name]-[hash]",
    outdir: dist,
    bundle: true,
    format: "esm",
    target: ["chrome123", "firefox120", "safari17.5"],
    minify: true,
    legalComments: "none",
    metafile: true,
    alias: { evaluator: join(evaluator, "evaluator.js"), analyst: join(out, "analyst/analyst.js"), table: join(evaluator, "table.json") },
  });
  const names = {};
  for (const path of Object.keys(result.metafile.outputs)) {
    const file = path.split("/").at(-1);
    names[file.replace(/-[^-]*$/, "")] = file;
  }
  return names;
}

/** What static hosts send where they are told to: the same files, compressed once and well. */
function compress() {
  const rows = [];
  for (const name of readdirSync(dist).sort()) {
    const bytes = readFileSync(join(dist, name));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    const brotli = brotliCompressSync(bytes, { params });
    const gzip = gzipSync(bytes, { level: 9 });
    writeFileSync(join(dist, `${name}.br`), brotli);
    writeFileSync(join(dist, `${name}.gz`), gzip);
    rows.push({ name, raw: bytes.length, gzip: gzip.length, brotli: brotli.length });
  }
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  rows.push({ name: "all", raw: sum("raw"), gzip: sum("gzip"), brotli: sum("brotli") });
  for (const { name, raw, gzip, brotli } of rows) {
    console.log(`${name.padEnd(30)} ${String(raw).padStart(9)} raw ${String(gzip).padStart(8)} gzip ${String(brotli).padStart(8)} brotli`);
  }
}

const bytes = readFileSync(component);
const analystBytes = readFileSync(analyst);
await transpile("evaluator", bytes);
await transpile("analyst", analystBytes);
const source = (path) => readFileSync(join(here, "../..", path), "utf8");
const table = tableOf(source("guest/notation/src/table.rs"), source("host/server/src/workshop/javascript.tsv"));
writeFileSync(join(evaluator, "table.json"), JSON.stringify(table));
execFileSync(process.execPath, [join(here, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", here], { stdio: "inherit" });
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const names = await bundle();
const file = `evaluator-${sha256(bytes).slice(0, 12)}.wasm`;
writeFileSync(join(dist, file), bytes);
const analystFile = `analyst-${sha256(analystBytes).slice(0, 12)}.wasm`;
writeFileSync(join(dist, analystFile), analystBytes);
cpSync(join(here, "src/icon.svg"), join(dist, "icon.svg"));
const places = { STYLE: names.style, MAIN: names.main, WORKER: names.worker, COMPONENT: file, ANALYST: analystFile };
const fill = (text, values) => text.replaceAll(/%([A-Z]+)%/g, (_, key) => values[key]);
writeFileSync(join(dist, "index.html"), fill(readFileSync(join(here, "index.html"), "utf8"), places));
const kept = readdirSync(dist).sort();
const version = sha256(kept.map((name) => sha256(readFileSync(join(dist, name)))).join()).slice(0, 12);
const first = kept.filter((name) => name !== analystFile);
const files = JSON.stringify(first.map((name) => (name === "index.html" ? "./" : name)));
writeFileSync(join(dist, "sw.js"), fill(readFileSync(join(here, "src/sw.js"), "utf8"), { VERSION: version, FILES: files, ANALYST: analystFile }));
compress();
