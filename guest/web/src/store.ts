// What stays in this browser: tools, the draft, what is shown, the colour theme. All of it may be missing, full or
// meddled with, and the page works the same.

export interface Draft {
  name: string;
  code: string;
  argument: { tag: "none" | "input" | "data"; text: string };
  /** A JSON object whose members are variables of the code, or nothing. */
  context: string;
}

const TOOLS = "mcp-pif.tools";
const DRAFT = "mcp-pif.draft";
const BESIDE = "mcp-pif.beside";

/** Names that a tool may have. */
export const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The tools by name, in order. */
export function tools(): Record<string, string> {
  const found: Record<string, string> = {};
  const stored = read(TOOLS);
  if (!isObject(stored)) return found;
  for (const name of Object.keys(stored).sort()) {
    const code = stored[name];
    if (NAME.test(name) && typeof code === "string") found[name] = code;
  }
  return found;
}

/** Keeps a tool, or forgets it; whether the browser did so. */
export function keep(name: string, code: string | undefined): boolean {
  const all = tools();
  if (code === undefined) delete all[name];
  else all[name] = code;
  return write(TOOLS, all);
}

/** A draft out of whatever this is. */
export function draftOf(value: unknown): Draft | undefined {
  if (!isObject(value) || typeof value["code"] !== "string") return undefined;
  const name = typeof value["name"] === "string" && NAME.test(value["name"]) ? value["name"] : "";
  const given = isObject(value["argument"]) ? value["argument"] : {};
  const tag = given["tag"] === "input" || given["tag"] === "data" ? given["tag"] : "none";
  const text = typeof given["text"] === "string" ? given["text"] : "";
  const context = typeof value["context"] === "string" ? value["context"] : "";
  return { name, code: value["code"], argument: { tag, text }, context };
}

export function draft(): Draft | undefined {
  return draftOf(read(DRAFT));
}

export function setDraft(draft: Draft): void {
  write(DRAFT, draft);
}

/** Whether the other notation is shown beside the program. */
export function isBesideOpen(): boolean {
  return read(BESIDE) !== false;
}

export function setBesideOpen(isOpen: boolean): void {
  write(BESIDE, isOpen);
}
