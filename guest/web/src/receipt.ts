// Receipts: whether the signature counts, each digest is right and the statement says what the texts say, and the
// program of the receipt, with the answers that it had. Nothing is sent.

import { locate } from "./json.ts";
import type { Ended, Made, Program } from "./protocol.ts";
import { type Envelope, refuse, sha256, signerOf, statementOf } from "./signed.ts";

const RUN = "https://github.com/mcp-pif/mcp-pif/run/v1";

interface Entry {
  id: number;
  time: number;
  kind: string;
  subject: string | null;
  ending: string;
  fuel: number | null;
  component: string | null;
  body: string;
  ends: number;
  principal: string | null;
}

interface Receipt {
  envelope: Envelope;
  rotations?: Envelope[];
  materials?: { entry: Entry; texts: string[]; schemas?: { change: number; sha256: string }[] };
}

/** What a statement says of a run. */
interface Run {
  evaluator: string;
  entry: { number: number; hash: string };
  previous: string;
  time: string;
  request: string;
  tools: { name: string; sha256: string }[];
  calls: { tool: string; arguments: string; outcome: string; answer?: string }[];
  ending: string;
  fuel: number;
  texts: string[];
  tool?: string;
  code?: string;
  input?: string;
  data?: string;
  context?: string;
}

type Digest = { sha256: string };
type Came = "unknown" | { value: Digest } | { failed: { reason: string; message: string; value?: Digest } };
type Answer =
  | { tool: [string, string | null] }
  | { schema: [string, number] }
  | { staged_schema: [string, Digest] }
  | { binding: [string, string] }
  | { calls: { tool: string; args: Digest; outcome: Came; whole?: Digest }[] }
  | { refused: unknown }
  | { waited: number | null }
  | { similar: unknown };

interface Request {
  code?: string;
  tool?: string;
  input?: string;
  data?: string;
  context?: string;
  bindings?: string[];
  unapplied?: boolean;
  keep?: boolean;
  output_schema?: string;
  fuel: number;
  depth: number;
  memory: number;
  output: number;
  step?: number;
  max_steps?: number;
}

interface Outcome {
  value?: string;
  kind?: string;
  continuation?: string;
  fault?: { code: string; at: string; tool?: string };
}

/** A receipt that was checked. */
export interface Checked {
  /** The id of the key that signed it. */
  signer: string;
  run: Run;
  /** Its program; what is missing to run it again otherwise. */
  program: Program | string;
  /** Whether an outcome is the one of the receipt; the first difference otherwise. */
  compare: (ended: Ended) => Promise<string | undefined>;
}

/** Checks a receipt. Throws the reason if it does not hold. */
export async function check(text: string, pem: string, revoked: string): Promise<Checked> {
  const receipt = JSON.parse(text) as Receipt;
  only(receipt, ["envelope", "rotations", "materials"]);
  const statement = statementOf(receipt.envelope, RUN) ?? refuse("the statement is not one about a run of this version");
  const { run, signed } = statement.predicate as { run: Run; signed: string };
  const signer = await signerOf(receipt.envelope, receipt.rotations ?? [], pem, revoked, Date.parse(signed));
  const { materials } = receipt;
  const subject = statement.subject[0];
  if (materials === undefined) {
    return { signer, run, program: "the receipt has no texts", compare: async () => "the receipt has no texts" };
  }
  only(materials, ["entry", "texts", "schemas"]);
  const { entry, texts } = materials;
  if ((await hashOf(entry, run.previous)) !== run.entry.hash) refuse("the entry is not the one that was signed");
  const body = JSON.parse(entry.body) as { request: Request; answers?: Answer[]; outcome: Outcome };
  const { request, answers = [], outcome } = body;
  const archive = new Map<string, string>();
  for (const text of texts) archive.set(await sha256(text), text);
  const found = await describe(entry, request, answers, materials.schemas ?? [], run.previous);
  if (!isEqual(found, run)) refuse("the statement does not say what the entry says");
  if (!isEqual([...archive.keys()], run.texts) || texts.length !== archive.size) refuse("there are other texts than those of the run");
  const name = outcome.value !== undefined ? "value" : outcome.continuation !== undefined ? "continuation" : "fault";
  const came = outcome.value ?? outcome.continuation ?? partOf(entry.body, "/outcome/fault");
  if (statement.subject.length !== 1 || subject?.name !== name || subject.digest.sha256 !== (await sha256(came))) {
    refuse("the statement is about another outcome");
  }
  return { signer, run, program: programOf(request, answers, archive, outcome), compare: (ended) => compare(ended, entry, outcome, answers) };
}

/** Whether an object has no members but these. */
function only(object: object, names: string[]): void {
  for (const name of Object.keys(object)) if (!names.includes(name)) refuse(`${name} is no part of a receipt`);
}

/** The hash of an entry of the journal. */
async function hashOf(entry: Entry, previous: string): Promise<string> {
  const { id, time, kind, subject, ending, fuel, component, body, ends, principal } = entry;
  const columns = [previous, id, time, kind, subject, ending, fuel, component, body, ends, ...(principal === null ? [] : [principal])];
  const parts: number[] = [];
  for (const column of columns) {
    const bytes = column === null ? [] : [...new TextEncoder().encode(String(column))];
    const length = column === null ? 2n ** 64n - 1n : BigInt(bytes.length);
    for (let at = 0n; at < 8n; at++) parts.push(Number((length >> (8n * at)) & 255n));
    for (const byte of bytes) parts.push(byte);
  }
  return sha256(Uint8Array.from(parts));
}

