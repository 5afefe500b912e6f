// Step-through: the visits of an evaluation, one at a time. The machine runs in small slices with its
// debug lines on; what has been visited is kept, so one can also step back.

import type { Client } from "./client.ts";
import { byId, figure, h } from "./dom.ts";
import type { Ended, Program } from "./protocol.ts";
import { type Visit, Visits } from "./steps.ts";

/** Visits that are kept. */
const MOST = 50_000;
/** Lines fetched at once. */
const BATCH = 1_000;
/** Rows around the present one. */
const ROWS = 12;
/** Characters of a value in a row. */
const PREVIEW = 120;

export class Walk {
  private visits = new Visits();
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
    this.visits = new Visits();
    this.ended = undefined;
    this.present = -1;
    this.tool = program.code.tag === "tool" ? program.code.text : "";
    await this.fetch(program);
    await this.move(1);
  }

  /** Goes so many visits forward, or back. */
  async move(by: number): Promise<void> {
    if (this.isBusy) return;
    const { all } = this.visits;
    const wanted = this.present + by;
    while (wanted >= all.length && this.ended === undefined && all.length < MOST) await this.fetch();
    this.present = Math.max(0, Math.min(wanted, all.length - 1));
    const isEnd = wanted >= all.length && this.ended !== undefined;
    if (isEnd) this.present = all.length;
    this.on.visit(all[this.present]);
    if (isEnd && this.ended !== undefined) this.on.end(this.ended);
    this.show();
  }

  /** The term has changed: what has been stepped through is not it any more. */
  close(): void {
    if (!this.isOpen) return;
    this.visits = new Visits();
    this.present = -1;
    this.ended = undefined;
    this.on.visit(undefined);
    this.show();
  }

  private async fetch(program?: Program): Promise<void> {
    this.isBusy = true;
    const { lines, ended } = await this.client.walk(BATCH, program);
    this.isBusy = false;
    for (const line of lines) this.visits.hear(line);
    if (ended === undefined) return;
    this.ended = ended;
    if ("value" in ended.outcome) this.visits.end(ended.outcome.value.json);
  }

  private show(): void {
    this.panel.classList.toggle("is-open", this.isOpen);
    const { all } = this.visits;
    const first = Math.max(0, Math.min(this.present - ROWS, all.length - 2 * ROWS));
    const rows = all.slice(first, first + 2 * ROWS + 1).filter((_, n) => first + n <= this.present + ROWS);
    byId("walk-position").textContent = this.isOpen ? this.sentence() : "Nothing is being stepped through.";
    byId("walk-list").replaceChildren(...(this.isOpen ? rows.map((row, n) => this.row(row, first + n)) : []));
    const names = all[this.present]?.names ?? [];
    byId("walk-names").hidden = names.length === 0;
    byId("walk-name-list").replaceChildren(...names.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))));
  }

  private sentence(): string {
    const count = this.visits.all.length;
    const total = this.ended === undefined ? `more than ${figure(count)}` : figure(count);
    if (this.present < count) return `Step ${figure(this.present + 1)} of ${total}`;
    const all = this.ended === undefined ? "" : ` The run has ended, ${figure(this.ended.usage.fuel)} fuel.`;
    return count >= MOST ? `Step ${figure(MOST)}: no more are kept.` : `All ${figure(count)} steps are done.${all}`;
  }

  private row(visit: Visit, index: number): HTMLElement {
    const isPresent = index === this.present;
    const name = h("span", { class: "form" }, visit.form);
    name.style.marginInlineStart = `${Math.min(visit.depth, 24) * 10}px`;
    const place = h("code", { class: "at" }, visit.at === "" ? "·" : visit.at, visit.tool !== undefined && visit.tool !== this.tool && ` of ${visit.tool}`);
    return h(
      "tr",
      { class: isPresent ? "present" : index > this.present ? "ahead" : "past", "aria-current": isPresent ? "step" : undefined },
      h("td", { class: "number" }, figure(index + 1)),
      h("td", {}, name),
      h("td", { class: "came" }, cut(visit.value ?? "")),
      h("td", {}, place),
    );
  }
}

function cut(value: string): string {
  return value.length > PREVIEW ? `${value.slice(0, PREVIEW)}… (${figure(value.length)} characters)` : value;
}
