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
const STAGED = "mcp-pif.staged";
const TRYING = "mcp-pif.trying";
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

/** The texts under valid names, in order; a null only if it means something. */
function named<T>(key: string, isValid: (value: unknown) => value is T): Record<string, T> {
  const found: Record<string, T> = {};
  const stored = read(key);
  if (!isObject(stored)) return found;
  for (const name of Object.keys(stored).sort()) {
    const value = stored[name];
    if (NAME.test(name) && isValid(value)) found[name] = value;
  }
  return found;
}

const isText = (value: unknown): value is string => typeof value === "string";

/** The tools that count, by name. */
function committed(): Record<string, string> {
  return named(TOOLS, isText);
}

/** The changes that are tried before they count: the code of a tool, or null where it is deleted. */
export function staged(): Record<string, string | null> {
  return named(STAGED, (value): value is string | null => value === null || isText(value));
}

/** The tools by name, in order, with the changes that are tried. */
export function tools(): Record<string, string> {
  const all = { ...committed() };
  for (const [name, code] of Object.entries(staged())) {
    if (code === null) delete all[name];
    else all[name] = code;
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Keeps a tool, or forgets it; whether the browser did so. While changes are tried it is staged. */
export function keep(name: string, code: string | undefined): boolean {
  if (isTrying()) return write(STAGED, { ...staged(), [name]: code ?? null });
  const all = committed();
  if (code === undefined) delete all[name];
  else all[name] = code;
  return write(TOOLS, all);
}

/** Whether changes of tools are tried before they count. */
export function isTrying(): boolean {
  return read(TRYING) === true;
}

export function setTrying(isOn: boolean): void {
  write(TRYING, isOn);
}

/** Makes the staged changes count, all of them or none; whether the browser did so. */
export function commit(): boolean {
  const all = tools();
  return write(TOOLS, all) && write(STAGED, {});
}

/** Gives up the staged changes. */
export function discard(): boolean {
  return write(STAGED, {});
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
