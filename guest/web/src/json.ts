// Places in JSON text: which part of a text a JSON Pointer means, and what the children of a value
// are. Nothing is decoded that is not asked for, numbers stay as written, and nothing recurses in
// proportion to nesting, so texts of megabytes and a million levels are fine.

/** A part of a text, `to` not included. */
export interface Span {
  from: number;
  to: number;
}

/** An item of an array or a member of an object; `key` is an index or the decoded name. */
export interface Child {
  key: number | string;
  /** Where its value begins. */
  from: number;
}

export type Kind = "object" | "array" | "string" | "number" | "true" | "false" | "null" | "bad";

const QUOTE = 34;
const BACKSLASH = 92;

/** The first position from `i` on that is no blank. */
export function skipBlanks(text: string, i: number): number {
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) break;
  }
  return i;
}

/** The position after the string that begins at `i`. */
export function stringEnd(text: string, i: number): number {
  for (i++; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === BACKSLASH) i++;
    else if (c === QUOTE) return i + 1;
  }
  return text.length;
}

/** The position after the value that begins at `i`. */
export function valueEnd(text: string, i: number): number {
  let depth = 0;
  while (i < text.length) {
    const c = text[i];
    if (c === '"') i = stringEnd(text, i);
    else if (c === "{" || c === "[") {
      depth++;
      i++;
    } else if (c === "}" || c === "]") {
      if (depth === 0) return i;
      depth--;
      i++;
    } else if (depth === 0) {
      if (c === "," || c === ":" || " \n\r\t".includes(c as string)) return i;
      while (i < text.length && !',:]}[{" \n\r\t'.includes(text[i] as string)) i++;
      return i;
    } else {
      i++;
      continue;
    }
    if (depth === 0) return i;
  }
  return text.length;
}

export function kindAt(text: string, i: number): Kind {
  switch (text[i]) {
    case "{":
      return "object";
    case "[":
      return "array";
    case '"':
      return "string";
    case "t":
      return "true";
    case "f":
      return "false";
    case "n":
      return "null";
    default:
      return /[-0-9]/.test(text[i] ?? "") ? "number" : "bad";
  }
}

/** Decodes the string between two positions; what is no JSON string is taken as it stands. */
export function decode(text: string, from: number, to: number): string {
  const literal = text.slice(from, to);
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}

/** The children of the value that begins at `from`; a value is skipped only when the next is asked for. */
export function* children(text: string, from: number): Generator<Child> {
  const open = text[from];
  if (open !== "{" && open !== "[") return;
  let i = skipBlanks(text, from + 1);
  for (let index = 0; i < text.length && text[i] !== "}" && text[i] !== "]"; index++) {
    let key: number | string = index;
    if (open === "{") {
      if (text[i] !== '"') return;
      const end = stringEnd(text, i);
      key = decode(text, i, end);
      i = skipBlanks(text, end);
      if (text[i] !== ":") return;
      i = skipBlanks(text, i + 1);
    }
    yield { key, from: i };
    i = skipBlanks(text, valueEnd(text, i));
    if (text[i] !== ",") return;
    i = skipBlanks(text, i + 1);
  }
}

/** The steps of a JSON Pointer. */
export function steps(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer.slice(1).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A step as a JSON Pointer spells it. */
export function step(key: number | string): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The part of the text that a pointer means, or the nearest one around it that exists. */
export function locate(text: string, pointer: string): Span {
  let from = skipBlanks(text, 0);
  for (const wanted of steps(pointer)) {
    let next = -1;
    for (const child of children(text, from)) {
      if (String(child.key) === wanted) {
        next = child.from;
        break;
      }
    }
    if (next < 0) break;
    from = next;
  }
  return { from, to: Math.max(valueEnd(text, from), from) };
}

/** The position of a line and a column, both counted from 1, columns in characters. */
export function characterAt(text: string, line: number, column: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  for (let n = 1; n < column && at < text.length; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** The position so many bytes of UTF-8 into a text. */
export function byteAt(text: string, bytes: number): number {
  let at = 0;
  for (let passed = 0; passed < bytes && at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    passed += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    at += point > 0xffff ? 2 : 1;
  }
  return at;
}

/** Nesting beyond which a text is left as it is. */
const FORMAT_LEVELS = 400;

/** The text with line breaks and indents where a value does not fit on a line; numbers and strings
 *  stay as written. What is nested too deep is returned as it is. */
export function format(text: string, width = 72): string {
  const flat = (from: number, to: number): string => {
    let out = "";
    for (let i = from; i < to; ) {
      const c = text[i] as string;
      if (c === '"') {
        const end = stringEnd(text, i);
        out += text.slice(i, end);
        i = end;
      } else {
        if (!" \n\r\t".includes(c)) out += c === "," || c === ":" ? `${c} ` : c;
        i++;
      }
    }
    return out;
  };
  const write = (from: number, indent: number, room: number): string => {
    const to = valueEnd(text, from);
    if (to - from <= 4 * width) {
      const line = flat(from, to);
      if (line.length <= room - indent) return line;
    }
    const kind = kindAt(text, from);
    if ((kind !== "object" && kind !== "array") || indent > 2 * FORMAT_LEVELS) {
      return text.slice(from, to);
    }
    const inner = "  ".repeat(indent / 2 + 1);
    const parts: string[] = [];
    for (const child of children(text, from)) {
      const key = typeof child.key === "string" ? `${JSON.stringify(child.key)}: ` : "";
      parts.push(inner + key + write(child.from, indent + 2, room - key.length));
    }
    const [open, close] = kind === "object" ? ["{", "}"] : ["[", "]"];
    return `${open}\n${parts.join(",\n")}\n${"  ".repeat(indent / 2)}${close}`;
  };
  return write(skipBlanks(text, 0), 0, width);
}
