// Terms that do not end, and terms that want everything: the page stays as it is.

import assert from "node:assert/strict";
import { isReady, open } from "./browser.mjs";
import { checked, outcome, run, write } from "./hands.mjs";
import { test } from "./report.mjs";

const chip = (page, text) => page.waitForFunction((text) => document.querySelector("#result .chip")?.textContent === text, text);

export async function limits({ browser, server }) {
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await page.click("#limits summary");
  await endless(page);
  await greedy(page);
  await deaf(page);
  await test("limits leave no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
}

async function endless(page) {
  await test("while a loop without end runs, the page checks what is typed; then it is stopped", async () => {
    await page.fill("#fuel", "1000000000");
    await page.selectOption("#examples", { label: "A loop without end" });
    for (let n = 0; n < 3; n++) {
      await page.click("#run");
      await page.waitForFunction(() => /[1-9].*fuel/.test(document.querySelector("#result .status")?.textContent ?? ""));
      await page.fill("#name", "forever");
      await write(page, "term", `{"add": [${n}, {"foo": 1}]}`);
      await checked(page, /^1 fault$/);
      assert.equal((await outcome(page)).chip, "running");
      await page.click("#stop");
      await chip(page, "cancelled");
      await page.selectOption("#examples", { label: "A loop without end" });
    }
  });
  await test("the next run works", async () => {
    await page.fill("#name", "");
    await write(page, "term", '{"add": [1, 2]}');
    await page.check('input[name="argument"][value="none"]');
    assert.equal((await run(page)).value, "3");
  });
  await test("a second run takes the place of the first", async () => {
    await page.selectOption("#examples", { label: "A loop without end" });
    await page.click("#run");
    await chip(page, "running");
    await page.fill("#name", "");
    await write(page, "term", "77");
    await page.check('input[name="argument"][value="none"]');
    await page.click("#run");
    await page.waitForFunction(() => document.querySelector("#result .value")?.textContent === "77");
  });
}

const BOMBS = {
  "a text that doubles": '{"fold": [{"lam": "p", "body": {"concat": [{"fst": {"var": "p"}}, {"fst": {"var": "p"}}]}}, "xxxxxxxx", {"range": [0, 60]}]}',
  "a list that doubles": '{"fold": [{"lam": "p", "body": {"append": [{"fst": {"var": "p"}}, {"fst": {"var": "p"}}]}}, [1, 2], {"range": [0, 60]}]}',
  "a list of 10^8": '{"range": [0, 100000000]}',
  "a text of 10^9": '{"repeat": ["x", 1000000000]}',
};

async function greedy(page) {
  for (const [name, bomb] of Object.entries(BOMBS)) {
    await test(`a memory bomb is survived: ${name}`, async () => {
      await write(page, "term", bomb);
      assert.equal((await run(page)).chip, "too-large");
      await write(page, "term", '{"add": [1, 2]}');
      assert.equal((await run(page)).value, "3");
    });
  }
  await test("a recursion without end is survived", async () => {
    await page.fill("#name", "deep");
    await write(page, "term", '{"lam": "n", "body": {"add": [1, {"app": {"func": {"self": true}, "arg": {"var": "n"}}}]}}');
    await page.check('input[name="argument"][value="data"]');
    await write(page, "argument", "0");
    assert.equal((await run(page)).chip, "too-deep");
    await page.fill("#name", "");
    await page.check('input[name="argument"][value="none"]');
  });
}

/** A worker that hears nothing: `distinct` of millions is one piece of work that takes seconds. */
async function deaf(page) {
  await test("a worker that hears no stop is replaced", async () => {
    await page.fill("#memory", "512");
    await write(page, "term", '{"length": {"distinct": {"range": [0, 9000000]}}}');
    await page.click("#run");
    await chip(page, "running");
    await page.waitForTimeout(300); // by now the numbers are there, and the work has begun
    await page.click("#stop");
    await chip(page, "cancelled");
    assert.match((await outcome(page)).message, /with its worker/);
    await write(page, "term", '{"add": [1, 2]}');
    await checked(page, /^add/);
    assert.equal((await run(page)).value, "3");
  });
  await test("a step that takes long is stopped too", async () => {
    await write(page, "term", '{"length": {"distinct": {"range": [0, 9000000]}}}');
    await page.click("#step");
    await page.waitForTimeout(300);
    await page.click("#stop");
    await chip(page, "cancelled");
    await write(page, "term", '{"add": [1, 2]}');
    await page.click("#step");
    await page.waitForFunction(() => /^1add/.test(document.querySelector("#walk-list .present")?.textContent ?? ""));
  });
}
