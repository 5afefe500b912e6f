// What the page and its worker say to each other.

/** What a program is applied to. */
export interface Argument {
  tag: "none" | "unapplied" | "input" | "data";
  text: string;
}

/** Fuel and memory go to the evaluator as 64-bit numbers; within 2^53 here. */
export interface Limits {
  fuel: number;
  depth: number;
  memory: number;
  output: number;
}

export interface Program {
  /** A term, or the name of one of `tools`. */
  code: { tag: "term" | "tool"; text: string };
  argument: Argument;
  context?: string;
  /** Variables of the code, with their terms: what the machine's questions are answered from. */
  bindings?: Record<string, string>;
  /** Whether the value is wanted as a term, too. */
  keep?: boolean;
  /** What the machine's questions are answered from. */
  tools: Record<string, string>;
  /** The step of the continuation that led here; 0 for a first run. */
  step: number;
  limits: Limits;
  /** What came of calls and waits, where they are to be answered from a record. */
  recorded?: Recorded[];
  /** Fuel between two looks at the messages; the worker finds its own where it is missing. */
  slice?: number;
}

/** A call of another server in a record. */
export interface Made {
  tool: string;
  came:
    | { tag: "value"; val: string }
    | { tag: "failed"; val: { reason: string; message: string; value?: string | undefined } };
}

/** Calls that were made at once, or a wait between two tries. */
export type Recorded = { tag: "calls"; made: Made[] } | { tag: "waited"; milliseconds: number | null };

/** Where something is in a program that was written in the notation; columns in characters. */
export interface Place {
  line: number;
  column: number;
  caret: string;
}

/** A fault as the evaluator gives it. */
export interface Fault {
  code: string;
  message: string;
  at: string;
  tool?: string;
  hint?: string;
  calls?: string[];
  excerpt?: string;
  place?: Place;
  /** What the run warned of before. */
  warnings?: string[];
  /** The limit that the run met. */
  limit?: "fuel" | "depth" | "memory" | "output";
  fix?: Fix;
}

/** A repair of a program that is surely the one that is meant. */
export interface Fix {
  /** Where the repaired part begins. */
  at: string;
  /** The part as it was written. */
  was: string;
  /** The part as it is meant. */
  now: string;
  /** The whole program with all sure repairs. */
  fixed: string;
}

export interface Note {
  code: string;
  at: string;
  message: string;
  hint?: string;
  excerpt?: string;
  place?: Place;
  fix?: Fix;
}

/** A tool that a term names. */
export interface Mention {
  name: string;
  at: string;
  excerpt?: string;
}

export interface Summary {
  canonical: string;
  hash: string;
  form: string;
  forms: [string, number][];
  free: string[];
  tools: Mention[];
  pure: boolean;
  notes: Note[];
  /** The term in the notation. */
  notation: string;
}

export interface Usage {
  fuel: number;
  memory: number;
  depth: number;
}

export interface Value {
  json: string;
  kind: string;
  warnings: string[];
  trace: string[];
  /** The value as a term, or why it has none, where the program asked for it. */
  term?: { tag: "ok"; val: string } | { tag: "err"; val: Fault };
  /** Set when the run ended in `continue`. */
  next?: { tool: string; input: string; step: number };
}

/** How a run ended. A value that cannot have the name that it was to be bound to is `unkept`. */
export type Outcome = { value: Value } | { fault: Fault; unkept?: Value };

export interface Ended {
  outcome: Outcome;
  usage: Usage;
  milliseconds: number;
  /** What the value is bound to. */
  bound?: string;
  /** The calls that were answered from a record. */
  asked?: { tool: string; args: string }[];
}

export interface Form {
  name: string;
  group: string;
  syntax: string;
  doc: string;
  example: string;
  result: string;
}

/** Steps of an evaluation, one line for each visit of a term node. */
export interface Walk {
  lines: string[];
  usage: Usage;
  /** Set when nothing follows. */
  ended?: Ended;
}

/** Evidence of the type of a value: the type, the value as JSON, or a term of it. */
export type Evidence = { tag: "shape" | "data" | "term"; val: string };

/** A program that is being written. The cursor is a byte of its UTF-8. */
export interface Draft {
  code: string;
  cursor: number;
  variables: { name: string; evidence: Evidence }[];
  input?: Evidence;
  tools: { name: string; code?: string }[];
}

/** A text in place of the word at a cursor. */
export interface Proposal {
  label: string;
  kind: "member" | "method" | "name" | "function" | "tool";
  /** Its type in one line, or how it is written. */
  detail: string;
}

export type Request =
  | { do: "load"; modules: WebAssembly.Module[] }
  | { do: "analyst"; modules: WebAssembly.Module[] }
  | { do: "complete"; id: number; draft: Draft }
  | { do: "check"; id: number; code: string }
  | { do: "forms"; id: number }
  | { do: "print"; id: number; terms: string[] }
  | { do: "run"; id: number; program: Program }
  | { do: "stop"; id: number }
  | { do: "walk"; id: number; program?: Program; lines: number };

export type Reply =
  | { id: number; checked: { summary: Summary } | { faults: Fault[] } }
  | { id: number; forms: Form[] }
  | { id: number; proposals: Proposal[] }
  /** Terms in the notation. */
  | { id: number; printed: string[] }
  | { id: number; progress: Usage }
  | { id: number; ended: Ended }
  | { id: number; walk: Walk }
  /** The evaluator trapped, which a correct one never does. */
  | { id: number; broken: string };
