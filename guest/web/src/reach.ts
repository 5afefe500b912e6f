// What is in reach where one writes: names that are bound around a place, and members of data that
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

const TOKEN = /\s+|\/\/.*|\/\*[^]*?(?:\*\/|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_$][\w$]*|=>|[^]/y;
const TEMPLATE = /(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;

interface Group {
  /** Names that end with the group, and those that end with the next comma. */
  names: string[];
  parameters: string[];
  /** Words in it, which are names if it turns out to be the parameters of a function. */
  words: string[];
  /** Whether a comma in it leads to another name that is bound. */
  declares: boolean;
}

const group = (): Group => ({ names: [], parameters: [], words: [], declares: false });

/** Names that a program in the notation has bound around a place; undefined within a text or comment. */
export function namesInReach(text: string, to: number): string[] | undefined {
  const groups: Group[] = [group()];
  const templates: number[] = [];
  let closed: string[] = [];
  let last = "";
  let isBinding = false;
  const top = () => groups.at(-1) as Group;
  const close = () => {
    closed = groups.length > 1 ? (groups.pop() as Group).words : top().words;
    if (isBinding) top().names.push(...closed);
    top().words.push(...closed);
  };
  for (let at = 0; at < to; ) {
    const isInTemplate = last === "`";
    const pattern = isInTemplate ? TEMPLATE : TOKEN;
    pattern.lastIndex = at;
    const token = pattern.exec(text)?.[0] ?? "";
    at += token.length;
    const isText = isInTemplate || /^(?:"|'|\/[/*])/.test(token);
    if (isText && (at > to || (at === to && (/^\/\//.test(token) || isInTemplate && !/[`{]$/.test(token))))) return undefined;
    if (token === "" || /^(?:\s|\/[/*])/.test(token)) {
      if (token === "") break;
      continue;
    }
    if (isInTemplate) {
      if (token.endsWith("${")) templates.push(groups.length);
      last = token.endsWith("${") ? "${" : '"';
      if (last === "${") groups.push(group());
      continue;
    }
    if ("([{".includes(token)) groups.push(group());
    else if (")]}".includes(token)) close();
    else if (token === "=>") top().parameters.push(...(/^[\w$]+$/.test(last) ? [last] : closed));
    else if (token === "," || token === ";") {
      top().parameters = [];
      top().declares &&= token === ",";
      isBinding = top().declares;
    } else if (token === "=") isBinding = false;
    else if (/^(?:const|let|var)$/.test(token)) isBinding = top().declares = true;
    else if (/^[A-Za-z_$]/.test(token)) {
      if (at < to || !/[\w$]/.test(text[at - 1] ?? "")) top().words.push(token);
      if (isBinding && last !== "." && !top().names.includes(token)) top().names.push(token);
    } else if (token === ":" && last !== "") top().words.pop();
    last = token;
    if (token === "}" && templates.at(-1) === groups.length) {
      templates.pop();
      last = "`";
    }
  }
  return [...new Set(groups.flatMap((group) => [...group.names, ...group.parameters]).reverse())];
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
