// Step-through: the visits of an evaluation, one at a time. The machine runs in small slices with its
// debug lines on; what has been visited is kept, so one can also step back.

import type { Client } from "./client.ts";
import { figure, h } from "./dom.ts";
import type { Ended, Program } from "./protocol.ts";

/** One visit of a term node. */
export interface Visit {
  form: string;
  at: string;
  tool: string | undefined;
  depth: number;
  names: string;
  what: string;
}

/** Visits that are kept. */
const MOST = 50_000;
/** Visits fetched at once. */
const BATCH = 200;
/** Rows around the present one. */
const ROWS = 12;

const LINE = /^eval (\S+) at `(.*)`(?: of (\S+))?, depth (\d+), names \[(.*?)\](?:, (.*))?$/s;

function visit(line: string): Visit {
  const [, form, at, tool, depth, names, what] = LINE.exec(line) ?? [];
  if (form === undefined) return { form: line, at: "", tool: undefined, depth: 0, names: "", what: "" };
  return { form, at: at ?? "", tool, depth: Number(depth), names: names ?? "", what: what ?? "" };
}

export class Walk {
  private visits: Visit[] = [];
  private present = -1;
  private ended: Ended | undefined;
  private isBusy = false;
  /** The tool that is stepped through. */
  private tool = "";

  constructor(
    private readonly client: Client,
    private readonly panel: HTMLElement,
    private readonly on: { visit: (visit: Visit | undefined) => void; end: (ended: Ended) => void },
  ) {}

  get isOpen(): boolean {
    return this.present >= 0 || this.ended !== undefined;
  }

  /** Begins with a program. */
  async begin(program: Program): Promise<void> {
    this.visits = [];
    this.ended = undefined;
    this.present = -1;
    this.tool = program.code.tag === "tool" ? program.code.text : "";
    await this.fetch(program);
    await this.move(1);
  }

  /** Goes so many visits forward, or back. */
  async move(by: number): Promise<void> {
    if (this.isBusy) return;
    const wanted = this.present + by;
    while (wanted >= this.visits.length && this.ended === undefined && this.visits.length < MOST) {
      await this.fetch();
    }
    this.present = Math.max(0, Math.min(wanted, this.visits.length - 1));
    const isEnd = wanted >= this.visits.length && this.ended !== undefined;
    if (isEnd) this.present = this.visits.length;
    this.on.visit(this.visits[this.present]);
    if (isEnd && this.ended !== undefined) this.on.end(this.ended);
    this.show();
  }

  /** The term has changed: what has been stepped through is not it any more. */
  close(): void {
    if (!this.isOpen) return;
    this.visits = [];
    this.present = -1;
    this.ended = undefined;
    this.on.visit(undefined);
    this.show();
  }

  private async fetch(program?: Program): Promise<void> {
    this.isBusy = true;
    const { lines, ended } = await this.client.walk(BATCH, program);
    this.isBusy = false;
    for (const line of lines) this.visits.push(visit(line));
    if (ended !== undefined) this.ended = ended;
  }

  private show(): void {
    const position = this.panel.querySelector("#walk-position");
    const list = this.panel.querySelector("#walk-list");
    if (position === null || list === null) return;
    this.panel.classList.toggle("is-open", this.isOpen);
    if (!this.isOpen) {
      position.textContent = "Nothing is being stepped through.";
      return list.replaceChildren();
    }
    position.textContent = this.sentence();
    const first = Math.max(0, Math.min(this.present - ROWS, this.visits.length - 2 * ROWS));
    const rows = this.visits.slice(first, first + 2 * ROWS + 1).filter((_, n) => first + n <= this.present + ROWS);
    list.replaceChildren(...rows.map((row, n) => this.row(row, first + n)));
  }

  private sentence(): string {
    const count = this.visits.length;
    const total = this.ended === undefined ? `more than ${figure(count)}` : figure(count);
    if (this.present >= count) {
      const all = this.ended === undefined ? "" : ` The run has ended, ${figure(this.ended.usage.fuel)} fuel.`;
      return count >= MOST ? `Step ${figure(MOST)}: no more are kept.` : `All ${figure(count)} steps are done.${all}`;
    }
    const names = this.visits[this.present]?.names ?? "";
    return `Step ${figure(this.present + 1)} of ${total}${names === "" ? "" : `, names in reach: ${names.split(" ").join(", ")}`}`;
  }

  private row(visit: Visit, index: number): HTMLElement {
    const isPresent = index === this.present;
    const name = h("span", { class: "form" }, visit.form);
    name.style.marginInlineStart = `${Math.min(visit.depth, 24) * 10}px`;
    const row = h(
      "li",
      { class: isPresent ? "present" : index > this.present ? "ahead" : "past", "aria-current": isPresent ? "step" : undefined },
      h("span", { class: "number" }, figure(index + 1)),
      name,
      h("code", { class: "at" }, visit.at === "" ? "·" : visit.at, visit.tool !== undefined && visit.tool !== this.tool && ` of ${visit.tool}`),
    );
    return row;
  }
}
