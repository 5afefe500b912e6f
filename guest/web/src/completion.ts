// Completion in both notations: in ours by the analyst, which knows the types of what stands there; in JSON
// forms, names in reach, tools that are saved here, members that data and context have.

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
import type { Form, Proposal } from "./protocol.ts";
import { jsonPlace } from "./reach.ts";

/** What there is to be offered; it may come later than the editor. */
export interface Offers {
  isJson: () => boolean;
  forms: () => Form[];
  tools: () => string[];
  /** Names that a program has from outside, and the members of their values, each with its kind. */
  given: () => string[];
  members: () => Map<string, string>;
  /** What may be written at a place of a program in the notation, which has no word there. */
  proposals: (text: string, at: number) => Promise<Proposal[]>;
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

async function inNotation(context: CompletionContext, offers: Offers): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[A-Za-z_$][\w$]*/);
  const isAsked = context.explicit || word !== null || context.matchBefore(/[@.]\s*/) !== null;
  if (!isAsked) return null;
  const from = word?.from ?? context.pos;
  // The word is left out, so that the proposals are those of any word here.
  const text = context.state.doc.toString();
  const proposals = await offers.proposals(text.slice(0, from) + text.slice(context.pos), from);
  if (context.aborted || proposals.length === 0) return null;
  const forms = new Map(offers.forms().map((form) => [form.name, form]));
  const options = proposals.map((it, at): Completion => {
    const form = it.kind === "function" || it.kind === "method" ? forms.get(it.label) : undefined;
    const about = form === undefined ? { label: it.label } : describe(form);
    const option = { ...about, detail: it.detail, boost: Math.max(-99, 99 - at) };
    return it.kind === "function" || it.kind === "method" ? snippetCompletion(`${it.label}(\${})`, option) : option;
  });
  return { from, options, validFor: WORD };
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
