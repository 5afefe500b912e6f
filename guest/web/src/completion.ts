// Completion in both notations: forms, each with what the reference says of it; names in reach; tools
// that are saved here; members that data and context have.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { h } from "./dom.ts";
import type { Form } from "./protocol.ts";
import { jsonPlace, namesInReach } from "./reach.ts";

/** What there is to be offered; it may come later than the editor. */
export interface Offers {
  isJson: () => boolean;
  forms: () => Form[];
  tools: () => string[];
  /** Names that a program has from outside, and the members of their values, each with its kind. */
  given: () => string[];
  members: () => Map<string, string>;
}

const WORD = /^[\w$]*$/;
/** Forms with keys of records among their operands. */
const OF_KEYS = /^(?:get|get_in|has|put|omit|pick|update|update_in|pluck|remove)$/;

export function completion(offers: Offers): Extension {
  const source = (context: CompletionContext) => (offers.isJson() ? inJson(context, offers) : inNotation(context, offers));
  return autocompletion({ override: [source], icons: false });
}

function inJson(context: CompletionContext, offers: Offers): CompletionResult | null {
  const { literal, key, index, isKey, names } = jsonPlace(context.state.doc.sliceString(0, context.pos), context.pos);
  if (literal < 0) return null;
  const from = literal + 1;
  const result = (options: Completion[]) => ({ from, options, validFor: /^[^"]*$/ });
  if (isKey) return result(offers.forms().map((form) => ({ ...describe(form), apply: asKey })));
  if (key === "var" && index < 0) return result(asText([...names, ...offers.given()], "name"));
  if (key === "tool" && index < 0) return result(asText(offers.tools(), "tool"));
  if (OF_KEYS.test(key) && index > 0) return result(asText([...offers.members().keys()], "member"));
  return null;
}

function inNotation(context: CompletionContext, offers: Offers): CompletionResult | null {
  const names = namesInReach(context.state.doc.sliceString(0, context.pos), context.pos);
  if (names === undefined) return null;
  const tool = context.matchBefore(/@[\w$]*/);
  if (tool !== null) return { from: tool.from + 1, options: offers.tools().map((label) => ({ label, detail: "tool" })), validFor: WORD };
  const member = context.matchBefore(/\.\s*[\w$]*/);
  const calls = offers.forms().map((form) => snippetCompletion(`${form.name}(\${})`, describe(form)));
  if (member !== null && !/[\d.]/.test(context.state.sliceDoc(member.from - 1, member.from))) {
    const seen = [...offers.members()].filter(([label]) => WORD.test(label));
    const options = seen.map(([label, detail]) => ({ label, detail, boost: 50 }));
    return { from: member.from + /^\.\s*/.exec(member.text)![0].length, options: [...options, ...calls], validFor: WORD };
  }
  const word = context.matchBefore(/[A-Za-z_$][\w$]*/);
  if (word === null && !context.explicit) return null;
  const known = [...new Set([...names, ...offers.given()])].map((label) => ({ label, detail: "name", boost: 50 }));
  return { from: word?.from ?? context.pos, options: [...known, ...calls], validFor: WORD };
}

function describe(form: Form): Completion {
  const info = () => h("div", {}, h("p", {}, form.doc), h("code", {}, form.syntax));
  return { label: form.name, detail: form.group, info };
}

function asText(labels: string[], detail: string): Completion[] {
  const quoted = (label: string) => JSON.stringify(label).slice(1, -1);
  return [...new Set(labels)].map((label) => ({ label, detail, apply: closing(quoted(label), '"') }));
}

function asKey(view: EditorView, { label }: Completion, from: number, to: number): void {
  closing(label, '": ')(view, { label }, from, to);
}

/** Puts a text there with what closes it, unless that is there already. */
function closing(text: string, end: string) {
  return (view: EditorView, _: Completion, from: number, to: number): void => {
    const isClosed = view.state.doc.sliceString(to, to + 1) === '"';
    const insert = isClosed ? text : text + end;
    const anchor = from + insert.length + (isClosed ? 1 : 0);
    view.dispatch({ changes: { from, to, insert }, selection: { anchor }, userEvent: "input.complete" });
  };
}
