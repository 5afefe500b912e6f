// The page's own client and worker, for programs that a test hands over instead of the editors.

import { boot } from "../src/boot.ts";
import type { Ended, Program } from "../src/protocol.ts";

const client = await boot();

export function run(program: Program): Promise<Ended> {
  return client.run(program);
}
