// The session: names with the terms of their values. Each run of a program is a turn of it. The bindings are
// variables of the program, and its value becomes the latest of the last values. A turn that fails changes nothing.

import { isLast, isName, LAST } from "./definition.ts";
import type { Ended, Fault, Program, Value } from "./protocol.ts";
import * as shelf from "./shelf.ts";

export type { Binding } from "./shelf.ts";
type Binding = shelf.Binding;

/** Bindings that a session holds, and the bytes of their terms; the last values are not counted. */
export const MOST_BINDINGS = 200;
export const MOST_BYTES = 8 << 20;
/** Bytes of the term of a last value. */
export const MOST_LAST = 1 << 20;

/** A tool at its revision, as canonical terms name it. */
const REVISION = /"(?:tool|code_of)":"([A-Za-z_][A-Za-z0-9_-]{0,63})(@[0-9a-f]{64})"/g;

const encoder = new TextEncoder();

/** Bytes that a binding takes. */
export function bytesOf({ term, tools }: Binding): number {
  return [term, ...Object.values(tools)].reduce((sum, text) => sum + encoder.encode(text).length, 0);
}

/** A binding out of whatever lies in the browser. */
function bindingOf(value: unknown): Binding | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, kind, term, tools } = value as Record<string, unknown>;
  if (typeof name !== "string" || !isName(name) || typeof term !== "string") return undefined;
  const sources = typeof tools === "object" && tools !== null ? Object.entries(tools) : [];
  const isSource = ([name, text]: [string, unknown]) => name.includes("@") && typeof text === "string";
  return {
    name,
    kind: typeof kind === "string" ? kind.slice(0, 32) : "",
    term,
    tools: Object.fromEntries(sources.filter(isSource)) as Record<string, string>,
  };
}

export class Session {
  private bindings = new Map<string, Binding>();
  /** Turns end one after the other. */
  private writing: Promise<unknown> = Promise.resolve();
  private readonly others = new BroadcastChannel("mcp-pif.session");
  /** Resolves when what lies in the browser has been read. */
  ready: Promise<void>;
  /** Whether the browser keeps the session. */
  isKept = true;

  /** `changed` is called whenever other bindings are there. */
  constructor(private readonly changed: () => void) {
    this.ready = this.load();
    this.others.addEventListener("message", () => {
      if (this.isKept) this.ready = this.load();
    });
  }