/** What an entry says of its run. */
async function describe(
  entry: Entry,
  request: Request,
  answers: Answer[],
  schemas: { change: number; sha256: string }[],
  previous: string,
): Promise<Run> {
  const tools: Run["tools"] = [];
  const calls: Run["calls"] = [];
  const texts: string[] = [];
  const changes: number[] = [];
  for (const answer of answers) {
    if ("tool" in answer && answer.tool[1] !== null) {
      const [name, hash] = answer.tool;
      tools.push({ name, sha256: hash });
      if (!name.includes(".")) texts.push(hash);
    } else if ("schema" in answer) {
      const [, change] = answer.schema;
      changes.push(change);
      texts.push(schemas.find((it) => it.change === change)?.sha256 ?? refuse("a schema is missing"));
    } else if ("staged_schema" in answer) {
      texts.push(answer.staged_schema[1].sha256);
    } else if ("binding" in answer) {
      texts.push(answer.binding[1]);
    } else if ("calls" in answer) {
      for (const { tool, args, outcome, whole } of answer.calls) {
        const digest = outcome === "unknown" ? undefined : "value" in outcome ? outcome.value : outcome.failed.value;
        const word = outcome === "unknown" ? "unknown" : "value" in outcome ? "ok" : outcome.failed.reason;
        for (const it of [digest, whole]) if (it !== undefined) texts.push(it.sha256);
        calls.push({ tool, arguments: args.sha256, outcome: word, ...(digest === undefined ? {} : { answer: digest.sha256 }) });
      }
    }
  }
  const isKnown = schemas.every(({ change }, n) => changes.indexOf(change) >= 0 && schemas.findIndex((it) => it.change === change) === n);
  if (!isKnown) refuse("there are schemas that the run does not refer to");
  const digests: Partial<Run> = {};
  for (const name of ["code", "input", "data", "context"] as const) {
    const text = request[name];
    if (text !== undefined) digests[name] = await sha256(text);
  }
  return {
    evaluator: entry.component ?? refuse("the evaluator is not known"),
    entry: { number: entry.id, hash: await hashOf(entry, previous) },
    previous,
    time: new Date(entry.time).toISOString(),
    request: await sha256(partOf(entry.body, "/request")),
    ...(request.tool === undefined ? {} : { tool: request.tool }),
    ...digests,
    tools,
    calls,
    ending: entry.ending,
    fuel: entry.fuel ?? refuse("the fuel is not known"),
    texts: [...new Set(texts)],
  };
}

function partOf(text: string, pointer: string): string {
  const { from, to } = locate(text, pointer);
  return text.slice(from, to);
}

/** The program of a receipt, with the answers that it had. */
function programOf(request: Request, answers: Answer[], archive: Map<string, string>, outcome: Outcome): Program | string {
  if ((request.max_steps ?? 0) > 0) return "the server drove its continuations";
  if (outcome.fault?.code === "schema-mismatch") return "the server compared its value with a schema";
  const text = (digest: string) => archive.get(digest) ?? refuse("a text is missing");
  const program: Program = {
    code: request.tool === undefined ? { tag: "term", text: request.code ?? "" } : { tag: "tool", text: request.tool },
    argument:
      request.input !== undefined ? { tag: "input", text: request.input }
      : request.data !== undefined ? { tag: "data", text: request.data }
      : { tag: request.unapplied === true ? "unapplied" : "none", text: "" },
    ...(request.context === undefined ? {} : { context: request.context }),
    bindings: {},
    keep: request.keep ?? false,
    tools: {},
    step: request.step ?? 0,
    limits: { fuel: request.fuel, depth: request.depth, memory: request.memory, output: request.output },
    recorded: [],
  };
  for (const name of request.bindings ?? []) program.bindings![name] = "";
  for (const answer of answers) {
    if ("tool" in answer && answer.tool[1] !== null) {
      const [name, hash] = answer.tool;
      const [owner, member] = name.split(".");
      program.tools[name] = member === undefined ? text(hash) : JSON.stringify({ get: [{ tool: owner }, member] });
    } else if ("binding" in answer) {
      program.bindings![answer.binding[0]] = text(answer.binding[1]);
    } else if ("calls" in answer) {
      const made = answer.calls.map(({ tool, outcome }): Made => {
        if (outcome === "unknown") return refuse("nobody knows what came of a call");
        if ("value" in outcome) return { tool, came: { tag: "value", val: text(outcome.value.sha256) } };
        const { reason, message, value } = outcome.failed;
        return { tool, came: { tag: "failed", val: { reason, message, value: value && text(value.sha256) } } };
      });
      program.recorded!.push({ tag: "calls", made });
    } else if ("waited" in answer) {
      program.recorded!.push({ tag: "waited", milliseconds: answer.waited });
    } else if ("refused" in answer) {
      return "the server refused a call";
    }
  }
  return program;
}

/** Whether a run came to what the receipt says; the first difference otherwise. */
async function compare({ outcome, usage, asked = [] }: Ended, entry: Entry, recorded: Outcome, answers: Answer[]): Promise<string | undefined> {
  const made = answers.flatMap((answer) => ("calls" in answer ? answer.calls : []));
  const digests = await Promise.all(asked.map(async ({ tool, args }) => ({ tool, args: await sha256(args) })));
  if (!isEqual(digests, made.map(({ tool, args }) => ({ tool, args: args.sha256 })))) return "calls";
  if ("fault" in outcome) {
    const { code, at, tool } = outcome.fault;
    const fault = recorded.fault;
    if (code !== fault?.code || at !== fault.at || tool !== fault.tool) return `fault ${code} at ${at}`;
  } else if (outcome.value.next !== undefined ? outcome.value.json !== recorded.continuation : outcome.value.json !== recorded.value) {
    return "value";
  }
  return usage.fuel === entry.fuel ? undefined : `fuel ${usage.fuel}`;
}

/** Whether two values of JSON are equal, whatever the order of members. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const names = Object.keys(one);
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]));
}
