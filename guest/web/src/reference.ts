// The reference: what the evaluator says of its forms, grouped, searched, each example to be run.

import { h } from "./dom.ts";
import type { Form } from "./protocol.ts";

/** Shows the forms; `examples` are those of the table, in the notation. */
export function reference(panel: HTMLElement, forms: Form[], examples: string[], run: (code: string) => void): void {
  const search = panel.querySelector<HTMLInputElement>("#search");
  const found = panel.querySelector<HTMLElement>("#found");
  const list = panel.querySelector<HTMLElement>("#forms");
  if (search === null || found === null || list === null) return;
  const entries = forms.map((form, n) => ({ form, element: entry(form, examples[n] ?? form.example, run), text: words(form) }));
  const groups = [...new Set(forms.map((form) => form.group))].map((name) => {
    const own = entries.filter(({ form }) => form.group === name);
    const heading = h("h3", {}, name);
    const section = h("section", { class: "group" }, heading, ...own.map(({ element }) => element));
    return { own, section };
  });
  list.replaceChildren(...groups.map(({ section }) => section));
  const show = () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/);
    let count = 0;
    for (const { own, section } of groups) {
      let shown = 0;
      for (const { element, text } of own) {
        const matches = wanted.every((word) => text.includes(word));
        element.hidden = !matches;
        if (matches) shown++;
      }
      section.hidden = shown === 0;
      count += shown;
    }
    found.textContent = count === forms.length ? `${count} forms` : `${count} of ${forms.length} forms`;
  };
  search.addEventListener("input", show);
  show();
}

function words({ name, group, syntax, doc }: Form): string {
  return `${name} ${group} ${syntax} ${doc}`.toLowerCase();
}

function entry(form: Form, example: string, run: (code: string) => void): HTMLElement {
  const button = h("button", { type: "button", class: "quiet", "aria-label": `Run the example of ${form.name}` }, "Run");
  button.addEventListener("click", () => run(example));
  return h(
    "article",
    { class: "form", "data-form": form.name },
    h("h4", {}, form.name),
    h("p", {}, form.doc),
    h("code", { class: "syntax" }, form.syntax),
    h("div", { class: "example" }, h("code", { title: form.example }, example), h("span", { class: "gives" }, "gives"), h("code", {}, form.result), button),
  );
}
