// Drives one machine: slices, questions, the end.

import type { Evaluator } from "./component.ts";
import type { Argument, Ended, Fault, Outcome, Program, Usage } from "./protocol.ts";

type Machine = ReturnType<Evaluator["machines"]["Machine"]["start"]>;
type Answer = Parameters<Machine["resume"]>[0];
type Step = ReturnType<Machine["resume"]>;

const NOTHING: Answer = { tag: "none" };

/** The largest slice: all there is. */
export const ALL = 2n ** 64n - 1n;

/** One run in an instance of the evaluator. */
export class Run {
  private machine: Machine | undefined;
  private answer = NOTHING;
  /** Answers of the record that were given. */
  private given = 0;
  private readonly asked: { tool: string; args: string }[] = [];
  private readonly begun = performance.now();
  /** How it ended, once it has. */
  ended: Ended | undefined;

  constructor(
    private readonly evaluator: Evaluator,
    private readonly program: Program,
    debug = false,
  ) {
    const { code, argument, context, step, limits, bindings = {}, keep = false } = program;
    try {
      this.machine = evaluator.machines.Machine.start(
        {
          code: { tag: code.tag, val: code.text },
          argument: given(argument),
          ...(context === undefined ? {} : { context }),
          bindings: Object.keys(bindings).map((name) => ({ name })),
          tools: [],
          step: BigInt(step),
          debug,
          keep,
        },
        {
          fuel: BigInt(limits.fuel),
          depth: limits.depth,
          memory: BigInt(limits.memory),
          output: limits.output,
        },
      );
    } catch (thrown) {
      this.end({ fault: refusal(thrown) });
    }
  }

  /** Goes on for so much fuel; whether the run has ended. Throws if the evaluator traps. */
  resume(slice: bigint): boolean {
    if (this.machine === undefined) return true;
    const step = this.machine.resume(this.answer, slice);
    const outcome = outcomeOf(step);
    if (outcome !== undefined) this.end(outcome);
    else this.answer = this.reply(step);
    return this.ended !== undefined;
  }

  /** What has been used so far. */
  usage(): Usage {
    if (this.machine === undefined) return this.ended?.usage ?? { fuel: 0, memory: 0, depth: 0 };
    const { fuel, peakMemory, peakDepth } = this.machine.usage();
    return { fuel: Number(fuel), memory: Number(peakMemory), depth: peakDepth };
  }

  /** The debug lines since the last call. */
  lines(): string[] {
    return this.machine?.debug() ?? [];
  }

  /** Ends it from outside. */
  stop(): void {
    const fault = { code: "cancelled", message: "the run was stopped", at: "" };
    if (this.ended === undefined) this.end({ fault });
  }

  /** Gives its memory back. */
  drop(): void {
    (this.machine as { [Symbol.dispose]?: () => void } | undefined)?.[Symbol.dispose]?.();
    this.machine = undefined;
  }

  private reply(step: Step): Answer {
    const { tools, bindings = {} } = this.program;
    if (step.tag === "recall") return { tag: "source", val: own(bindings, step.val) };
    if (step.tag === "perform" || step.tag === "wait") return this.recall(step);
    if (step.tag !== "lookup") return NOTHING;
    const source = own(tools, step.val) ?? this.revision(step.val);
    return { tag: "source", val: source === undefined ? undefined : this.source(step.val, source) };
  }

  /** What the record says of calls or of a wait. The page calls nobody: what it does not have is not granted. */
  private recall(step: Step & { tag: "perform" | "wait" }): Answer {
    const next = this.program.recorded?.[this.given];
    if (step.tag === "wait") {
      if (next?.tag !== "waited") return NOTHING;
      this.given++;
      return next.milliseconds === null ? NOTHING : { tag: "waited", val: BigInt(next.milliseconds) };
    }
    const { calls } = step.val;
    if (next?.tag !== "calls" || next.made.map((it) => it.tool).join() !== calls.map((it) => it.tool).join()) return NOTHING;
    this.given++;
    this.asked.push(...calls.map(({ tool, args }) => ({ tool, args })));
    return { tag: "outcomes", val: next.made.map((it) => it.came) } as Answer;
  }

  /** The source of a tool, if it is that of the revision `name@hash`. */
  private revision(tool: string): string | undefined {
    const [name = "", hash] = tool.split("@");
    const source = own(this.program.tools, name);
    if (source === undefined || hash === undefined) return undefined;
    try {
      return this.evaluator.analysis.check(source).hash === hash ? source : undefined;
    } catch (thrown) {
      // A tool that has faults has no revision.
      if (Array.isArray(payloadOf(thrown))) return undefined;
      throw thrown;
    }
  }

  /** The JSON of a tool, which may be written in the notation. A machine takes JSON alone. */
  private source(tool: string, text: string): string {
    try {
      JSON.parse(text);
      return text;
    } catch {
      // It is in the notation, or in neither.
    }
    try {
      return this.evaluator.analysis.check(text).canonical;
    } catch (thrown) {
      const payload = payloadOf(thrown);
      if (!Array.isArray(payload)) throw thrown;
      this.end({ fault: { ...(payload[0] as Fault), tool } });
      return text;
    }
  }

  private end(outcome: Outcome): void {
    const usage = this.usage();
    const asked = this.program.recorded === undefined ? {} : { asked: this.asked };
    this.ended = { outcome, usage, milliseconds: performance.now() - this.begun, ...asked };
  }
}

function given({ tag, text }: Argument) {
  return tag === "none" || tag === "unapplied" ? { tag } : { tag, val: text };
}

function own(texts: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

function outcomeOf(step: Step): Outcome | undefined {
  switch (step.tag) {
    case "done":
      return { value: step.val };
    case "failed":
      return { fault: step.val };
    case "continuation": {
      const { json, tool, input, warnings, trace } = step.val;
      const next = { tool, input, step: Number(step.val.step) };
      return { value: { json, kind: "continuation", warnings, trace, next } };
    }
    default:
      return undefined;
  }
}

/** The fault by which the evaluator refused; anything else that was thrown goes on. */
export function refusal(thrown: unknown): Fault {
  const payload = payloadOf(thrown);
  if (typeof payload === "object" && payload !== null && "code" in payload) return payload as Fault;
  throw thrown;
}

/** What an exported function returned as its error. */
export function payloadOf(thrown: unknown): unknown {
  if (thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError) throw thrown;
  return thrown instanceof Error && "payload" in thrown ? thrown.payload : thrown;
}
