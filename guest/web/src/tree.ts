// The term as a tree: nested lists with the keys of a tree (arrows, Home, End, Enter). Nodes are made
// when they are first shown, so a term of megabytes costs what is looked at.

import { h } from "./dom.ts";
import { children, decode, kindAt, type Span, step, valueEnd } from "./json.ts";

/** Rows that are open at first. */
const FIRST_ROWS = 120;
/** Children shown at once. */
const BATCH = 60;
/** Characters of a literal. */
const PREVIEW = 48;

/** Forms whose operands are the members of an object, under names that may be those of forms. */
const BY_NAME = new Set(["app", "call", "continue", "if", "let", "perform", "record"]);
/** Forms whose operand says nothing. */
const ALONE = new Set(["nil", "self"]);

interface Node {
  /** Its place as a JSON Pointer. */
  at: string;
  from: number;
  /** What it is to its parent. */
  role: string;
  head: string;
  detail: string;
  kind: "form" | "list" | "literal" | "unknown";
}

interface Item {
  element: HTMLLIElement;
  node: Node;
  group?: HTMLUListElement;
}

export class Tree {
  private text = "";
  private forms: string[] = [];
  private readonly items = new Map<string, Item>();
  private readonly byElement = new WeakMap<Element, Item>();

  constructor(
    private readonly root: HTMLUListElement,
    private readonly choose: (span: Span) => void,
  ) {
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("click", (event) => this.click(event));
  }

  /** Form keys in the order in which they are tried. */
  setForms(forms: string[]): void {
    this.forms = forms;
  }

  /** Draws the tree of a text that is JSON. */
  draw(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.items.clear();
    const from = text.search(/[^ \n\r\t]/);
    if (from < 0) return this.root.replaceChildren();
    const top = this.item(this.node("", from, ""), 1);
    this.root.replaceChildren(top.element);
    this.setTabStop(top.element);
    let rows = 1;
    const queue = [top];
    for (let item = queue.shift(); item !== undefined && rows < FIRST_ROWS; item = queue.shift()) {
      this.open(item);
      for (const child of item.group?.children ?? []) {
        const next = this.byElement.get(child);
        if (next !== undefined) queue.push(next);
        rows++;
      }
    }
  }

  /** Marks the node at a place and opens the way to it; an empty list of places marks none. */
  reveal(at: string | undefined): void {
    this.root.querySelector(".here")?.classList.remove("here");
    if (at === undefined) return;
    let item = this.items.get("");
    // Places inside a node, such as the name of a variable, stand for the node.
    for (let end = at.indexOf("/", 1); item !== undefined; end = at.indexOf("/", end + 1)) {
      const found = this.items.get(end < 0 ? at : at.slice(0, end));
      if (found !== undefined) item = found;
      if (end < 0) break;
      this.open(item);
    }
    item?.element.querySelector(".node")?.classList.add("here");
    item?.element.querySelector(".node")?.scrollIntoView({ block: "nearest" });
  }

  private node(at: string, from: number, role: string): Node {
    const { text } = this;
    const kind = kindAt(text, from);
    if (kind === "array") {
      return { at, from, role, head: "list", detail: "", kind: "list" };
    }
    if (kind !== "object") {
      return { at, from, role, head: this.preview(from), detail: kind, kind: "literal" };
    }
    const members = new Map<string, number>();
    for (const child of children(text, from)) members.set(String(child.key), child.from);
    const form = this.forms.find((name) => members.has(name));
    if (form === undefined) return { at, from, role, head: "{ }", detail: "no form", kind: "unknown" };
    const value = members.get(form) as number;
    const isPlain = !ALONE.has(form) && !["array", "object"].includes(kindAt(text, value));
    const detail = form === "lam" ? this.parameters(value) : isPlain ? this.preview(value) : "";
    return { at, from, role, head: form === "lam" ? "λ" : form, detail, kind: "form" };
  }

  private parameters(from: number): string {
    if (kindAt(this.text, from) === "string") return this.string(from);
    return [...children(this.text, from)].map((child) => this.string(child.from)).join(" ");
  }

  private string(from: number): string {
    return decode(this.text, from, valueEnd(this.text, from)).slice(0, PREVIEW);
  }

  private preview(from: number): string {
    const to = valueEnd(this.text, from);
    const name = /^"[A-Za-z_][\w-]*"$/.test(this.text.slice(from, Math.min(to, from + PREVIEW)));
    if (name) return this.text.slice(from + 1, to - 1);
    return to - from > PREVIEW ? `${this.text.slice(from, from + PREVIEW)}…` : this.text.slice(from, to);
  }

