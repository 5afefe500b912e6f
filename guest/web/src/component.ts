// The evaluator in a browser: the component's file is the one that the server embeds, byte for byte.
// Browsers run core modules only; they lie in the component as they are, so they are cut out here
// and handed to the glue that jco made for exactly this component.

import { instantiate as instantiateAnalyst, type Root as Analyst } from "analyst";
import { instantiate, type Root } from "evaluator";

export type { Analyst };
export type Evaluator = Root;

/** The core modules of a component, compiled, in the order in which they lie in it. */
export async function compile(component: Uint8Array): Promise<WebAssembly.Module[]> {
  const magic = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];
  if (magic.some((byte, i) => component[i] !== byte)) throw new Error("this is no component");
  const modules: Promise<WebAssembly.Module>[] = [];
  for (let i = 8; i < component.length; ) {
    const section = component[i++];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = component[i++] ?? 0;
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    // Section 1 is a core module. A copy, because the compiler keeps what it is given.
    if (section === 1) modules.push(WebAssembly.compile(component.slice(i, i + size)));
    i += size;
  }
  return Promise.all(modules);
}

/** A fresh instance. */
export function start(modules: WebAssembly.Module[]): { evaluator: Evaluator; bytes: () => number } {
  let memory: WebAssembly.Memory | undefined;
  const evaluator = instantiate(coreOf(modules), {}, (module, imports) => {
    const instance = new WebAssembly.Instance(module, imports);
    if (instance.exports["memory"] instanceof WebAssembly.Memory) memory = instance.exports["memory"];
    return instance;
  });
  return { evaluator, bytes: () => memory?.buffer.byteLength ?? 0 };
}

/** A fresh instance of the analyst, the other component that the server embeds. */
export function startAnalyst(modules: WebAssembly.Module[]): Analyst {
  return instantiateAnalyst(coreOf(modules), {}, (module, imports) => new WebAssembly.Instance(module, imports));
}

/** Finds the modules of a component, which jco names NAME.core.wasm, NAME.core2.wasm, … */
function coreOf(modules: WebAssembly.Module[]): (path: string) => WebAssembly.Module {
  return (path) => {
    const number = /core(\d*)\.wasm$/.exec(path)?.[1];
    const module = modules[number ? Number(number) - 1 : 0];
    if (module === undefined) throw new Error(`the component has no ${path}`);
    return module;
  };
}
