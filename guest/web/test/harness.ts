// Parts of the page by themselves: its client and worker, for programs that a test hands over instead of
// the editors, and how it shows what the evaluator of another version may say.

import { boot } from "../src/boot.ts";
import type { Ended, Program } from "../src/protocol.ts";
import { Visits } from "../src/steps.ts";

export { describe, markOfFault, notesOf, show } from "../src/problems.ts";
export { ended } from "../src/result.ts";

const client = await boot();

export const check = (code: string) => client.check(code);
export const print = (terms: string[]) => client.print(terms);

export function run(program: Program): Promise<Ended> {
  return client.run(program);
}

/** Steps through a program to its end; the lines that are not understood, and the value of the first step. */
export async function walk(program: Program): Promise<{ unread: string[]; first: string | undefined }> {
  const visits = new Visits();
  const unread: string[] = [];
  for (let next: Program | undefined = program; ; next = undefined) {
    const { lines, ended } = await client.walk(1_000, next);
    unread.push(...lines.filter((line) => !visits.hear(line)));
    if (ended === undefined) continue;
    if ("value" in ended.outcome) visits.end(ended.outcome.value.json);
    return { unread, first: visits.all[0]?.value };
  }
}
