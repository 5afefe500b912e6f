// The panel of the session: its bindings, each with its source in the notation, and what forgets them.

import { byId, h, size } from "./dom.ts";
import { isLast } from "./definition.ts";
import { type Binding, bytesOf, type Session } from "./session.ts";

/** Characters of a source that are shown. */
const SHOWN = 100_000;

export class Bindings {
  private readonly list = byId<HTMLUListElement>("bindings");
  private readonly all = byId<HTMLButtonElement>("forget-all");
  private drawn: Binding[] = [];

  /** `source` gives a term in the notation. */
  constructor(
    private readonly session: Session,
    private readonly source: (term: string) => Promise<string>,
    private readonly tell: (message: string) => void,
  ) {
    this.all.addEventListener("click", () => void this.forgetAll());
  }

  /** Shows what the session holds now. */
  draw(): void {
    const all = this.session.list();
    const named = all.filter(({ name }) => !isLast(name));
    const bytes = named.reduce((sum, binding) => sum + bytesOf(binding), 0);
    const count = `${named.length} ${named.length === 1 ? "binding" : "bindings"}, ${size(bytes)}`;
    const { isKept } = this.session;
    byId("session-now").textContent = isKept ? count : `${count} · not kept: the browser's storage is full, closed or damaged`;
    this.all.hidden = isKept && all.length === 0;
    byId("session-empty").hidden = all.length > 0;
    if (all.length === this.drawn.length && all.every((binding, n) => binding === this.drawn[n])) return;
    this.drawn = all;
    this.list.replaceChildren(...all.map((binding) => this.row(binding)));
  }

  /** Shows the source of a binding, and leads there. */
  reveal(name: string): void {
    const row = this.rows().find((row) => row.dataset["binding"] === name);
    const button = row?.querySelector("button");
    if (button === null || button === undefined) return this.tell(`${name} is not bound any more.`);
    if (button.getAttribute("aria-expanded") !== "true") button.click();
    button.focus();
    row?.scrollIntoView({ block: "nearest" });
  }

  private rows(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>("li")];
  }

  private row(binding: Binding): HTMLElement {
    const { name, kind } = binding;
    const id = `source-of-${name}`;
    const source = h("pre", { class: "source", id, tabindex: "0", role: "region", "aria-label": `Source of ${name}`, hidden: true });
    const open = h("button", { type: "button", class: "link", "aria-expanded": "false", "aria-controls": id }, name);
    open.addEventListener("click", () => void this.toggle(open, source, binding));
    const forget = h("button", { type: "button", class: "quiet", "aria-label": `Forget ${name}` }, "Forget");
    forget.addEventListener("click", () => void this.forget(name));
    const facts = h("span", { class: "facts" }, `${kind}, ${size(bytesOf(binding))}`);
    return h("li", { "data-binding": name }, open, facts, forget, source);
  }

  private async toggle(button: HTMLElement, source: HTMLElement, { term }: Binding): Promise<void> {
    const isOpen = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(isOpen));
    source.hidden = !isOpen;
    if (!isOpen || source.textContent !== "") return;
    const text = await this.source(term);
    source.textContent = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  }

  private async forget(name: string): Promise<void> {
    const at = this.rows().findIndex((row) => row.dataset["binding"] === name);
    const done = this.session.forget(name);
    const rows = this.rows();
    (rows[Math.min(at, rows.length - 1)]?.querySelector("button") ?? byId("bind")).focus();
    await done;
    this.tell(`${name} is forgotten.`);
  }

  private async forgetAll(): Promise<void> {
    const done = this.session.forgetAll();
    byId("bind").focus();
    await done;
    this.tell("The session is empty.");
  }
}
