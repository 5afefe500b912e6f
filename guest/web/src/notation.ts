// The notation in the editor: which of the two notations a text is in, and the colours of one. What
// its operators, words and names are, the build takes from the evaluator's own table.

import { StreamLanguage, type StreamParser, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import table from "table";
import { skipBlanks, stringEnd } from "./json.ts";

/** Names that other languages have for forms. */
const ALIASES = new Set(table.aliases.map((alias) => alias.split(".").at(-1)));
/** Words that are no names. */
export const words = new Set(table.words);
const ATOMS = new Set(["true", "false", "null", "undefined"]);
const BY_LENGTH = [...table.operators, "=>", "?.", "..."].sort((a, b) => b.length - a.length);
const OPERATOR = new RegExp(BY_LENGTH.map((mark) => mark.replace(/\W/g, "\\$&")).join("|") + "|[?:=!]");
const NUMBER = /^(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/;
const NAME = /^[A-Za-z_$][\w$]*/;

/** Whether a text is a term in JSON rather than in the notation, or looks most like it: it begins
 *  with a bracket, and has an object with a form's key. A key that is being written may become one. */
export function isJson(text: string, isForm: (name: string) => boolean): boolean {
  let at = skipBlanks(text, 0);
  if (text[at] !== "{" && text[at] !== "[") return false;
  while (text[at] === "{" || text[at] === "[") at = skipBlanks(text, at + 1);
  if (text[at] === '"') {
    const key = text.slice(at + 1, stringEnd(text, at));
    if (!key.endsWith('"') || isForm(key.slice(0, -1))) return true;
  }
  try {
    const value: unknown = JSON.parse(text);
    return hasForm(value, isForm);
  } catch {
    return false;
  }
}

function hasForm(root: unknown, isForm: (name: string) => boolean): boolean {
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value) && Object.keys(value).some(isForm)) return true;
    for (const part of Object.values(value)) open.push(part);
  }
  return false;
}

/** A name in small letters: `sortBy` is `sort_by`. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface State {
  /** What is open, the innermost last: a bracket, a text in backticks, a comment. */
  open: string[];
  /** The last token that is no blank. */
  last: string;
}

/** The language, in which these are forms. */
export function notation(isForm: (name: string) => boolean): StreamLanguage<State> {
  const isCalled = (name: string) => isForm(name) || isForm(snake(name)) || ALIASES.has(name);
  const parser: StreamParser<State> = {
    name: "pif",
    startState: () => ({ open: [], last: "" }),
    copyState: ({ open, last }) => ({ open: [...open], last }),
    token: (stream, state) => token(stream, state, isCalled),
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
    tokenTable: { form: tags.function(tags.variableName), tool: tags.labelName },
  };
  return StreamLanguage.define(parser);
}

function token(stream: StringStream, state: State, isCalled: (name: string) => boolean): string | null {
  const inside = state.open.at(-1);
  if (inside === "/*") return comment(stream, state);
  if (inside === "`") return template(stream, state);
  if (stream.eatSpace()) return null;
  const { last } = state;
  const begin = stream.pos;
  const found = plain(stream, state, isCalled, last);
  state.last = stream.string.slice(begin, stream.pos);
  return found;
}

function plain(stream: StringStream, state: State, isCalled: (name: string) => boolean, last: string): string | null {
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match("/*")) {
    state.open.push("/*");
    return comment(stream, state);
  }
  if (stream.match("`")) {
    state.open.push("`");
    return "string";
  }
  if (stream.match(/^(["'])(?:\\.|(?!\1)[^\\])*\1?/)) {
    return /^\s*:/.test(rest(stream)) && /^[{,]$/.test(last) ? "propertyName" : "string";
  }
  if (stream.match(/^@(?:"(?:\\.|[^"\\])*"?|[A-Za-z_]\w*)?/)) return "tool";
  if (stream.match(NUMBER)) return "number";
  if (stream.match(NAME)) return name(stream, isCalled, last);
  if (stream.match(OPERATOR)) return "operator";
  const c = stream.next() ?? "";
  if ("([{".includes(c)) state.open.push(c);
  else if (")]}".includes(c)) state.open.pop();
  return "punctuation";
}

function name(stream: StringStream, isCalled: (name: string) => boolean, last: string): string {
  const word = stream.current();
  const isMember = last === "." || last === "?.";
  if (!isMember && ATOMS.has(word)) return "atom";
  if (!isMember && words.has(word)) return "keyword";
  if (/^\s*\(/.test(rest(stream)) && isCalled(word)) return "form";
  if (isMember || (/^[{,]$/.test(last) && /^\s*:/.test(rest(stream)))) return "propertyName";
  return "variableName";
}

function comment(stream: StringStream, state: State): string {
  if (stream.skipTo("*/")) {
    stream.match("*/");
    state.open.pop();
  } else stream.skipToEnd();
  return "comment";
}

/** A text in backticks, up to its end or to what is put into it. */
function template(stream: StringStream, state: State): string {
  if (stream.match("${")) {
    state.open.push("{");
    state.last = "(";
    return "punctuation";
  }
  stream.match(/^(?:\\.|\$(?!\{)|[^`\\$])+/);
  if (stream.match("`")) state.open.pop();
  else if (stream.current() === "") stream.next();
  return "string";
}

function rest(stream: StringStream): string {
  return stream.string.slice(stream.pos, stream.pos + 40);
}
