// A program that begins with `name =` binds its value to the name. The evaluator does not know such programs: the
// page reads the name, and puts blanks in its place, so that every place in the program stays.

import { words } from "./notation.ts";
import type { Place } from "./protocol.ts";

/** The names of the last values, the latest first. */
export const LAST = ["_1", "_2", "_3"] as const;

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Blanks and comments, a name, and one `=` that is no part of another mark. */
const BEGINNING = /^((?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*)(([A-Za-z_][A-Za-z0-9_]*)[ \t]*=(?![=>]))/;

export interface Definition {
  name: string;
  /** The program with blanks in place of `head`, which is the name with its `=`. */
  code: string;
  head: string;
  /** The line of the head, counted from 1. */
  line: number;
}

export const isName = (name: string): boolean => NAME.test(name);

export const isLast = (name: string): boolean => (LAST as readonly string[]).includes(name);

/** Why no value can be bound to this; undefined if one can. */
export function refusal(name: string): string | undefined {
  if (isLast(name)) return `${name} is one of the last values: choose another name.`;
  return isName(name) ? undefined : "A binding needs a name: a letter or _, then letters, digits and _, at most 64.";
}

/** What a program in the notation binds its value to, if it says so. */
export function definition(text: string): Definition | undefined {
  const [all = "", before = "", head = "", name = ""] = BEGINNING.exec(text) ?? [];
  if (!isName(name) || words.has(name)) return undefined;
  return { name, code: before + blank(head) + text.slice(all.length), head, line: before.split("\n").length };
}

/** Something with a place, whose line is shown as it is written. */
export function restored<T extends { place?: Place }>(it: T, found: Definition | undefined): T {
  const { place } = it;
  if (found === undefined || place?.line !== found.line || !place.caret.startsWith(blank(found.head))) return it;
  return { ...it, place: { ...place, caret: found.head + place.caret.slice(found.head.length) } };
}

function blank(head: string): string {
  return " ".repeat(head.length);
}
