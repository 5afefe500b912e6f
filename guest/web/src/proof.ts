// The panel that checks receipts: a receipt and keys go in, and what is found is told.

import type { Client } from "./client.ts";
import { byId, figure, h } from "./dom.ts";
import { check } from "./receipt.ts";

/** Checks what the panel holds, and runs its program again with the page's evaluator. */
export async function verify(client: Client): Promise<void> {
  const text = (id: string) => byId<HTMLTextAreaElement>(`receipt-${id}`).value;
  const list = byId("receipt-found");
  list.replaceChildren();
  const tell = (word: string, isGood = true) => list.append(h("li", { class: isGood ? "good" : "bad" }, word));
  try {
    const { signer, run, program, compare } = await check(text("text"), text("keys"), text("revoked"));
    tell(`signed by ${signer}`);
    tell(`entry ${run.entry.number} of ${run.time}: ${run.ending}, fuel ${figure(run.fuel)}`);
    if (run.evaluator !== byId("component").dataset["sha256"]) {
      tell(`another evaluator made this run: sha256 ${run.evaluator.slice(0, 12)}…`, false);
    }
    if (typeof program === "string") return tell(`replay skipped: ${program}`, false);
    const difference = await compare(await client.run(program));
    tell(difference === undefined ? "replay equal" : `replay different: ${difference}`, difference === undefined);
  } catch (error) {
    tell(`refused: ${error instanceof Error ? error.message : String(error)}`, false);
  }
}

/** Has files fill the panel, and the button check what it holds. */
export function listen(ready: Promise<Client>): void {
  for (const id of ["receipt-text", "receipt-keys", "receipt-revoked"]) {
    const file = byId<HTMLInputElement>(`${id}-file`);
    file.addEventListener("change", async () => {
      byId<HTMLTextAreaElement>(id).value = (await file.files?.[0]?.text()) ?? "";
    });
  }
  byId("receipt-verify").addEventListener("click", () => void ready.then(verify));
}
