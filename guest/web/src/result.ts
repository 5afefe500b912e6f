// What came of a run.

import { copy, figure, h, prose, size } from "./dom.ts";
import { format, locate } from "./json.ts";
import { placeOf } from "./problems.ts";
import type { Ended, Fault, Usage, Value } from "./protocol.ts";

/** Characters of a value that are shown; all of it can be copied. */
const SHOWN = 100_000;

export interface Actions {
  /** Shows the place of a fault. */
  show: (fault: Fault) => void;
  /** Goes on with a continuation, one step or all. */
  go: (value: Value, steps: number) => void;
}

export function running(panel: HTMLElement, usage: Usage | undefined): void {
  const figures = usage === undefined ? "starting" : `${figure(usage.fuel)} fuel, ${size(usage.memory)}`;
  panel.replaceChildren(h("p", { class: "status" }, h("span", { class: "chip busy" }, "running"), ` ${figures}`));
}

export function ended(panel: HTMLElement, ended: Ended, actions: Actions): void {
  const { outcome } = ended;
  const parts = "value" in outcome ? valueParts(outcome.value, actions) : faultParts(outcome.fault, actions);
  if ("fault" in outcome && outcome.unkept !== undefined) parts.push(...unkeptParts(outcome.unkept, outcome.fault));
  const bound = ended.bound !== undefined && ` bound to ${ended.bound}`;
  const chip = "value" in outcome ? h("span", { class: "chip good" }, outcome.value.kind) : h("span", { class: "chip bad" }, outcome.fault.code);
  panel.replaceChildren(h("p", { class: "status" }, chip, bound), ...parts, figures(ended));
}

/** One sentence for those who listen. */
export function sentence({ outcome, usage, bound }: Ended): string {
  const fuel = `${usage.fuel} fuel`;
  if ("fault" in outcome) return `Fault ${outcome.fault.code}: ${outcome.fault.message}. ${fuel}.`;
  const { json, kind } = outcome.value;
  const text = json.length > 200 ? `${json.slice(0, 200)} and so on` : json;
  const isBound = bound === undefined ? "" : ` It is bound to ${bound}.`;
  return `The value is ${text}, ${kind}.${isBound} ${fuel}.`;
}

function figures({ usage, milliseconds }: Ended): HTMLElement {
  const rows: [string, string][] = [
    ["fuel", figure(usage.fuel)],
    ["memory, peak", size(usage.memory)],
    ["depth, peak", figure(usage.depth)],
    ["time", `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`],
  ];
  return h("dl", { class: "figures" }, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function valueParts(value: Value, actions: Actions): HTMLElement[] {
  const text = value.json.length > SHOWN ? value.json : format(value.json, 64);
  const shown = text.slice(0, SHOWN);
  const button = h("button", { type: "button", class: "quiet" }, "Copy value");
  button.addEventListener("click", async () => {
    button.textContent = (await copy(value.json)) ? "Copied" : "Not copied";
  });
  const parts: HTMLElement[] = [h("pre", { class: "value", tabindex: "0", "aria-label": "Value", role: "region" }, shown)];
  if (shown.length < text.length) {
    parts.push(h("p", { class: "note" }, `The first ${figure(SHOWN)} of ${figure(text.length)} characters.`));
  }
  parts.push(h("p", {}, button));
  const { next } = value;
  if (next !== undefined) {
    const one = h("button", { type: "button" }, `Continue: step ${next.step}`);
    one.addEventListener("click", () => actions.go(value, 1));
    const all = h("button", { type: "button" }, "Continue to the end");
    all.addEventListener("click", () => actions.go(value, Infinity));
    parts.push(h("p", { class: "buttons" }, one, all));
  }
  parts.push(...lines("Warnings", value.warnings), ...lines("Trace", value.trace));
  return parts;
}

/** A value that cannot have the name that it was to be bound to; the part that is to blame is marked. */
function unkeptParts({ json }: Value, { at }: Fault): HTMLElement[] {
  if (json.length > SHOWN || !at.startsWith("/value")) return [];
  const text = format(json, 64);
  const { from, to } = locate(text, at.slice("/value".length));
  const marked = [text.slice(0, from), h("mark", {}, text.slice(from, to)), text.slice(to)];
  return [h("h3", {}, "The value"), h("pre", { class: "value", tabindex: "0", "aria-label": "Value", role: "region" }, ...marked)];
}

function faultParts(fault: Fault, actions: Actions): HTMLElement[] {
  const parts: HTMLElement[] = [h("p", { class: "message" }, prose(sentenceCase(fault.message)))];
  if (fault.hint !== undefined) parts.push(h("p", { class: "hint" }, h("strong", {}, "Hint: "), prose(fault.hint)));
  const place = h("button", { type: "button", class: "link" }, placeOf(fault, "the whole term"));
  place.addEventListener("click", () => actions.show(fault));
  const rows: [string, Node | string][] = [["at", place]];
  if (fault.tool !== undefined) rows.push(["in the tool", fault.tool]);
  if (fault.calls !== undefined && fault.calls.length > 0) rows.push(["called by", fault.calls.slice(-20).join(" → ")]);
  parts.push(h("dl", { class: "where" }, ...rows.map(([name, content]) => h("div", {}, h("dt", {}, name), h("dd", {}, content)))));
  const excerpt = fault.place?.caret ?? fault.excerpt;
  const kind = fault.place === undefined ? "excerpt" : "excerpt caret";
  if (excerpt !== undefined) parts.push(h("pre", { class: kind, tabindex: "0" }, excerpt));
  parts.push(...lines("Warnings", fault.warnings ?? []));
  return parts;
}

function lines(title: string, all: string[]): HTMLElement[] {
  if (all.length === 0) return [];
  return [h("h3", {}, title), h("ul", { class: "lines" }, ...all.slice(0, 500).map((line) => h("li", {}, line)))];
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