  /** The nodes below a node: its operands, under the names that the form gives them. */
  private *below(node: Node): Generator<Node> {
    const { text } = this;
    if (node.kind === "literal") return;
    if (node.kind !== "form") {
      for (const child of children(text, node.from)) {
        yield this.node(node.at + step(child.key), child.from, String(child.key));
      }
      return;
    }
    const form = node.head === "λ" ? "lam" : node.head;
    for (const member of children(text, node.from)) {
      const at = node.at + step(member.key);
      const kind = kindAt(text, member.from);
      if (member.key !== form) yield this.node(at, member.from, String(member.key));
      else if (form === "lam") continue;
      else if (form === "quote" || form === "float") yield this.node(at, member.from, "");
      else if (kind === "object" && BY_NAME.has(form)) {
        for (const child of children(text, member.from)) {
          yield this.node(at + step(child.key), child.from, String(child.key));
        }
      } else if (kind === "array") {
        for (const child of children(text, member.from)) yield this.operand(form, at, child);
      } else if (kind === "object") yield this.node(at, member.from, "");
    }
  }

  private operand(form: string, at: string, child: { key: string | number; from: number }): Node {
    const place = at + step(child.key);
    if (form === "let" && kindAt(this.text, child.from) === "array") {
      const [name, value] = [...children(this.text, child.from)];
      if (name !== undefined && value !== undefined) {
        return this.node(`${place}/1`, value.from, this.string(name.from));
      }
    }
    return this.node(place, child.from, String(child.key));
  }

  private item(node: Node, level: number): Item {
    const hasChildren = !this.below(node).next().done;
    const label = [
      node.role === "" ? undefined : h("span", { class: "role" }, node.role),
      h("span", { class: `head ${node.kind}` }, node.head),
      node.detail === "" ? undefined : h("span", { class: "detail" }, node.detail),
    ];
    const element = h(
      "li",
      { role: "treeitem", tabindex: "-1", "aria-level": level, "aria-expanded": hasChildren ? "false" : undefined },
      h("div", { class: "node" }, h("span", { class: "twist", "aria-hidden": "true" }), ...label),
    );
    const item = { element, node };
    this.items.set(node.at, item);
    this.byElement.set(element, item);
    return item;
  }

  private open(item: Item): void {
    if (!item.element.hasAttribute("aria-expanded")) return;
    item.element.setAttribute("aria-expanded", "true");
    if (item.group !== undefined) return;
    item.group = h("ul", { role: "group" });
    item.element.append(item.group);
    this.fill(item.group, this.below(item.node), Number(item.element.getAttribute("aria-level")) + 1);
  }

  private fill(group: HTMLUListElement, nodes: Generator<Node>, level: number): void {
    for (let n = 0; n < BATCH; n++) {
      const { done, value } = nodes.next();
      if (done === true) return;
      group.append(this.item(value, level).element);
    }
    const next = nodes.next();
    if (next.done === true) return;
    const more = h(
      "li",
      { role: "treeitem", tabindex: "-1", "aria-level": level, class: "more" },
      h("div", { class: "node" }, "show more"),
    );
    more.addEventListener("click", (event) => {
      event.stopPropagation();
      const first = this.item(next.value, level);
      more.replaceWith(first.element);
      this.fill(group, nodes, level);
      this.focus(first.element);
    });
    group.append(more);
  }

  private click(event: MouseEvent): void {
    const target = event.target as Element;
    const element = target.closest("li");
    const item = element && this.byElement.get(element);
    if (!item) return;
    this.focus(item.element);
    if (target.closest(".twist") !== null) this.toggle(item);
    else this.pick(item);
  }

  private pick(item: Item): void {
    this.choose({ from: item.node.from, to: valueEnd(this.text, item.node.from) });
  }

  private toggle(item: Item): void {
    if (item.element.getAttribute("aria-expanded") === "true") {
      item.element.setAttribute("aria-expanded", "false");
    } else this.open(item);
  }

  private visible(): HTMLLIElement[] {
    const all = this.root.querySelectorAll<HTMLLIElement>('[role="treeitem"]');
    return [...all].filter((element) => element.parentElement?.closest('[aria-expanded="false"]') === null);
  }

  private key(event: KeyboardEvent): void {
    const element = (event.target as Element).closest<HTMLLIElement>("li");
    if (element === null || event.ctrlKey || event.altKey || event.metaKey) return;
    const item = this.byElement.get(element);
    const expanded = element.getAttribute("aria-expanded");
    const rows = () => this.visible();
    const move = (by: number) => {
      const all = rows();
      return all[all.indexOf(element) + by];
    };
    let next: Element | undefined | null;
    if (event.key === "ArrowDown") next = move(1);
    else if (event.key === "ArrowUp") next = move(-1);
    else if (event.key === "Home") next = rows()[0];
    else if (event.key === "End") next = rows().at(-1);
    else if (event.key === "ArrowRight" && item !== undefined) {
      if (expanded === "false") this.open(item);
      else if (expanded === "true") next = move(1);
    } else if (event.key === "ArrowLeft" && item !== undefined) {
      if (expanded === "true") this.toggle(item);
      else next = element.parentElement?.closest("li");
    } else if (event.key === "Enter" || event.key === " ") {
      if (item === undefined) element.click();
      else this.pick(item);
    } else return;
    event.preventDefault();
    if (next instanceof HTMLLIElement) this.focus(next);
  }

  private setTabStop(element: Element): void {
    this.root.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
  }

  private focus(element: HTMLLIElement): void {
    this.setTabStop(element);
    element.focus();
  }
}
