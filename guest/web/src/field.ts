// A field for JSON that a program is given, with what is wrong in it.

import { Editor } from "./editor.ts";
import { byId } from "./dom.ts";
import { markOfFault, show, spanOf } from "./problems.ts";
import type { Fault } from "./protocol.ts";

export class Field {
  readonly editor: Editor;
  private readonly problems: HTMLElement;

  constructor(id: string, label: string, placeholder: string, onChange: () => void) {
    this.editor = new Editor(byId(id), { label, placeholder, isSmall: true, onChange });
    this.problems = byId(`${id}-problems`);
  }

  get text(): string {
    return this.editor.text;
  }

  set text(text: string) {
    this.editor.text = text;
  }

  /** Marks this fault, whose place is within the text, or none; `at` is where it is told to be. */
  mark(fault: Fault | undefined, at = ""): void {
    const marks = fault === undefined ? [] : [markOfFault(this.text, fault)];
    this.editor.mark(marks);
    show(this.problems, marks.map((mark) => ({ ...mark, at })), (span) => this.editor.go(span));
  }

  go(fault: Fault): void {
    this.editor.go(spanOf(this.text, fault));
  }
}
