// The worker: owns the instances of the evaluator, runs programs in slices and listens in between.

import { type Analyst, type Evaluator, start, startAnalyst } from "./component.ts";
import { payloadOf, refusal, Run } from "./drive.ts";
import type { Draft, Fault, Form, Program, Reply, Request } from "./protocol.ts";

/** A slice should take about so long, so that a stop is heard soon. */
const SLICE_MILLISECONDS = 16;
const FIRST_SLICE = 100_000;
const LARGEST_SLICE = 50_000_000;
/** Between two reports of progress. */
const REPORT_MILLISECONDS = 100;
/** Memory that an instance has taken stays taken; one that took more than this is not used again. */
const KEEP_BYTES = 32 << 20;

let modules: WebAssembly.Module[] = [];
let analystModules: WebAssembly.Module[] = [];
let analyst: Analyst | undefined;
let instance: ReturnType<typeof start> | undefined;
const stopped = new Set<number>();
let walk: Run | undefined;

/** The instance in use, or a fresh one. */
function evaluator(): Evaluator {
  if (instance !== undefined && instance.bytes() > KEEP_BYTES) instance = undefined;
  instance ??= start(modules);
  return instance.evaluator;
}

function reply(message: Reply): void {
  postMessage(message);
}

/** Lets messages in. */
const channel = new MessageChannel();
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
  });
}

async function run(id: number, program: Program): Promise<void> {
  const run = new Run(evaluator(), program);
  let slice = program.slice ?? FIRST_SLICE;
  let reported = performance.now();
  while (run.ended === undefined) {
    const before = performance.now();
    if (run.resume(BigInt(slice))) break;
    const now = performance.now();
    if (program.slice === undefined) {
      const factor = Math.min(4, Math.max(0.25, SLICE_MILLISECONDS / Math.max(now - before, 0.1)));
      slice = Math.min(LARGEST_SLICE, Math.max(1_000, Math.round(slice * factor)));
    }
    if (now - reported >= REPORT_MILLISECONDS) {
      reported = now;
      reply({ id, progress: run.usage() });
    }
    await breathe();
    if (stopped.delete(id)) run.stop();
  }
  run.drop();
  if (run.ended !== undefined) reply({ id, ended: run.ended });
}

function check(id: number, code: string): void {
  try {
    reply({ id, checked: { summary: evaluator().analysis.check(code) } });
  } catch (thrown) {
    const payload = payloadOf(thrown);
    if (!Array.isArray(payload)) throw thrown;
    reply({ id, checked: { faults: payload as Fault[] } });
  }
}

/** Proposes what may be written. An analyst that fails is never entered again, and proposes nothing. */
function complete(id: number, draft: Draft): void {
  try {
    analyst ??= startAnalyst(analystModules);
    reply({ id, proposals: analyst.questions.complete(draft).proposals });
  } catch {
    analyst = undefined;
    reply({ id, proposals: [] });
  }
}

/** A term in the notation. What is no term stays as it is. */
function print(term: string): string {
  try {
    return evaluator().analysis.notation(term);
  } catch (thrown) {
    refusal(thrown);
    return term;
  }
}

/** Goes on with a walk until so many lines are there, or begins one. */
function step(id: number, program: Program | undefined, lines: number): void {
  if (program !== undefined) {
    walk?.drop();
    // An instance of its own: runs in between may wear out the other one.
    walk = new Run(start(modules).evaluator, program, true);
  }
  if (walk === undefined) return reply({ id, broken: "what was stepped through is lost with the worker that was stopped" });
  const found: string[] = [];
  while (walk.ended === undefined && found.length < lines) {
    walk.resume(BigInt(lines));
    for (const line of walk.lines()) found.push(line);
  }
  const ended = walk.ended === undefined ? {} : { ended: walk.ended };
  reply({ id, walk: { lines: found, usage: walk.usage(), ...ended } });
}

function serve(request: Request): void | Promise<void> {
  switch (request.do) {
    case "load":
      modules = request.modules;
      return;
    case "analyst":
      analystModules = request.modules;
      return;
    case "complete":
      return complete(request.id, request.draft);
    case "check":
      return check(request.id, request.code);
    case "forms":
      return reply({ id: request.id, forms: JSON.parse(evaluator().analysis.forms()) as Form[] });
    case "print":
      return reply({ id: request.id, printed: request.terms.map(print) });
    case "run":
      return run(request.id, request.program);
    case "stop":
      // A walk takes one batch at a time; there is nothing to stop between two.
      stopped.add(request.id);
      return;
    case "walk":
      return step(request.id, request.program, request.lines);
  }
}

addEventListener("message", async (event: MessageEvent<Request>) => {
  try {
    await serve(event.data);
  } catch (thrown) {
    // After a trap an instance is never entered again.
    instance = undefined;
    walk = undefined;
    if ("id" in event.data) reply({ id: event.data.id, broken: String(thrown) });
  }
});
