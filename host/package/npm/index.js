// The component for Node.js: `component/` is what jco made of `evaluator.wasm`. The core modules
// in it are parts of that file, byte for byte.

import { readFileSync } from "node:fs";

import { instantiate } from "./component/evaluator.js";

/** The component itself, for any other host. */
export const component = new URL("./evaluator.wasm", import.meta.url);

const folder = new URL("./component/", import.meta.url);
const modules = new Map();

/** A core module, compiled once for all instances. */
function compiled(name) {
  if (!modules.has(name)) {
    modules.set(name, new WebAssembly.Module(readFileSync(new URL(name, folder))));
  }
  return modules.get(name);
}

/** A fresh instance, which knows nothing of any other. */
export function instance() {
  return instantiate(compiled, {});
}

/** One run in an instance of its own: JSON text in, JSON text out. */
export function evaluate(request) {
  return instance().machines.evaluate(request);
}
