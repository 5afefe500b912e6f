// From what the evaluator says of a term to marks in the editor and a list under it.

import { jsonLanguage } from "@codemirror/lang-json";
import type { Mark } from "./editor.ts";
import { h, prose } from "./dom.ts";
import { locate, skipBlanks, type Span, steps } from "./json.ts";
import type { Fault, Note, Summary } from "./protocol.ts";

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

/** The part of a text that a fault is about. */
export function spanOf(text: string, fault: { code?: string; at: string }): Span {
  const from = fault.code === "unparsable" && fault.at === "" ? flaw(text) : undefined;
  if (from !== undefined) {
    // What ends too early is marked at its last character.
    return from >= text.length ? { from: Math.max(0, text.trimEnd().length - 1), to: text.length } : { from, to: from + 1 };
  }
  const span = locate(text, fault.at);
  // Of a whole object or list of many lines only the beginning is underlined.
  const line = text.indexOf("\n", span.from);
  return line >= 0 && line < span.to ? { from: span.from, to: line } : span;
}

export function markOfFault(text: string, fault: Fault): Mark {
  const message = `${fault.code}: ${fault.message}`;
  return { ...spanOf(text, fault), severity: "error", message, hint: fault.hint };
}

/** The place of an argument's fault within the argument's own text. */
export function withinArgument(fault: Fault, tag: string): Fault | undefined {
  const [first] = steps(fault.at);
  if (fault.tool !== undefined || tag === "none" || first !== tag) return undefined;
  return { ...fault, at: fault.at.slice(tag.length + 1) };
}

export function markOfNote(text: string, note: Note): Mark {
  return { ...spanOf(text, note), severity: "warning", message: `${note.code}: ${note.message}`, hint: note.hint };
}

/** One sentence about a term in which nothing is wrong. */
export function describe({ form, hash, free, tools, pure, forms }: Summary): string {
  const count = forms.reduce((sum, [, n]) => sum + n, 0);
  const parts = [count === 0 ? form : `${form}, ${count} ${count === 1 ? "form" : "forms"}`];
  if (free.length > 0) parts.push(`unbound: ${list(free)}`);
  if (tools.length > 0) parts.push(`calls ${list(tools.map((tool) => tool.name))}`);
  parts.push(pure ? "pure" : "has effects");
  parts.push(`sha256 ${hash.slice(0, 12)}`);
  return parts.join(" · ");
}

function list(names: string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** The list of problems; each leads to its place. */
export function show(element: HTMLElement, problems: (Mark & { at: string; excerpt?: string | undefined })[], go: (span: Span) => void): void {
  const rows = problems.slice(0, MOST).map((problem) => {
    const button = h("button", { type: "button", class: "link" }, problem.at === "" ? "show" : problem.at);
    button.addEventListener("click", () => go(problem));
    return h(
      "li",
      { class: problem.severity },
      h("span", { class: "message" }, prose(problem.message)),
      " ",
      button,
      problem.hint !== undefined && h("span", { class: "hint" }, prose(problem.hint)),
      problem.excerpt !== undefined && h("code", { class: "excerpt" }, problem.excerpt),
    );
  });
  if (problems.length > MOST) rows.push(h("li", {}, `and ${problems.length - MOST} more`));
  element.replaceChildren(...rows);
}
