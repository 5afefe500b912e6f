// From what the evaluator says of a term to marks in the editor and a list under it.

import { jsonLanguage } from "@codemirror/lang-json";
import type { Mark } from "./editor.ts";
import { h, prose } from "./dom.ts";
import { characterAt, locate, skipBlanks, type Span, steps } from "./json.ts";
import type { Fault, Fix, Note, Place, Summary } from "./protocol.ts";

/** A problem shown at once. */
const MOST = 20;

/** The longest text in which a flaw is looked for: the parser takes some time to get over many. */
const LONGEST = 20_000;

/** Where a text stops being JSON; undefined if the parser of the editor finds nothing wrong with it. */
function flaw(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const cursor = jsonLanguage.parser.parse(text).cursor();
  do {
    if (cursor.type.isError) return skipBlanks(text, cursor.from);
  } while (cursor.next());
  return undefined;
}

/** A word, a number, a text or a mark. */
const TOKEN = /[\w$]+|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[^]/y;

/** The token that begins there. What ends too early is marked at its last character. */
export function tokenAt(text: string, from: number): Span {
  if (from >= text.length) return { from: Math.max(0, text.trimEnd().length - 1), to: text.length };
  TOKEN.lastIndex = from;
  return { from, to: from + (TOKEN.exec(text)?.[0].length ?? 1) };
}

/** The part of a text that a fault is about. */
export function spanOf(text: string, fault: { code?: string; at: string; place?: Place | undefined }): Span {
  if (fault.place !== undefined) return tokenAt(text, characterAt(text, fault.place.line, fault.place.column));
  const from = fault.code === "unparsable" && fault.at === "" ? flaw(text) : undefined;
  if (from !== undefined) return tokenAt(text, from);
  const span = locate(text, fault.at);
  // Of a whole object or list of many lines only the beginning is underlined.
  const line = text.indexOf("\n", span.from);
  return line >= 0 && line < span.to ? { from: span.from, to: line } : span;
}

export function markOfFault(text: string, fault: Fault): Mark {
  const message = `${fault.code}: ${fault.message}`;
  return { ...spanOf(text, fault), severity: "error", message, hint: fault.hint };
}

/** A fault of what is given to a program, such as `data`, with its place within that. */
export function within(fault: Fault, given: string): Fault | undefined {
  const [first] = steps(fault.at);
  if (fault.tool !== undefined || first !== given) return undefined;
  return { ...fault, at: fault.at.slice(given.length + 1) };
}

export function markOfNote(text: string, note: Note): Mark {
  return { ...spanOf(text, note), severity: "warning", message: `${note.code}: ${note.message}`, hint: note.hint };
}

/** One sentence about a term in which nothing is wrong. */
export function describe({ form, hash, free, tools, pure, forms }: Summary, given: string[] = []): string {
  const count = forms.reduce((sum, [, n]) => sum + n, 0);
  const parts = [count === 0 ? form : `${form}, ${count} ${count === 1 ? "form" : "forms"}`];
  const unbound = free.filter((name) => form === "lam" || !given.includes(name));
  if (unbound.length > 0) parts.push(`unbound: ${list(unbound)}`);
  if (tools.length > 0) parts.push(`calls ${list(tools.map((tool) => tool.name))}`);
  parts.push(pure ? "pure" : "has effects");
  parts.push(`sha256 ${hash.slice(0, 12)}`);
  return parts.join(" · ");
}

function list(names: string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** A problem in the list. */
export type Problem = Mark & Pick<Fault, "at" | "excerpt" | "place" | "fix">;

/** Where something is, in a few words. */
export function placeOf({ at, place }: { at: string; place?: Place | undefined }, whole = "show"): string {
  return place === undefined ? at || whole : `line ${place.line}, column ${place.column}`;
}

/** The button that repairs a program, with the part that is meant. */
function repair({ was, now, fixed }: Fix, write: (program: string) => void): HTMLElement {
  const label = now === fixed ? "repair" : was === "" ? `insert ${now}` : now === "" ? `leave out ${was}` : `write ${now}`;
  const button = h("button", { type: "button", class: "link fix" }, label);
  button.addEventListener("click", () => write(fixed));
  return button;
}

/** The list of problems; each leads to its place, and to the repaired program if the repair is sure. */
export function show(
  element: HTMLElement,
  problems: Problem[],
  go: (span: Span) => void,
  write?: (program: string) => void,
): void {
  const rows = problems.slice(0, MOST).map((problem) => {
    const button = h("button", { type: "button", class: "link" }, placeOf(problem));
    button.addEventListener("click", () => go(problem));
    return h(
      "li",
      { class: problem.severity },
      h("span", { class: "message" }, prose(problem.message)),
      " ",
      button,
      problem.fix !== undefined && write !== undefined && " ",
      problem.fix !== undefined && write !== undefined && repair(problem.fix, write),
      problem.hint !== undefined && h("span", { class: "hint" }, prose(problem.hint)),
      problem.place === undefined && problem.excerpt !== undefined && h("code", { class: "excerpt" }, problem.excerpt),
    );
  });
  if (problems.length > MOST) rows.push(h("li", {}, `and ${problems.length - MOST} more`));
  element.replaceChildren(...rows);
}
