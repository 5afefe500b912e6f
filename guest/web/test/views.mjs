// The tree, the steps and the reference.

import assert from "node:assert/strict";
import { isReady, open } from "./browser.mjs";
import { checked, read, run, write } from "./hands.mjs";
import { test } from "./report.mjs";

export async function views({ browser, server, examples }) {
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await tree(page);
  await steps(page);
  await reference(page, examples);
  await advice(page);
  await test("tree, steps and reference leave no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
}

const rows = (page) => page.locator('#tree-root [role="treeitem"]:visible > .node').allTextContents();
const spot = async (page) => (await page.locator("#term .spot").allTextContents()).join("");

async function tree(page) {
  await test("the tree has the operands under their names", async () => {
    await write(page, "term", '{"let": [["add", 1]], "in": {"if": {"cond": {"eq": [{"var": "add"}, {"nil": true}]}, "then": [], "else": {"quote": {"not": true}}}}}');
    await checked(page, /^let/);
    await page.click("#tab-tree");
    const found = await rows(page);
    assert.deepEqual(found, ["let", "add1number", "inif", "condeq", "0varadd", "1nil", "thenlist", "elsequote", "nottrue"]);
  });
  await test("a click on a node shows it in the editor", async () => {
    await page.locator("#tree-root .head", { hasText: "eq" }).click();
    assert.equal(await spot(page), '{"eq": [{"var": "add"}, {"nil": true}]}');
  });
  await test("arrows walk about the tree, fold and unfold it", async () => {
    const press = (key) => page.keyboard.press(key);
    await page.locator('#tree-root > [role="treeitem"]').focus();
    await press("ArrowDown");
    await press("ArrowDown");
    await press("ArrowLeft");
    assert.deepEqual(await rows(page), ["let", "add1number", "inif"]);
    await press("ArrowRight");
    await press("ArrowRight");
    await press("Enter");
    assert.match(await spot(page), /^\{"eq"/);
    await press("Home");
    assert.equal(await page.evaluate(() => document.activeElement.querySelector(".head").textContent), "let");
    await press("End");
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^not/);
  });
  await test("the tree of a big term is bounded, and goes on when it is asked to", async () => {
    await write(page, "term", `{"sum": [[${"12345, ".repeat(100_000)}1]]}`);
    await checked(page, /^sum/);
    const count = () => page.locator('#tree-root [role="treeitem"]').count();
    const first = await count();
    assert.ok(first < 200, `${first} rows`);
    await page.locator("#tree-root .more").first().click();
    assert.ok((await count()) > first);
  });
  await test("the tree of a term of 20,000 levels is drawn, and the page goes on", async () => {
    await write(page, "term", `${'{"neg":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    await checked(page, /^neg, 20000 forms/);
    assert.equal((await rows(page))[0], "neg");
  });
}

async function steps(page) {
  const present = () => page.textContent("#walk-list .present");
  await test("an evaluation is stepped through, on and back", async () => {
    await write(page, "term", '{"app": {"func": {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}, "arg": {"mul": [2, 3]}}}');
    await checked(page, /^app/);
    await page.click("#step");
    await page.waitForSelector("#walk-list .present");
    assert.match(await present(), /^1app/);
    await page.click("#walk-next");
    assert.match(await present(), /^2lam/);
    await page.click("#walk-next");
    assert.match(await present(), /^3mul\/app\/arg/);
    assert.equal(await spot(page), '{"mul": [2, 3]}');
    await page.click("#walk-back");
    assert.match(await present(), /^2lam/);
    assert.match(await spot(page), /^\{"lam"/);
  });
  await test("the last step gives the value", async () => {
    await page.click("#walk-ten");
    await page.waitForFunction(() => document.querySelector("#walk-position").textContent.startsWith("All 8 steps are done"));
    await page.click("#tab-result");
    assert.equal(await page.textContent("#result .value"), "7");
  });
  await test("a long evaluation is stepped through in batches", async () => {
    await page.selectOption("#examples", { label: "A loop without end" });
    await page.keyboard.press("Control+Shift+Enter");
    await page.waitForSelector("#walk-list .present");
    for (let n = 0; n < 5; n++) await page.click("#walk-hundred");
    await page.waitForFunction(() => document.querySelector("#walk-list .present .number").textContent === "501");
    assert.match(await page.textContent("#walk-position"), /^Step 501 of more than \d+, names in reach: n$/);
    await page.fill("#name", "");
    assert.match(await page.textContent("#walk-position"), /^Nothing/);
  });
}

async function reference(page, examples) {
  await test("the reference is searched", async () => {
    await page.click("#tab-reference");
    await page.fill("#search", "fold");
    assert.match(await page.textContent("#found"), new RegExp(`^\\d+ of ${examples.length} forms$`));
    assert.ok(await page.locator('[data-form="fold"]').isVisible());
    assert.ok(!(await page.locator('[data-form="date_parse"]').isVisible()));
    await page.fill("#search", "");
    assert.equal(await page.locator("#forms article:visible").count(), examples.length);
  });
  await test(`each of the ${examples.length} examples runs by a click, with the result beside it`, async () => {
    for (const { name, program, value } of examples) {
      await page.click("#tab-reference");
      const form = name.slice("example/".length);
      const found = await run(page, () => page.locator(`[data-form="${form}"] button`).click());
      const shown = found.value?.replace(/\s/g, "");
      assert.equal(shown, value.replace(/\s/g, ""), form);
      assert.equal(await read(page, "term"), program.code.text);
    }
  });
}

/** What the evaluator tells of a term beside its value. */
async function advice(page) {
  await test("every fault, and every note on a term, is shown with its place", async () => {
    await write(page, "term", '[{"ad": [1, 2]}, {"subb": [2, 1]}]');
    await page.waitForFunction(() => document.querySelectorAll("#problems li").length === 2);
    const faults = await page.$$eval("#problems li", (rows) => rows.map((row) => row.textContent));
    assert.match(faults[0], /unknown-form.*\/0.*did you mean add.*\{"ad":\[1,2\]\}/s);
    assert.match(faults[1], /unknown-form.*\/1.*did you mean sub.*\{"subb":\[2,1\]\}/s);
    await write(page, "term", '["add", 1, 2]');
    await page.waitForFunction(() => document.querySelectorAll("#problems li.warning").length === 1);
    const note = await page.$eval("#problems li", (row) => row.textContent);
    assert.match(note, /^likely-mistake: /);
    await checked(page, /pure/);
  });
}
