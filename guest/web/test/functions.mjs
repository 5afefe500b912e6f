// What the page does, by clicking and typing.

import assert from "node:assert/strict";
import { isReady, open } from "./browser.mjs";
import { checked, choose, outcome, read, run, underlined, write } from "./hands.mjs";
import { test } from "./report.mjs";

export async function functions({ browser, server }) {
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await checking(page);
  await running(page);
  await tools(page);
  await sharing(browser, page);
  await looks(page);
  await test("the page leaves no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
}

async function checking(page) {
  await test("a term is described while it is typed", async () => {
    await write(page, "term", '{"lam": "x", "body": {"add": [{"var": "x"}, {"var": "y"}]}}');
    await checked(page, /^lam, 4 forms · unbound: y · /);
  });
  await test("a fault is underlined at its place, with message and hint", async () => {
    await write(page, "term", '{"add": [1, {"lenght": "abc"}]}');
    await checked(page, /^1 fault$/);
    assert.equal(await underlined(page, "term"), '{"lenght": "abc"}');
    const row = await page.textContent("#problems li");
    assert.match(row, /unknown-form/);
    assert.match(row, /did you mean length\?/);
    assert.match(row, /\/add\/1/);
  });
  await test("a text that is no JSON is underlined where it goes wrong", async () => {
    await write(page, "term", '{"add": ["é",\n  1, ] }');
    await checked(page, /^1 fault$/);
    assert.equal(await underlined(page, "term"), "]");
    await write(page, "term", '{"add": [1, 2');
    await checked(page, /^1 fault$/);
    assert.equal(await underlined(page, "term"), "2");
  });
  await test("the tooltip of a fault says what the list says", async () => {
    await page.locator("#term .cm-lintRange-error").first().hover();
    const tooltip = page.locator("#term .cm-tooltip-lint");
    await tooltip.waitFor();
    assert.match(await tooltip.textContent(), /unparsable/);
  });
  await test("a warning is underlined", async () => {
    await write(page, "term", '{"if": {"cond": true, "then": 1, "else": 2}}');
    await checked(page, /^if/);
    assert.equal(await underlined(page, "term", "warning"), "true");
  });
  await test("forms are offered while a key is typed", async () => {
    await write(page, "term", "");
    await page.keyboard.press("Delete");
    await page.keyboard.type('{"upp');
    const list = page.locator("#term .cm-tooltip-autocomplete");
    await list.waitFor();
    assert.match(await list.textContent(), /^upperstrings/);
    await page.waitForTimeout(100); // a choice made at once would be taken for typing
    await page.keyboard.press("Enter");
    await page.keyboard.type('"abc"}');
    assert.equal(await read(page, "term"), '{"upper": "abc"}');
    assert.equal((await run(page)).value, '"ABC"');
  });
  await test("Format breaks lines and keeps numbers as they are written", async () => {
    const long = `{"add": [${"123456789012345678901234567890, ".repeat(4)}1e2]}`;
    await write(page, "term", long);
    await checked(page, /^add/);
    await page.click("#format");
    const text = await read(page, "term");
    assert.ok(text.split("\n").length > 4, text);
    assert.equal(text.replace(/\s/g, ""), long.replace(/\s/g, ""));
  });
}

async function running(page) {
  await test("Ctrl+Enter runs the term", async () => {
    await write(page, "term", '{"mul": [123456789012345678901234567890, 10]}');
    const found = await run(page, () => page.keyboard.press("Control+Enter"));
    assert.equal(found.value, "1234567890123456789012345678900");
    assert.equal(found.chip, "integer");
    assert.match(found.figures, /fuel111/);
    await page.waitForFunction(() => document.querySelector("#announce").textContent.startsWith("The value is 12345"));
  });
  await test("a fault of a run is marked in the editor, and its place leads there", async () => {
    await write(page, "term", '[1, {"div": [7, {"sub": [2, 2]}]}]');
    const found = await run(page);
    assert.equal(found.chip, "divide-by-zero");
    assert.equal(found.at, "/1");
    assert.equal(await underlined(page, "term"), '{"div": [7, {"sub": [2, 2]}]}');
    await page.click("#result .where button");
    await page.keyboard.insertText("5");
    assert.equal(await read(page, "term"), "[1, 5]");
    assert.equal(await page.locator("#term .cm-lintRange-error").count(), 0);
  });
  await test("data and input are what the term is applied to", async () => {
    await write(page, "term", '{"lam": "x", "body": {"var": "x"}}');
    await choose(page, "data");
    await write(page, "argument", '["42", {"add": [1, 2]}]');
    assert.equal((await run(page)).value, '["42", {"add": [1, 2]}]');
    await choose(page, "input");
    assert.equal((await run(page)).value, "[42, 3]");
  });
  await test("a fault of the data is marked in the data", async () => {
    await choose(page, "data");
    await write(page, "argument", '{"a": [1, {"b": 1.5e999}]}');
    assert.equal((await run(page)).chip, "not-finite");
    assert.equal(await underlined(page, "argument"), "1.5e999");
    assert.match(await page.textContent("#argument-problems"), /\/data\/a\/1\/b/);
    await choose(page, "none");
  });
  await test("the members of the context are variables, and its faults are marked in it", async () => {
    await write(page, "context", '{"rate": 3, "name": "Ada"}');
    await write(page, "term", '{"mul": [{"var": "rate"}, 7]}');
    await checked(page, /^mul, 2 forms · pure/);
    assert.equal((await run(page)).value, "21");
    await write(page, "context", '{"rate": [1, 1.5e999]}');
    assert.equal((await run(page)).chip, "not-finite");
    assert.equal(await underlined(page, "context"), "1.5e999");
    assert.match(await page.textContent("#context-problems"), /\/context\/rate\/1/);
    await page.click("#result .where button");
    await page.keyboard.insertText("2");
    assert.equal(await read(page, "context"), '{"rate": [1, 2]}');
    await write(page, "context", "[1]");
    assert.equal((await run(page)).chip, "malformed");
    await write(page, "context", " ");
  });
  await test("warnings and trace lines are shown", async () => {
    await write(page, "term", '{"trace": ["here", {"add": [3, 4], "sub": [1, 1]}]}');
    await run(page);
    const text = await page.textContent("#result");
    assert.match(text, /Warnings.*ignored-key/);
    assert.match(text, /Trace.*here/);
  });
  await test("an effect is denied", async () => {
    await write(page, "term", '{"perform": {"capability": "clock", "args": null}}');
    assert.equal((await run(page)).chip, "capability-denied");
  });
  await test("fuel, depth and memory are limits", async () => {
    await page.click("#limits summary");
    const limited = async (id, value, text, code) => {
      const before = await page.inputValue(`#${id}`);
      await page.fill(`#${id}`, value);
      await write(page, "term", text);
      assert.equal((await run(page)).chip, code, id);
      await page.fill(`#${id}`, before);
    };
    await limited("fuel", "5", "[1, 2, 3, 4, 5, 6]", "out-of-fuel");
    await limited("depth", "3", '{"neg": {"neg": {"neg": {"neg": {"neg": 1}}}}}', "too-deep");
    await limited("memory", "1", '{"range": [0, 1000000]}', "too-large");
    await page.click("#limits summary");
  });
}

async function tools(page) {
  await test("a saved tool is called by its name, also after a reload", async () => {
    await page.fill("#name", "double");
    await write(page, "term", '{"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}');
    await page.keyboard.press("Control+s");
    await page.fill("#name", "");
    await write(page, "term", '{"app": {"func": {"tool": "double"}, "arg": 21}}');
    assert.equal((await run(page)).value, "42");
    await page.reload();
    await isReady(page);
    assert.match(await read(page, "term"), /"tool": "double"/);
    assert.equal((await run(page)).value, "42");
  });
  await test("a fault inside a tool leads into the tool", async () => {
    await write(page, "term", '{"app": {"func": {"tool": "double"}, "arg": "no"}}');
    assert.equal((await run(page)).chip, "type-mismatch");
    assert.equal(await page.locator("#term .cm-lintRange-error").count(), 0);
    await page.click("#result .where button");
    assert.equal(await page.inputValue("#name"), "double");
    assert.match(await read(page, "term"), /^\{"lam"/);
  });
  await test("self is the named term; a missing tool is unknown", async () => {
    await page.selectOption("#examples", { label: "Factorial, a tool that calls itself" });
    assert.equal((await run(page)).value, "15511210043330985984000000");
    await page.fill("#name", "");
    await choose(page, "none");
    await write(page, "term", '{"tool": "nobody"}');
    assert.equal((await run(page)).chip, "unknown-tool");
  });
  await test("a continuation is driven step by step, and to its end", async () => {
    await page.selectOption("#examples", { label: "A continuation, step by step" });
    assert.equal((await run(page)).chip, "continuation");
    const button = (name) => page.getByRole("button", { name });
    assert.match((await run(page, () => button("Continue: step 1").click())).value, /"next_input": 1/);
    await button("Continue to the end").click();
    await page.waitForFunction(() => document.querySelector("#result .value")?.textContent === '"lift-off"');
  });
  await test("a tool is opened and deleted", async () => {
    await page.click("#tab-toolbox");
    await page.getByRole("button", { name: "Open double" }).click();
    assert.equal(await page.inputValue("#name"), "double");
    await page.getByRole("button", { name: "Delete double" }).click();
    assert.equal(await page.locator('[data-tool="double"]').count(), 0);
    assert.equal(await page.evaluate(() => localStorage.getItem("mcp-pif.tools")), "{}");
  });
  await test("changes of tools are tried before they count", async () => {
    const kept = () => page.evaluate(() => localStorage.getItem("mcp-pif.tools"));
    await page.check("#try-first");
    await page.fill("#name", "triple");
    await write(page, "term", "x => x * 3");
    await page.click("#save");
    assert.equal(await page.locator('[data-tool="triple"]').count(), 1);
    assert.equal(await kept(), "{}");
    await page.fill("#name", "");
    await write(page, "term", "@triple(14)");
    await choose(page, "none");
    assert.equal((await run(page)).value, "42");
    await page.click("#tab-toolbox");
    await page.click("#staged-discard");
    assert.equal(await page.locator('[data-tool="triple"]').count(), 0);
    await page.fill("#name", "triple");
    await write(page, "term", "x => x * 3");
    await page.click("#save");
    await page.click("#tab-toolbox");
    await page.click("#staged-commit");
    assert.equal(await kept(), '{"triple":"x => x * 3"}');
    await page.uncheck("#try-first");
    await page.getByRole("button", { name: "Delete triple" }).click();
    assert.equal(await kept(), "{}");
    await page.fill("#name", "");
  });
}

async function sharing(browser, page) {
  await test("a link holds program, name and data, and runs nothing by itself", async () => {
    await page.fill("#name", "greet");
    await write(page, "term", '{"lam": "x", "body": {"concat": ["für ", {"var": "x"}]}}');
    await choose(page, "data");
    await write(page, "argument", '"𝔘ma & <b>"');
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#p="));
    const other = await open(browser, page.url());
    await isReady(other.page);
    assert.equal(await other.page.inputValue("#name"), "greet");
    assert.match(await other.page.textContent("#result"), /Press Run/);
    assert.equal((await run(other.page)).value, '"für 𝔘ma & <b>"');
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });
  await test("a link and the draft hold the context and the text as it is written", async () => {
    const code = "// ümlaut\ndata.map(x  =>  x * k)";
    await page.fill("#name", "");
    await write(page, "term", code);
    await write(page, "argument", "[1, 2]");
    await write(page, "context", '{"k": 5}');
    await page.click("#share");
    await page.waitForFunction(() => document.querySelector("#toast").textContent.startsWith("The link"));
    const other = await open(browser, page.url());
    await isReady(other.page);
    assert.equal(await read(other.page, "term"), code);
    assert.equal(await read(other.page, "context"), '{"k": 5}');
    assert.equal((await run(other.page)).value, "[5, 10]");
    await other.context.close();
    await page.goto(page.url().replace(/#.*/, ""));
    await isReady(page);
    assert.equal(await read(page, "term"), code);
    assert.equal(await read(page, "context"), '{"k": 5}');
    await write(page, "context", " ");
    await page.fill("#name", "greet");
    await write(page, "term", '{"lam": "x", "body": {"concat": ["für ", {"var": "x"}]}}');
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#p="));
  });
  await test("a link that is looked at leaves the draft alone; what is edited is kept", async () => {
    const link = page.url();
    const plain = link.replace(/#.*/, "");
    const visit = async (url) => {
      await page.goto("about:blank");
      await page.goto(url);
      await isReady(page);
    };
    await visit(plain);
    await write(page, "term", '"my own"');
    await visit(link);
    assert.match(await read(page, "term"), /concat/);
    await visit(plain);
    assert.equal(await read(page, "term"), '"my own"');
    await visit(link);
    await write(page, "term", '"edited"');
    await page.waitForFunction(() => location.hash === "");
    await page.reload();
    await isReady(page);
    assert.equal(await read(page, "term"), '"edited"');
  });
}

async function looks(page) {
  await test("the theme changes and stays", async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.click("#theme");
    await page.click("#theme");
    const dark = await background();
    assert.notEqual(dark, light);
    await page.reload();
    await isReady(page);
    assert.equal(await background(), dark);
    await page.click("#theme");
  });
  await test("nothing overflows at 360 pixels", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const tab of ["result", "tree", "steps", "reference", "toolbox"]) {
      await page.click(`#tab-${tab}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${tab}: ${width} pixels`);
    }
    for (const argument of ["none", "input", "data"]) {
      const label = page.locator("label", { has: page.locator(`input[value="${argument}"]`) });
      assert.ok((await label.boundingBox()).width > 30, `${argument} cannot be chosen`);
    }
    await run(page);
    const top = await page.evaluate(() => document.querySelector(".read").getBoundingClientRect().top);
    assert.ok(top < 740, `the outcome begins at ${top}`);
    await page.setViewportSize({ width: 1280, height: 860 });
  });
  await test("the page is used by the keyboard alone", async () => {
    await page.reload();
    await isReady(page);
    await page.locator("#term .cm-content").focus();
    await page.keyboard.press("Tab");
    const isOut = await page.evaluate(() => document.activeElement?.id !== "term");
    assert.ok(isOut, "Tab does not leave the editor");
    for (let n = 0; n < 20 && (await page.evaluate(() => document.activeElement?.id)) !== "run"; n++) {
      await page.keyboard.press("Tab");
    }
    const found = await run(page, () => page.keyboard.press("Enter"));
    assert.ok(found.chip !== undefined, JSON.stringify(await outcome(page)));
  });
}
