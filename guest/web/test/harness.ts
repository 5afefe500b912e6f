// Parts of the page by themselves: its client and worker, for programs that a test hands over instead of
// the editors, and how it shows what the evaluator of another version may say.

import { boot } from "../src/boot.ts";
import type { Ended, Program } from "../src/protocol.ts";

export { describe, markOfFault, notesOf, show } from "../src/problems.ts";
export { ended } from "../src/result.ts";

const client = await boot();

export function run(program: Program): Promise<Ended> {
  return client.run(program);
}
