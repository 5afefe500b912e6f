// The other notation beside the one that is written: read only, live, and for those who want it.

import { byId } from "./dom.ts";
import { Editor } from "./editor.ts";
import { format, type Span } from "./json.ts";
import type { Summary } from "./protocol.ts";
import * as store from "./store.ts";

/** Characters that are shown. */
const MOST = 200_000;

export class Beside {
  private readonly pane = byId<HTMLDetailsElement>("beside");
  private readonly editor = new Editor(byId("other"), { label: "The program in the other notation", isSmall: true });
  /** What is written is JSON, so this is the notation; or the other way round. */
  private isJson = false;
  /** The program in the other notation; undefined until one could be read. */
  text: string | undefined;

  constructor(take: (text: string) => void, private readonly language: () => Parameters<Editor["speak"]>[0]) {
    this.pane.open = store.isBesideOpen();
    this.pane.addEventListener("toggle", () => {
      store.setBesideOpen(this.pane.open);
      this.draw();
    });
    byId("switch").addEventListener("click", () => {
      if (this.text !== undefined) take(this.text);
    });
  }

  /** Shows a program; without one, what is there is marked as not up to date. */
  show(summary: Summary | undefined, isJson: boolean): void {
    byId<HTMLButtonElement>("switch").disabled = summary === undefined;
    const last = summary === undefined ? ", as it was when it could be read" : "";
    byId("beside-title").textContent = (isJson ? "In the notation" : "In JSON") + last;
    this.isJson = !isJson;
    if (summary === undefined) return;
    this.text = isJson ? summary.notation : format(summary.canonical);
    this.draw();
  }

  /** Points at a part. */
  point(span: Span | null): void {
    if (span !== null) this.pane.open = true;
    this.draw();
    this.editor.point(span);
  }

  private draw(): void {
    if (!this.pane.open || this.text === undefined) return;
    const shown = this.text.length > MOST ? "The text is too long to be shown beside the program." : this.text;
    this.editor.speak(this.isJson ? undefined : this.language());
    if (this.editor.text !== shown) this.editor.text = shown;
  }
}
