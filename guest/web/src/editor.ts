// The editors: CodeMirror in a shadow root. There it puts its rules into adopted style sheets, which
// a Content-Security-Policy without inline styles allows.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completion, type Offers } from "./completion.ts";
import type { Span } from "./json.ts";

/** A problem to underline. */
export interface Mark extends Span {
  severity: "error" | "warning" | "info";
  message: string;
  hint?: string | undefined;
}

export interface Options {
  label: string;
  describedBy?: string;
  placeholder?: string;
  /** A lower one has no line numbers and no problems. */
  isSmall?: boolean;
  /** Called when the text changes; without it the text is only read. */
  onChange?: () => void;
  /** What is offered while typing. */
  offers?: Offers;
}

const JSON_LANGUAGE: Extension = json();

const setSpot = StateEffect.define<Span | null>();

/** The part that a step or the tree points at. */
const spot = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = transaction.docChanged ? Decoration.none : value;
    for (const effect of transaction.effects) {
      if (!effect.is(setSpot)) continue;
      const span = effect.value;
      const isEmpty = span === null || span.from >= span.to;
      next = isEmpty ? Decoration.none : Decoration.set(Decoration.mark({ class: "spot" }).range(span.from, span.to));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Typing over a selection. Left to itself, Chromium keeps the colours of what was there as inline
 *  styles, which the page's policy refuses, and says so. */
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || view.composing) return false;
    if (view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null, tags.atom, tags.keyword, tags.labelName], color: "var(--code-atom)" },
  { tag: tags.function(tags.variableName), color: "var(--accent)" },
  { tag: [tags.punctuation, tags.operator, tags.comment], color: "var(--muted)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--field)", fontSize: "var(--code-size)", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-line": { padding: "0 12px 0 6px" },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 10px" },
  ".cm-activeLine": { backgroundColor: "var(--active-line)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-placeholder": { color: "var(--muted)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "1px solid var(--line-strong)" },
  ".spot": { backgroundColor: "var(--spot)", borderRadius: "2px", boxShadow: "0 0 0 1px var(--spot-line)" },
  ".cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad)",
    textUnderlineOffset: "3px",
    textDecorationSkipInk: "none",
  },
  ".cm-lintRange-error": { backgroundColor: "var(--bad-soft)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--warn)" },
  ".cm-lintRange-info": { textDecorationColor: "var(--accent)" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    fontFamily: "var(--sans)",
    maxWidth: "min(460px, 90vw)",
  },
  ".cm-tooltip-lint": { overflow: "hidden" },
  ".cm-diagnostic": { padding: "8px 12px", borderLeft: "3px solid var(--bad)", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--accent)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12.5px", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--selection)", color: "var(--text)" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal" },
  ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": { color: "var(--text)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": { padding: "8px 12px", fontSize: "13px" },
  ".cm-completionInfo p": { margin: "0 0 6px" },
  ".cm-completionInfo code": { fontFamily: "var(--mono)", fontSize: "12px", overflowWrap: "anywhere" },
  ".cm-panel.cm-panel-lint": { backgroundColor: "var(--panel)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)", borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--selection)" },
  // CodeMirror's own markers are pictures in data URLs, which the page's policy does not load.
  ".cm-gutter-lint": { width: "14px" },
  ".cm-lint-marker": { width: "8px", height: "8px", borderRadius: "50%", margin: "6px auto 0" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--warn)" },
  ".cm-lint-marker-info": { content: "none", backgroundColor: "var(--accent)" },
});

export class Editor {
  readonly view: EditorView;
  private readonly language = new Compartment();
  private spoken: Extension = JSON_LANGUAGE;

  constructor(parent: HTMLElement, options: Options) {
    const root = parent.attachShadow({ mode: "open" });
    this.view = new EditorView({ parent: root, root, state: this.state("", this.extensions(options)) });
  }

  private extensions(options: Options): Extension[] {
    const attributes: Record<string, string> = {
      "aria-label": options.label,
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
    };
    const whole = [lineNumbers(), lintGutter(), highlightActiveLine()];
    return [
      options.isSmall === true ? [] : whole,
      options.offers === undefined ? [] : completion(options.offers),
      options.onChange === undefined ? EditorState.readOnly.of(true) : [],
      history(),
      drawSelection(),
      bracketMatching(),
      indentUnit.of("  "),
      EditorState.tabSize.of(2),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of(attributes),
      placeholder(options.placeholder ?? ""),
      this.language.of(this.spoken),
      syntaxHighlighting(colours),
      spot,
      theme,
      // Tab leaves the editor; what the page does by Ctrl+Enter is not the editor's.
      keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap.filter((key) => key.key !== "Mod-Enter")]),
      replacing,
      EditorView.updateListener.of((update) => {
        if (update.docChanged) options.onChange?.();
      }),
    ];
  }

  private state(doc: string, extensions: Extension[]): EditorState {
    return EditorState.create({ doc, extensions });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    const { length } = this.view.state.doc;
    this.view.dispatch({ changes: { from: 0, to: length, insert: text }, selection: { anchor: 0 } });
  }

  /** Colours the text as that of a language; JSON, if there is none. */
  speak(language: Extension = JSON_LANGUAGE): void {
    if (language === this.spoken) return;
    this.spoken = language;
    this.view.dispatch({ effects: this.language.reconfigure(language) });
  }

  /** Underlines these problems and no others. */
  mark(marks: Mark[]): void {
    const { length } = this.view.state.doc;
    const diagnostics = marks.map((mark): Diagnostic => {
      const from = Math.min(mark.from, length);
      const to = Math.min(Math.max(mark.to, from + 1), length);
      const message = mark.hint === undefined ? mark.message : `${mark.message}\n${mark.hint}`;
      return { from: Math.min(from, to), to, severity: mark.severity, message };
    });
    diagnostics.sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  /** Points at a part, and scrolls to it. */
  point(span: Span | null): void {
    const effects: StateEffect<unknown>[] = [setSpot.of(span)];
    if (span !== null) effects.push(EditorView.scrollIntoView(span.from, { y: "nearest", yMargin: 40 }));
    this.view.dispatch({ effects });
  }

  /** Puts the cursor there. */
  go(span: Span): void {
    this.view.dispatch({ selection: { anchor: span.from, head: span.to }, scrollIntoView: true });
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }
}
