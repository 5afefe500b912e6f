// Links that hold a program: deflated JSON in the fragment, which no server sees. What comes by a
// link is hostile until shown otherwise: bounded while it is inflated, and never run by itself.

import { type Draft, draftOf } from "./store.ts";

const KEY = "p=";
/** Characters of a fragment, and bytes of what it holds. */
const MAX_FRAGMENT = 400_000;
const MAX_BYTES = 512 << 10;

/** The fragment for a draft. */
export async function fragment(draft: Draft): Promise<string> {
  const stream = new Blob([JSON.stringify(draft)]).stream();
  const deflated = stream.pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return KEY + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The draft in a fragment; undefined if it holds none, a text if it holds one that cannot be taken. */
export async function open(fragment: string): Promise<Draft | string | undefined> {
  const packed = fragment.replace(/^#/, "");
  if (!packed.startsWith(KEY)) return undefined;
  if (packed.length > MAX_FRAGMENT) return "The link is too long to be opened.";
  try {
    const binary = atob(packed.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = await inflate(bytes);
    if (text === undefined) return "The link holds more than 512 KiB, which is too much to be opened.";
    return draftOf(JSON.parse(text)) ?? "The link holds no program.";
  } catch {
    return "The link is damaged and cannot be opened.";
  }
}

/** Inflates, but no further than the bound. */
async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
