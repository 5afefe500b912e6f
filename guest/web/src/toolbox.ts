// The tools that this browser keeps: terms under names, which other terms call.

import { h } from "./dom.ts";
import * as store from "./store.ts";

export interface Actions {
  open: (name: string, code: string) => void;
  changed: (message: string) => void;
}

/** The switch "try first", and what becomes of the changes. */
function staging(list: HTMLElement, actions: Actions): HTMLElement {
  const names = Object.keys(store.staged());
  const trying = h("input", { type: "checkbox", id: "try-first" });
  trying.checked = store.isTrying();
  trying.addEventListener("change", () => {
    store.setTrying(trying.checked);
    toolbox(list, actions);
  });
  const end = (label: string, act: () => boolean, message: string) => {
    const button = h("button", { type: "button", id: `staged-${label.toLowerCase()}` }, label);
    button.disabled = names.length === 0;
    button.addEventListener("click", () => {
      actions.changed(act() ? message : "The browser does not keep it: its storage is full or closed.");
      toolbox(list, actions);
    });
    return button;
  };
  const count = names.length === 1 ? "1 change is tried" : `${names.length} changes are tried`;
  return h(
    "li",
    { class: "staging" },
    h("label", {}, trying, " Try first: changes of tools count when you commit them"),
    h("span", { class: "preview" }, names.length === 0 ? "" : `${count}: ${names.join(", ")}`),
    h(
      "span",
      { class: "buttons" },
      end("Commit", store.commit, "The changes count now."),
      end("Discard", store.discard, "The changes are gone."),
    ),
  );
}

export function toolbox(list: HTMLElement, actions: Actions): void {
  const entries = Object.entries(store.tools());
  if (entries.length === 0) {
    const text = "None yet. Give the term a name and save it; other terms can then call it by ";
    const none = h("li", { class: "empty" }, text, h("code", {}, "@name(…)"), ".");
    return list.replaceChildren(staging(list, actions), none);
  }
  list.replaceChildren(staging(list, actions), ...entries.map(([name, code]) => row(list, name, code, actions)));
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
