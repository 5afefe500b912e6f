// The tools that this browser keeps: terms under names, which other terms call.

import { h } from "./dom.ts";
import * as store from "./store.ts";

export interface Actions {
  open: (name: string, code: string) => void;
  changed: (message: string) => void;
}

export function toolbox(list: HTMLElement, actions: Actions): void {
  const entries = Object.entries(store.tools());
  if (entries.length === 0) {
    const text = "None yet. Give the term a name and save it; other terms can then call it by ";
    return list.replaceChildren(h("li", { class: "empty" }, text, h("code", {}, "@name(…)"), "."));
  }
  list.replaceChildren(...entries.map(([name, code]) => row(list, name, code, actions)));
}

function row(list: HTMLElement, name: string, code: string, actions: Actions): HTMLElement {
  const open = h("button", { type: "button", "aria-label": `Open ${name}` }, "Open");
  open.addEventListener("click", () => actions.open(name, code));
  const remove = h("button", { type: "button", class: "quiet", "aria-label": `Delete ${name}` }, "Delete");
  remove.addEventListener("click", () => {
    store.keep(name, undefined);
    toolbox(list, actions);
    actions.changed(`The tool ${name} is deleted.`);
  });
  const preview = code.replace(/\s+/g, " ");
  return h(
    "li",
    { "data-tool": name },
    h("strong", {}, name),
    h("code", { class: "preview" }, preview.length > 90 ? `${preview.slice(0, 90)}…` : preview),
    h("span", { class: "buttons" }, open, remove),
  );
}
