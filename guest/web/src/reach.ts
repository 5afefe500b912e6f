// Names in reach of a place in JSON: names that are bound around a place, and members of data that
// the page knows. The text may be half written, so this reads no further than the place and takes
// what it finds.

import { decode, skipBlanks, stringEnd } from "./json.ts";

/** Where a place in a JSON text is. */
export interface JsonPlace {
  names: string[];
  /** Where the text literal begins that the place is in; -1 outside of one. */
  literal: number;
  /** The key in an object whose value the place is in, and its index in a list there; -1 if there is none. */
  key: string;
  index: number;
  /** Whether the literal stands where a key stands. */
  isKey: boolean;
}

interface Frame {
  open: string;
  key: string;
  index: number;
  isKey: boolean;
  names: string[];
}

/** Forms that bind names, and where: under their own key. */
const BINDERS = new Set(["lam", "let", "letrec"]);

/** Reads a JSON text up to a place. */
export function jsonPlace(text: string, to: number): JsonPlace {
  const frames: Frame[] = [];
  const bind = (name: string) => {
    const top = frames.length - 1;
    const [own, outer, outermost] = [frames[top], frames[top - 1], frames[top - 2]];
    // {"lam": name}, {"lam": [name]}, {"let": [[name, value]]}, {"letrec": {name: value}}
    if (own?.key === "lam" && !own.isKey) own.names.push(name);
    else if (own?.open === "[" && outer?.key === "lam") outer.names.push(name);
    else if (own?.open === "[" && own.index === 0 && outer?.open === "[" && outermost?.key === "let") outermost.names.push(name);
    else if (own?.isKey === true && BINDERS.has(outer?.key ?? "")) outer?.names.push(name);
  };
  let literal = -1;
  for (let at = skipBlanks(text, 0); at < to; at = skipBlanks(text, at)) {
    const c = text[at] as string;
    const top = frames.at(-1);
    if (c === '"') {
      const end = stringEnd(text, at);
      if (end > to || (end === to && text[end - 1] !== '"')) {
        literal = at;
        break;
      }
      const name = decode(text, at, end);
      bind(name);
      if (top?.isKey === true) top.key = name;
      at = end;
      continue;
    }
    if (c === "{" || c === "[") frames.push({ open: c, key: "", index: 0, isKey: c === "{", names: [] });
    else if (c === "}" || c === "]") frames.pop();
    else if (c === ":" && top !== undefined) top.isKey = false;
    else if (c === "," && top !== undefined) {
      top.index++;
      top.isKey = top.open === "{";
      if (top.isKey) top.key = "";
    }
    at++;
  }
  const names = [...new Set(frames.flatMap((frame) => frame.names).reverse())];
  const top = frames.at(-1);
  const isList = top?.open === "[";
  const key = (isList ? frames.at(-2)?.key : top?.key) ?? "";
  return { names, literal, key, index: isList ? (top?.index ?? -1) : -1, isKey: top?.isKey ?? false };
}

/** Values that are looked at for their members, at most. */
const MOST = 20_000;

/** The members of all objects in a JSON text, each with the kind of a value that it has. */
export function members(text: string, into: Map<string, string> = new Map()): Map<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return into;
  }
  const open = [value];
  for (let n = 0; n < open.length && n < MOST; n++) {
    const part = open[n];
    if (typeof part !== "object" || part === null) continue;
    for (const [key, inner] of Object.entries(part)) {
      if (!Array.isArray(part) && !into.has(key)) into.set(key, kind(inner));
      if (open.length < MOST) open.push(inner);
    }
  }
  return into;
}

function kind(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value === "object" ? "record" : typeof value;
}
