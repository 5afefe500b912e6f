// How the page comes: its bytes, its time, the component's hash, and the page without a network.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isReady, open } from "./browser.mjs";
import { read, run, write } from "./hands.mjs";
import { test } from "./report.mjs";
import { serve } from "./server.mjs";

/** The goal for all that a first visit transfers. */
const MOST_BYTES = 600_000;
const ROUNDS = 5;

export async function loading({ browser, dist, component, embedded }) {
  const server = await serve([dist]);
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
    assert.deepEqual(evaluatorOf(embedded), { sha256, bytes: component.length });
    console.log(`        sha256 ${sha256}, ${component.length} bytes`);
  });
  await test(`a first visit transfers at most ${MOST_BYTES} bytes`, async () => {
    await page.waitForFunction(() => document.querySelector("#offline").textContent !== "");
    const total = server.sent.reduce((sum, { bytes }) => sum + bytes, 0);
    const files = server.sent.map(({ name, bytes }) => `${name} ${bytes}`);
    console.log(`        ${total} bytes in ${files.length} answers: ${files.join(", ")}`);
    assert.ok(!server.sent.some(({ name }) => name.includes("analyst")), "the analyst comes before anybody asks it");
    assert.ok(total <= MOST_BYTES, `${total} bytes`);
    assert.deepEqual(server.sent.filter(({ status }) => status !== 200), []);
  });
  const propose = async () => {
    const before = await read(page, "term");
    await write(page, "term", "");
    await page.keyboard.type("data.ma");
    await page.locator("#term .cm-tooltip-autocomplete").waitFor();
    await page.keyboard.press("Escape");
    await write(page, "term", before);
  };
  await test("the analyst comes with the first proposals, and is kept", async () => {
    await propose();
    assert.ok(server.sent.some(({ name, status }) => name.includes("analyst") && status === 200));
    const isKept = async () => (await caches.match(document.querySelector("[data-analyst]").dataset.analyst)) !== undefined;
    await page.waitForFunction(isKept);
  });
  await test("the page works without a network after the first visit", async () => {
    server.close();
    await context.setOffline(true);
    await page.reload();
    await isReady(page);
    assert.equal((await run(page)).chip, "list");
    await propose();
    await page.goto(`${server.url}?again#p=AAAA`);
    await isReady(page);
  });
  await test("loading leaves no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
  await update(browser, dist);
  await timing(browser, dist);
}

/** What the server tells of the evaluator in it. */
function evaluatorOf(server) {
  const clientInfo = { name: "playground tests", version: "1" };
  const messages = [
    { id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { id: 1, method: "tools/call", params: { name: "server_info", arguments: {} } },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const output = execFileSync(server, ["--ephemeral"], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
  const answer = output.trim().split("\n").map((line) => JSON.parse(line)).find(({ id }) => id === 1);
  const { sha256, bytes } = answer.result.structuredContent.evaluator;
  return { sha256, bytes };
}

/** A new version takes over when no page of the old one is open any more. */
async function update(browser, dist) {
  const next = join(dist, "../next");
  rmSync(next, { recursive: true, force: true });
  cpSync(dist, next, { recursive: true, filter: (name) => !/\.(br|gz)$/.test(name) });
  const edit = (name, from, to) => writeFileSync(join(next, name), readFileSync(join(next, name), "utf8").replace(from, to));
  edit("index.html", "<title>", "<title>next ");
  edit("sw.js", 'CACHE = "mcp-pif-', 'CACHE = "mcp-pif-next-');
  await test("a new version takes over when the old one is closed", async () => {
    const folders = [dist];
    const server = await serve(folders);
    const context = await browser.newContext();
    const visit = async () => {
      const page = await context.newPage();
      await page.goto(server.url);
      await page.waitForFunction(() => document.querySelector("#offline").textContent !== "");
      return page;
    };
    const old = await visit();
    folders[0] = next;
    await old.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await old.waitForFunction(async () => (await navigator.serviceWorker.ready).waiting !== null);
    await old.reload();
    assert.equal(await old.title(), "mcp-pif playground");
    assert.equal((await run(old)).chip, "list");
    await old.close();
    const fresh = await visit();
    await fresh.waitForFunction(async () => (await navigator.serviceWorker.ready).waiting === null);
    await fresh.reload();
    assert.equal(await fresh.title(), "next mcp-pif playground");
    assert.deepEqual((await fresh.evaluate(() => caches.keys())).filter((name) => !name.startsWith("mcp-pif-next-")), []);
    await context.close();
    server.close();
  });
}

/** From the start of the navigation to the outcome of the first run, Run being pressed as soon as it is there. */
async function timing(browser, dist) {
  const server = await serve([dist]);
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