  /** All bindings in the order of their names, the last values at the end. */
  list(): Binding[] {
    const all = [...this.bindings.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return [...all.filter(({ name }) => !isLast(name)), ...all.filter(({ name }) => isLast(name))];
  }

  names(): string[] {
    return this.list().map(({ name }) => name);
  }

  get(name: string): Binding | undefined {
    return this.bindings.get(name);
  }

  /** The program as a turn: with the bindings, unless it is a tool, and with its value as a term. */
  give(program: Program): Program {
    const all = this.list();
    const revisions = Object.assign({}, ...all.map(({ tools }) => tools)) as Record<string, string>;
    const given = { ...program, tools: { ...revisions, ...program.tools }, keep: true };
    if (program.code.tag === "tool" || all.length === 0) return given;
    // This also holds a name such as `__proto__`.
    return { ...given, bindings: Object.fromEntries(all.map(({ name, term }) => [name, term])) };
  }

  /** Takes what a run leaves, whose value may have a name. A value that cannot have it is a fault. */
  async take(ended: Ended, name: string | undefined, { tools }: Program): Promise<Ended> {
    if (!("value" in ended.outcome)) return ended;
    const { value } = ended.outcome;
    if (value.next !== undefined || value.term === undefined) return ended;
    const made = bindingFrom(value, tools);
    const fault = "code" in made ? made : name === undefined ? undefined : this.excess({ ...made, name });
    if (name !== undefined && fault !== undefined) return { ...ended, outcome: { fault, unkept: value } };
    const size = "code" in made ? 0 : bytesOf(made);
    const reason = fault?.message ?? (size > MOST_LAST ? `its term has ${size} bytes, more than ${MOST_LAST}` : undefined);
    const changes: Binding[] = [];
    if (!("code" in made)) {
      if (name !== undefined) changes.push({ ...made, name });
      if (reason === undefined) changes.push(...this.pushed(made));
    }
    await this.change(changes);
    const named = name === undefined ? ended : { ...ended, bound: name };
    if (reason === undefined) return named;
    const place = fault === undefined || fault.at === "/value" ? "" : ` at ${fault.at}`;
    const warnings = [...value.warnings, `the value is not kept as \`_1\`${place}: ${reason}`];
    return { ...named, outcome: { value: { ...value, warnings } } };
  }

  /** Forgets a binding. */
  async forget(name: string): Promise<void> {
    this.bindings.delete(name);
    await this.write([], [name]);
  }

  /** Forgets everything, even what could not be read. */
  async forgetAll(): Promise<void> {
    this.bindings.clear();
    await this.after(() => shelf.clear());
  }

  /** The last values with a new one. */
  private pushed(made: Omit<Binding, "name">): Binding[] {
    const before = LAST.map((name) => this.bindings.get(name));
    return [made, ...before].flatMap((binding, n) => {
      const name = LAST[n];
      return binding === undefined || name === undefined ? [] : [{ ...binding, name }];
    });
  }

  /** Why the session cannot hold this, too. */
  private excess(binding: Binding): Fault | undefined {
    const others = this.list().filter(({ name }) => !isLast(name) && name !== binding.name);
    const fault = (message: string) => ({ code: "session-limit", message, at: "", hint: "forget bindings that you do not need" });
    if (others.length >= MOST_BINDINGS) return fault(`the session would hold more than ${MOST_BINDINGS} bindings`);
    const bytes = [...others, binding].reduce((sum, each) => sum + bytesOf(each), 0);
    return bytes > MOST_BYTES ? fault(`the bindings of the session would have ${bytes} bytes, more than ${MOST_BYTES}`) : undefined;
  }

  private async change(bindings: Binding[]): Promise<void> {
    for (const binding of bindings) this.bindings.set(binding.name, binding);
    await this.write(bindings);
  }

  private write(bindings: Binding[], forgotten: string[] = []): Promise<void> {
    return this.after(() => shelf.write(bindings, forgotten));
  }

  private async after(write: () => Promise<boolean>): Promise<void> {
    this.changed();
    const before = this.writing;
    const own = before.then(write);
    this.writing = own;
    this.isKept = await own;
    this.changed();
    if (this.isKept) this.others.postMessage(null);
  }

  /** Reads what lies in the browser, as far as it is within the bounds. */
  private async load(): Promise<void> {
    const found = new Map<string, Binding>();
    let bytes = 0;
    let count = 0;
    const before = this.writing;
    try {
      await before;
      await shelf.read((record) => {
        const binding = bindingOf(record);
        if (binding === undefined) return true;
        const size = bytesOf(binding);
        const isFit = isLast(binding.name) ? size <= MOST_LAST : count < MOST_BINDINGS && bytes + size <= MOST_BYTES;
        if (!isFit) return true;
        if (!isLast(binding.name)) [count, bytes] = [count + 1, bytes + size];
        found.set(binding.name, binding);
        return true;
      });
      // What was bound meanwhile may not be in what was read.
      if (this.writing !== before) return await this.load();
      this.isKept = true;
      this.bindings = found;
    } catch {
      this.isKept = false;
    }
    this.changed();
  }
}

/** What there is to be bound of a value, or why there is nothing. */
function bindingFrom({ kind, term }: Value, tools: Record<string, string>): Omit<Binding, "name"> & { name: "" } | Fault {
  if (term === undefined || term.tag === "err") return term?.val ?? { code: "internal", message: "the value has no term", at: "" };
  const named: Record<string, string> = {};
  for (const [, name, revision] of term.val.matchAll(REVISION)) {
    const full = `${name}${revision}`;
    const source = [full, name as string].find((key) => Object.hasOwn(tools, key));
    if (source !== undefined) named[full] = tools[source] as string;
  }
  return { name: "", kind, term: term.val, tools: named };
}
