// Receipts of the server's runs, checked and run again in the page; the page has no network meanwhile.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isReady, open } from "./browser.mjs";
import { test } from "./report.mjs";

/** Copies of a receipt with a changed byte. */
const CHANGES = 150;

const TOOLS = [
  ["evolve", { name: "total", description: "Sums", code: "xs => ({sum: @std_summary(xs)})", output_schema: { type: "object" } }],
];

const RUNS = [
  ["run", { tool: "total", data: [4, 9] }],
  ["run", { code: "data.map(x => x * context_factor).sum()", data: [1, 2.5], context: { context_factor: 3 } }],
  ["run", { code: "[1].map(x => x / 0)" }],
  ["run", { code: "n => n < 3 ? self.continue(n + 1) : n", data: 1 }],
  ["run", { code: 'call("pif.analyze", {code: quote(x => x * 2), ask: ["type"]}).type' }],
  ["run", { code: "xs => xs.reduce((a, x) => a + x, 0)", input: [1, 2] }],
];

/** Has a server make calls in a folder. */
function call(server, folder, calls) {
  const message = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params });
  const client = { name: "receipts", version: "1" };
  const lines = [
    message(0, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client }),
    message(undefined, "notifications/initialized", {}),
    ...calls.map(([name, args], n) => message(n + 1, "tools/call", { name, arguments: args })),
  ];
  execFileSync(server, ["--data", folder], { input: `${lines.join("\n")}\n`, encoding: "utf8" });
}

/** Has a server make tools and runs in a folder; the numbers of the runs' entries. */
function work(server, folder) {
  // Calls that wait together end in any order.
  call(server, folder, TOOLS);
  call(server, folder, RUNS);
  const journal = execFileSync(server, ["journal", "--json", "--kind", "run", "--data", folder], { encoding: "utf8" });
  return journal.trim().split("\n").map((line) => JSON.parse(line).entry);
}

async function verify(page, receipt, keys, revoked = "") {
  await page.fill("#receipt-text", receipt);
  await page.fill("#receipt-keys", keys);
  await page.fill("#receipt-revoked", revoked);
  return page.evaluate(async () => {
    const list = document.getElementById("receipt-found");
    list.replaceChildren();
    document.getElementById("receipt-verify").click();
    const isOver = () => /^(refused|replay)/.test(list.lastElementChild?.textContent ?? "");
    while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 5));
    return [...list.children].map((item) => item.textContent);
  });
}

export async function receipts({ browser, server, embedded }) {
  const folder = mkdtempSync(join(tmpdir(), "pif-receipts-"));
  const mcp = (...args) => execFileSync(embedded, [...args, "--data", folder], { encoding: "utf8" });
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await page.click("#tab-receipt");
  const entries = work(embedded, folder);
  mcp("keys", "new");
  const keys = mcp("keys", "export");
  const all = entries.map((entry) => mcp("receipt", String(entry)));
  await context.setOffline(true);
  await test("receipts of the server are verified, and their runs are equal", async () => {
    assert.equal(all.length, RUNS.length);
    for (const receipt of all) {
      const found = await verify(page, receipt, keys);
      assert.match(found[0], /^signed by [0-9a-f]{64}$/);
      assert.equal(found.at(-1), "replay equal", `${found} of ${receipt.slice(0, 2000)}`);
    }
  });
  await test("a receipt with a changed byte is refused", async () => {
    const receipt = all[0].trim();
    const says = (text) => {
      const said = JSON.parse(text);
      for (const it of said.envelope.signatures) it.sig = atob(it.sig);
      return JSON.stringify({ ...said, envelope: { ...said.envelope, payload: atob(said.envelope.payload) } });
    };
    let refused = 0;
    for (let n = 0; n < CHANGES; n++) {
      const at = Math.floor((receipt.length * n) / CHANGES);
      const changed = receipt.slice(0, at) + String.fromCharCode(receipt.charCodeAt(at) ^ 1) + receipt.slice(at + 1);
      let isSame = false;
      try {
        isSame = says(changed) === says(receipt);
      } catch {
        // It is no receipt any more.
      }
      if (isSame) continue;
      const found = await verify(page, changed, keys);
      assert.match(found.at(-1), /^refused/, `byte ${at}: ${receipt.slice(at - 20, at + 20)}`);
      refused++;
    }
    assert.ok(refused > CHANGES / 2, `${refused} were refused`);
  });
  await test("keys that follow a trusted key count, and others do not", async () => {
    mcp("keys", "rotate");
    const receipt = mcp("receipt", String(entries[0]));
    assert.equal((await verify(page, receipt, keys)).at(-1), "replay equal");
    const { rotations, ...without } = JSON.parse(receipt);
    assert.equal(rotations.length, 1);
    const refused = ["refused: no trusted key has signed it"];
    assert.deepEqual(await verify(page, JSON.stringify(without), keys), refused);
    assert.deepEqual(await verify(page, all[0], ""), ["refused: there is no public key to trust"]);
  });
  await test("revoked keys count until their moment, as they do for the command", async () => {
    const [trusted, receipt] = [join(folder, "keys.pem"), join(folder, "receipt.json")];
    writeFileSync(trusted, keys);
    writeFileSync(receipt, all[0]);
    const id = /[0-9a-f]{64}/.exec(keys)[0];
    const lists = [
      [`# nobody\n${"0".repeat(64)}\n`, /^replay equal$/],
      [`${id} 2999-01-01`, /^replay equal$/],
      [`${id} 2020-01-31T00:00:00Z # a thief`, /^refused: its key [0-9a-f]{64} was revoked before it was signed$/],
      [`${id.toUpperCase()}\n`, /was revoked/],
      [`\n${id} soon`, /^refused: line 2 /],
    ];
    for (const [list, expected] of lists) {
      const said = (await verify(page, all[0], keys, list)).at(-1);
      assert.match(said, expected, list);
      const file = join(folder, "revoked.txt");
      writeFileSync(file, list);
      const told = spawnSync(embedded, ["receipt", "verify", receipt, "--trust", trusted, "--revoked", file]);
      assert.equal(told.status === 0, said === "replay equal", `${list}: ${told.stderr}`);
    }
  });
  await test("a bare receipt is verified and not run", async () => {
    const found = await verify(page, mcp("receipt", String(entries[0]), "--bare"), keys);
    assert.equal(found.at(-1), "replay skipped: the receipt has no texts");
  });
  await test("the page leaves no complaint of receipts", () => assert.deepEqual(complaints, []));
  await context.close();
  rmSync(folder, { recursive: true });
}
