// From the debug lines of the evaluator to visits of terms: each with the names in reach, and with the
// value that the term came to once that is told.

/** One visit of a term node. */
export interface Visit {
  form: string;
  at: string;
  tool: string | undefined;
  /** The byte of the program's text at which the term begins, where it is in the notation. */
  byte: number | undefined;
  /** Pending evaluations around it. */
  depth: number;
  names: [name: string, value: string][];
  value?: string;
}

const PLACE = "`(?<at>.*?)`(?: of (?<tool>\\S+))?(?: \\(byte (?<byte>\\d+)\\))?, depth (?<depth>\\d+)";
const EVAL = new RegExp(`^eval (?<form>\\S+) at ${PLACE}(?:, [a-z ]+?)?, names \\[(?<names>.*)\\]$`, "s");
const VALUE = new RegExp(`^value at ${PLACE}: (?<value>.*)$`, "s");
/** A name and its value up to the comma and blank that no value has outside a text. */
const NAMED = /(.*?) = ((?:"(?:\\.|[^"\\])*"|[^",]|,(?! ))*)(?:, |$)/gsy;

export function pairs(text: string): [string, string][] {
  return [...text.matchAll(NAMED)].map(([, name, value]) => [name ?? "", value ?? ""]);
}

export class Visits {
  readonly all: Visit[] = [];
  /** Those without a value so far, the outermost first. */
  private readonly open: Visit[] = [];

  /** Takes a line; whether it is one of those that are known. */
  hear(line: string): boolean {
    const groups = (EVAL.exec(line) ?? VALUE.exec(line))?.groups;
    if (groups === undefined) return false;
    const { at = "", tool, byte, form, names = "", value } = groups;
    const place = { at, tool, byte: byte === undefined ? undefined : Number(byte), depth: Number(groups["depth"]) };
    if (value !== undefined) this.tell({ ...place, form: "", names: [] }, value);
    else this.visit({ ...place, form: form ?? "", names: pairs(names) });
    return true;
  }

  /** What is deeper has ended. */
  private visit(visit: Visit): void {
    while ((this.open.at(-1)?.depth ?? 0) > visit.depth) this.open.pop();
    this.all.push(visit);
    this.open.push(visit);
  }

  /** A term has a value, and so have those in it that are as deep: their value becomes its own. */
  private tell(term: Visit, value: string): void {
    const isIt = (visit: Visit | undefined) => visit?.at === term.at && visit.tool === term.tool && visit.depth === term.depth;
    while ((this.open.at(-1)?.depth ?? -1) >= term.depth) {
      const visit = this.open.pop() as Visit;
      // A function is made where it stands, and is not what it gives.
      if (visit.depth === term.depth && (visit.form !== "lam" || isIt(visit))) visit.value = value;
      // Forms that apply a function are visited again for each element.
      if (isIt(visit) && !isIt(this.open.at(-1))) return;
    }
  }

  /** The run has ended with a value, which is that of all that led to it. */
  end(value: string): void {
    const depth = this.all[0]?.depth;
    for (const visit of this.open) if (visit.depth === depth && visit.form !== "lam") visit.value = value;
    this.open.length = 0;
  }
}
