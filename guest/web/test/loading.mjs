// How the page comes: its bytes, its time, the component's hash, and the page without a network.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { isReady, open } from "./browser.mjs";
import { run } from "./hands.mjs";
import { test } from "./report.mjs";
import { serve } from "./server.mjs";

/** The goal for all that a first visit transfers. */
const MOST_BYTES = 600_000;
const ROUNDS = 5;

export async function loading({ browser, dist, component }) {
  const server = await serve(dist);
  const sha256 = createHash("sha256").update(component).digest("hex");
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await test("the evaluator of the page is the one that the server embeds", async () => {
    const told = await page.getAttribute("#component", "data-sha256");
    assert.equal(told, sha256);
    const fetched = await page.evaluate(async () => {
      const { component } = document.querySelector("script[data-component]").dataset;
      const bytes = await (await fetch(component)).arrayBuffer();
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    });
    assert.equal(fetched, sha256);
    console.log(`        sha256 ${sha256}, ${component.length} bytes`);
  });
  await test(`a first visit transfers at most ${MOST_BYTES} bytes`, async () => {
    await page.waitForFunction(() => document.querySelector("#offline").textContent !== "");
    const total = server.sent.reduce((sum, { bytes }) => sum + bytes, 0);
    const files = server.sent.map(({ name, bytes }) => `${name} ${bytes}`);
    console.log(`        ${total} bytes in ${files.length} answers: ${files.join(", ")}`);
    assert.ok(total <= MOST_BYTES, `${total} bytes`);
    assert.deepEqual(server.sent.filter(({ status }) => status !== 200), []);
  });
  await test("the page works without a network after the first visit", async () => {
    server.close();
    await context.setOffline(true);
    await page.reload();
    await isReady(page);
    assert.equal((await run(page)).chip, "list");
    await page.goto(`${server.url}?again#p=AAAA`);
    await isReady(page);
  });
  await test("loading leaves no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
  await timing(browser, dist);
}

/** From the start of the navigation to the outcome of the first run, Run being pressed as soon as it is there. */
async function timing(browser, dist) {
  const server = await serve(dist);
  const times = [];
  await test("the first result comes soon after the page", async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.addInitScript(() => {
        addEventListener("DOMContentLoaded", () => document.getElementById("run").click());
      });
      await page.goto(server.url);
      await page.waitForFunction(() => performance.getEntriesByName("pif:ended").length > 0);
      times.push(await page.evaluate(() => performance.getEntriesByName("pif:ended")[0].startTime));
      assert.equal(await page.textContent("#result .chip"), "list");
      await context.close();
    }
    times.sort((a, b) => a - b);
    console.log(`        from the navigation to the first result: median ${times[ROUNDS >> 1].toFixed(0)} ms, ${times[0].toFixed(0)} to ${times.at(-1).toFixed(0)}`);
  });
  server.close();
}
