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
  await values(page, examples);
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
    assert.equal(await page.textContent("#walk-list tr:nth-child(1) .came"), "7");
    await page.click("#walk-next");
    assert.match(await present(), /^3mul6\/app\/arg/);
    assert.equal(await spot(page), '{"mul": [2, 3]}');
    await page.click("#walk-back");
    assert.match(await present(), /^2lam/);
    assert.match(await spot(page), /^\{"lam"/);
  });
  await test("the last step gives the value", async () => {
    await page.click("#walk-ten");
    await page.waitForFunction(() => document.querySelector("#walk-position").textContent.startsWith("All 8 steps are done"));
    assert.deepEqual(await came(page), ["7", "", "6", "2", "3", "7", "6", "1"]);
    await page.click("#tab-result");
    assert.equal(await page.textContent("#result .value"), "7");
  });
  await test("a long evaluation is stepped through in batches", async () => {
    await page.selectOption("#examples", { label: "A loop without end" });
    await page.keyboard.press("Control+Shift+Enter");
    await page.waitForSelector("#walk-list .present");
    for (let n = 0; n < 5; n++) await page.click("#walk-hundred");
    await page.waitForFunction(() => document.querySelector("#walk-list .present .number").textContent === "501");
    assert.match(await page.textContent("#walk-position"), /^Step 501 of more than [\d\u202f]+$/);
    assert.match(await page.textContent("#walk-name-list"), /^n\d+$/);
    await page.fill("#name", "");
    assert.match(await page.textContent("#walk-position"), /^Nothing/);
  });
}

const came = (page) => page.locator("#walk-list .came").allTextContents();

/** What terms came to, and the names in reach. */
async function values(page, examples) {
  await test("beside each step stands its value, and the names in reach have theirs", async () => {
    await page.check('input[name="argument"][value="none"]');
    await write(page, "term", 'const xs = range(0, 100);\nconst label = "a, b = \\"c\\"";\n[xs.length(), label]');
    await checked(page, /^let/);
    await page.click("#step");
    await page.waitForSelector("#walk-list .present");
    assert.equal(await page.locator("#walk-names").isVisible(), false);
    for (let n = 0; n < 6; n++) await page.click("#walk-next");
    const names = await page.locator("#walk-name-list tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(names[0], ["label", '"a, b = \\"c\\""']);
    assert.match(names[1][1], /^\[0,1,2,.*… \(100 elements\)$/);
    assert.equal(await page.textContent("#walk-list .present .came"), '[100,"a, b = \\"c\\""]');
    assert.equal(await spot(page), "[");
    assert.match(await page.locator("#other .spot").allTextContents().then((all) => all.join("")), /^\[/);
  });
  await test("a tail call comes to what it leads to", async () => {
    await page.selectOption("#examples", { label: "A continuation, step by step" });
    await write(page, "term", '{"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 0]}, "then": "end", "else": {"app": {"func": {"self": true}, "arg": {"sub": [{"var": "n"}, 1]}}}}}}');
    await page.click("#step");
    await page.waitForSelector("#walk-list .present");
    await page.click("#walk-hundred");
    await page.waitForFunction(() => document.querySelector("#walk-position").textContent.startsWith("All"));
    const rows = await page.locator("#walk-list tr").allTextContents();
    assert.ok(rows.filter((row) => /^\d+(?:if|app)/.test(row)).every((row) => /^\d+(?:if|app)"end"/.test(row)), rows.join("\n"));
    await page.fill("#name", "");
    await page.check('input[name="argument"][value="none"]');
  });
  await test(`the lines of the ${examples.length} examples are understood, and the first step comes to the result`, async () => {
    const found = await page.evaluate(async (programs) => {
      const { walk } = await import("./harness.js");
      const all = [];
      for (const program of programs) all.push(await walk(program));
      return all;
    }, examples.map(({ program }) => program));
    examples.forEach(({ name, value }, n) => {
      const { unread, first } = found[n];
      assert.deepEqual(unread, [], name);
      const [, beginning] = /^(.*?)(?:…"?(?: \(.*\))?)?$/s.exec(first ?? "");
      assert.ok(first !== undefined && value.replace(/\s/g, "").startsWith(beginning.replace(/\s/g, "")), `${name}: ${first}`);
    });
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
      const example = page.locator(`[data-form="${form}"] .example code`).first();
      assert.equal(await read(page, "term"), await example.textContent());
      assert.equal(await example.getAttribute("title"), program.code.text);
    }
  });
}

/** What the evaluator tells of a term beside its value. */
async function advice(page) {
  await test("every fault, and every note on a term, is shown with its place", async () => {
    await write(page, "term", '{"mul": [{"ad": [1, 2]}, {"subb": [2, 1]}]}');
    await page.waitForFunction(() => document.querySelectorAll("#problems li").length === 2);
    const faults = await page.$$eval("#problems li", (rows) => rows.map((row) => row.textContent));
    assert.match(faults[0], /unknown-form.*\/mul\/0.*did you mean `?add.*\{"ad":\[1,2\]\}/s);
    assert.match(faults[1], /unknown-form.*\/mul\/1.*did you mean `?sub.*\{"subb":\[2,1\]\}/s);
    await write(page, "term", '["add", 1, 2]');
    await page.waitForFunction(() => document.querySelectorAll("#problems li.warning").length === 1);
    const note = await page.$eval("#problems li", (row) => row.textContent);
    assert.match(note, /^likely-mistake: /);
    await checked(page, /pure/);
  });
}
