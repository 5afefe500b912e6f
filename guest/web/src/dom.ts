// Making elements. Texts are only ever set as text, so nothing that a program says becomes markup.

type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;
export type Content = Node | string | undefined | false | null;

/** An element; attributes that are functions are listeners, `false` and `undefined` are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...content: Content[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const part of content) if (part) element.append(part);
  return element;
}

/** A sentence of the evaluator: what it quotes in backticks becomes code. */
export function prose(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  text.split("`").forEach((part, n, all) => {
    // A last backtick without its fellow is only that.
    const isCode = n % 2 === 1 && n < all.length - 1;
    fragment.append(isCode ? h("code", {}, part) : n % 2 === 1 ? `\`${part}` : part);
  });
  return fragment;
}

/** The element of this page with an id; the page is broken without it. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** Calls the function once nothing has asked for it during so many milliseconds. */
export function later(milliseconds: number, action: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(action, milliseconds);
  };
}

/** A number with blanks between groups of three digits. */
export function figure(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Bytes in the largest unit that fits. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1 << 20) return `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KiB`;
  return `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

/** Puts a text on the clipboard; whether that worked. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
