// Completion: after `{"` the names of forms, each with what the reference says of it.

import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { h } from "./dom.ts";
import type { Form } from "./protocol.ts";

/** Offers these forms; they may come later than the editor. */
export function completion(forms: () => Form[]): Extension {
  const source = (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(/\{\s*"[a-z_0-9]*/);
    if (before === null) return null;
    const options = forms().map(option);
    return { from: before.from + before.text.indexOf('"') + 1, options, validFor: /^[a-z_0-9]*$/ };
  };
  return autocompletion({ override: [source], icons: false });
}

function option(form: Form): Completion {
  const info = () => h("div", {}, h("p", {}, form.doc), h("code", {}, form.syntax));
  return { label: form.name, detail: form.group, info, apply };
}

/** Puts the name there with its closing quote and colon, unless they are there already. */
function apply(view: EditorView, { label }: Completion, from: number, to: number): void {
  const { doc } = view.state;
  const after = doc.sliceString(to, to + 1);
  const insert = after === '"' ? label : `${label}": `;
  const anchor = from + insert.length + (after === '"' ? 1 : 0);
  view.dispatch({ changes: { from, to, insert }, selection: { anchor }, userEvent: "input.complete" });
}
