// All tests of the page in headless Chromium: `node test/main.mjs DIST CORPUS COMPONENT SERVER [PART…]`;
// `cargo x web test` does it.

import { build } from "esbuild";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { access } from "./access.mjs";
import { launch } from "./browser.mjs";
import { corpus } from "./corpus.mjs";
import { functions } from "./functions.mjs";
import { hostile } from "./hostile.mjs";
import { limits } from "./limits.mjs";
import { loading } from "./loading.mjs";
import { notation } from "./notation.mjs";
import { places } from "./places.mjs";
import { receipts } from "./receipts.mjs";
import { summary } from "./report.mjs";
import { serve } from "./server.mjs";
import { session } from "./session.mjs";
import { views } from "./views.mjs";

const PARTS = { places, loading, corpus, functions, notation, views, session, receipts, limits, hostile, access };

const [dist, cases, component, embedded, ...only] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const harness = join(dist, "../harness");
mkdirSync(harness, { recursive: true });
await build({
  entryPoints: [join(here, "harness.ts")],
  outfile: join(harness, "harness.js"),
  bundle: true,
  format: "esm",
  target: "es2023",
  alias: { evaluator: join(dist, "../evaluator/evaluator.js"), analyst: join(dist, "../analyst/analyst.js") },
});
const all = JSON.parse(readFileSync(cases, "utf8"));
const browser = await launch();
const server = await serve([dist, harness]);
const world = {
  browser,
  server,
  dist,
  component: readFileSync(component),
  embedded,
  cases: all,
  examples: all.filter((one) => one.isExample),
};
console.log(`        Chromium ${browser.version()}`);
for (const [name, part] of Object.entries(PARTS)) {
  if (only.length === 0 || only.includes(name)) await part(world);
}
await browser.close();
server.close();
process.exitCode = summary() ? 0 : 1;
