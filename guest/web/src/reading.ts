// Checking a program that has bindings. The evaluator's `check` knows no names from outside, so a call of a binding
// would be one of a form that is missing. Such a program is checked as the rest of one that binds those names.

import type { Client } from "./client.ts";
import { locate } from "./json.ts";
import type { Fault, Note, Place } from "./protocol.ts";

type Checked = Awaited<ReturnType<Client["check"]>>;

/** Checks a program in the notation in which these names are variables. */
export async function checkWithin(client: Client, text: string, names: string[]): Promise<Checked> {
  const words = new Set(text.match(/[A-Za-z_$][\w$]*/g));
  const used = names.filter((name) => words.has(name));
  const alone = await client.check(text);
  // No name mends what cannot be parsed.
  if (used.length === 0 || ("faults" in alone && alone.faults.every(({ code }) => code === "unparsable"))) return alone;
  const path = "/in".repeat(used.length);
  const all = await client.check(`${used.map((name) => `const ${name} = null; `).join("")}\n${text}`);
  if ("faults" in all) return { faults: all.faults.map((fault) => within(fault, path)) };
  const { canonical, notes } = all.summary;
  const { from, to } = locate(canonical, path);
  const rest = await client.check(canonical.slice(from, to));
  if ("faults" in rest) return rest;
  return { summary: { ...rest.summary, notes: notes.filter(({ at }) => at.startsWith(path)).map((note) => within(note, path)) } };
}

/** What is told of a part of the program with the names, told of the program itself. */
function within<T extends Fault | Note>(it: T, path: string): T {
  const at = it.at.startsWith(path) ? it.at.slice(path.length) : it.at;
  const message = it.message.replace(/of line (\d+), column/g, (_, line) => `of line ${Number(line) - 1}, column`);
  return { ...it, at, message, ...(it.place === undefined ? {} : { place: above(it.place) }) };
}

function above(place: Place): Place {
  return { ...place, line: Math.max(1, place.line - 1) };
}
