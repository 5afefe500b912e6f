// The evaluator in Node.js: `node embed.mjs`, where the package `pif-evaluator` is installed, as
// `cargo x npm` makes it. There is no wasmtime and so no fuel of the host: the limits of the
// language and slices do it all.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { component, evaluate, instance } from "pif-evaluator";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const SQUARE = '{"lam":"x","body":{"mul":[{"var":"x"},{"var":"x"}]}}';

/** A program as a machine takes it. */
const program = (tool, data, tools) => ({
  code: { tag: "tool", val: tool },
  argument: { tag: "data", val: data },
  bindings: [],
  tools,
  step: 0n,
  debug: false,
  keep: false,
});
const limits = { fuel: 1_000_000_000_000n, depth: 100, memory: 1n << 20n, output: 1000 };

/** One run step by step. */
function converse() {
  const { machines } = instance();
  const machine = machines.Machine.start(program("square", "7", []), limits);
  let answer = { tag: "none" };
  for (;;) {
    const step = machine.resume(answer, 100n);
    switch (step.tag) {
      case "lookup":
        console.log("lookup", step.val);
        answer = { tag: "source", val: step.val === "square" ? SQUARE : undefined };
        break;
      case "perform":
        answer = { tag: "none" }; // nothing is granted
        break;
      case "wait":
      case "paused":
        answer = { tag: "none" };
        break;
      case "failed":
        throw new Error(`${step.val.code}: ${step.val.message}`);
      default:
        console.log(step.tag, step.val.json);
        return;
    }
  }
}

/** Slices give the program's thread back: to look at a clock, or to do something else. */
function stop(slices) {
  const { machines } = instance();
  const endless = JSON.parse(read("endless.json"));
  const tools = [{ name: "endless", code: JSON.stringify(endless.tools.endless) }];
  const machine = machines.Machine.start(program("endless", "0", tools), limits);
  for (let slice = 0; slice < slices; slice += 1) {
    const step = machine.resume({ tag: "none" }, 10_000n);
    if (step.tag !== "paused") {
      throw new Error(`it ended: ${step.tag}`);
    }
  }
  console.log(`stopped after ${slices} slices`);
}

console.log("component", createHash("sha256").update(readFileSync(component)).digest("hex"));
console.log("evaluate", evaluate(read("request.json")));
converse();
stop(3);
console.log("evaluate", evaluate('{"code":{"add":[1,2]}}'));
