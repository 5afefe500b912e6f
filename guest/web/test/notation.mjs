// The two notations: their colours, what is in reach in them, and the page that has one beside the other.

import assert from "node:assert/strict";
import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isReady, open } from "./browser.mjs";
import { checked, choose, read, run, underlined, write } from "./hands.mjs";
import { test } from "./report.mjs";

const here = dirname(fileURLToPath(import.meta.url));

export async function notation({ browser, server, dist, examples }) {
  const parts = await load(dist);
  await colours(parts, examples);
  await reach(parts);
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await beside(page);
  await problems(page);
  await completion(page);
  await printed(page, parts, examples);
  await test("the notations leave no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
}

/** Parts of the page that need no browser. */
async function load(dist) {
  const outfile = join(dist, "../harness/parts.mjs");
  const contents = `export * from "./notation.ts"; export * from "./reach.ts"; export * from "./steps.ts";
    export { highlightTree, tagHighlighter, tags } from "@lezer/highlight";`;
  const stdin = { contents, resolveDir: join(here, "../src"), loader: "ts" };
  const alias = { table: join(dist, "../evaluator/table.json") };
  await build({ stdin, outfile, bundle: true, format: "esm", platform: "node", alias });
  return import(pathToFileURL(outfile).href);
}

/** The parts of a text, each with its colour. */
function painted({ notation, highlightTree, tagHighlighter, tags }, text, forms) {
  const language = notation((name) => forms.includes(name));
  const names = { keyword: tags.keyword, atom: tags.atom, number: tags.number, string: tags.string, comment: tags.comment, key: tags.propertyName, form: tags.function(tags.variableName), tool: tags.labelName, name: tags.variableName };
  const highlighter = tagHighlighter(Object.entries(names).map(([name, tag]) => ({ tag, class: name })));
  const found = [];
  highlightTree(language.parser.parse(text), highlighter, (from, to, name) => found.push(`${name} ${text.slice(from, to)}`));
  return found;
}

async function colours(parts, examples) {
  const forms = examples.map(({ name }) => name.slice("example/".length));
  await test("words, forms, keys, texts and tools have their colours", () => {
    const text = "const a = `x${b.map(c => {k: 'é'})}y`; // é\nif (true) return @tool(toUpperCase(a), map, 1.5e3)";
    assert.deepEqual(painted(parts, text, forms), [
      "keyword const", "name a", "string `x", "name b", "form map", "name c", "key k", "string 'é'", "string y`", "comment // é",
      "keyword if", "atom true", "keyword return", "tool @tool", "form toUpperCase", "name a", "name map", "number 1.5e3",
    ]);
  });
  await test("a comment and a text go over lines", () => {
    assert.deepEqual(painted(parts, "/* a\n b */ 1 + `c\n${d}\ne`", forms), ["comment /* a", "comment  b */", "number 1", "string `c", "name d", "string e`"]);
  });
  await test("which of the two notations a text is in", () => {
    const isJson = (text) => parts.isJson(text, (name) => forms.includes(name));
    for (const text of ['{"add": [1, 2]}', ' [ {"add": [1', '{"a": 1, "x": {"add": []}}', '{"ad']) assert.ok(isJson(text), text);
    for (const text of ["1 + 2", '{"a": 1}', "[1, 2]", "{add: 1}", "", '"add"', "{", '({"add": 1})']) assert.ok(!isJson(text), text);
  });
}

async function reach({ jsonPlace, members, pairs }) {
  const at = (text) => [text.replace("|", ""), text.indexOf("|")];
  await test("names in reach in JSON, and what is being written there", () => {
    const text = '{"lam": ["a", "b"], "body": {"let": [["c", {"lam": "d", "body": 1}], ["e", 2]], "in": {"get": [{"var": "a"}, "|';
    const found = jsonPlace(...at(text));
    assert.deepEqual(found.names.sort(), ["a", "b", "c", "e"]);
    assert.deepEqual([found.key, found.index, found.isKey], ["get", 1, false]);
    assert.equal(jsonPlace(...at('{"lam": "x", "body": {"|')).isKey, true);
    assert.equal(jsonPlace(...at('{"var": "x"}|')).literal, -1);
  });
  await test("members of data, with their kinds", () => {
    assert.deepEqual([...members('[{"a": 1, "b": {"c": [null]}}]')], [["a", "number"], ["b", "record"], ["c", "list"]]);
    assert.deepEqual([...members("[{")], []);
  });
  await test("names and values of a step, whatever is in them", () => {
    assert.deepEqual(pairs('x = [1,2], y = "a, z = \\"b\\"", f = "<function>", t = "abc…" (90 characters)'), [["x", "[1,2]"], ["y", '"a, z = \\"b\\""'], ["f", '"<function>"'], ["t", '"abc…" (90 characters)']]);
  });
}

async function beside(page) {
  const other = (text) => page.waitForFunction((text) => document.querySelector("#other").shadowRoot.querySelector(".cm-content").innerText.replace(/\s/g, "") === text.replace(/\s/g, ""), text, { timeout: 5000 });
  await test("the other notation stands beside the one that is written", async () => {
    await write(page, "term", '{"lam": "x", "body": {"add": [{"var": "x"}, 1]}}');
    await other("x => x + 1");
    assert.equal(await page.textContent("#beside-title"), "In the notation");
    await write(page, "term", "y => y * 2");
    await other('{"body": {"mul": [{"var": "y"}, 2]}, "lam": "y"}');
    assert.equal(await page.textContent("#beside-title"), "In JSON");
  });
  await test("while the text is wrong, the last one stays and cannot be taken", async () => {
    await write(page, "term", "y => y * ");
    await checked(page, /^1 fault$/);
    await other('{"body": {"mul": [{"var": "y"}, 2]}, "lam": "y"}');
    assert.ok(await page.locator("#switch").isDisabled());
  });
  await test("the other one is taken by a click, and back", async () => {
    await write(page, "term", "y => y * 2");
    await checked(page, /^lam/);
    await page.click("#switch");
    await other("y => y * 2");
    assert.deepEqual(JSON.parse(await read(page, "term")), { lam: "y", body: { mul: [{ var: "y" }, 2] } });
    await page.click("#switch");
    await checked(page, /^lam/);
    assert.equal(await read(page, "term"), "y => y * 2");
  });
  await test("the pane is read only, and stays closed once it is closed", async () => {
    await page.locator("#other .cm-content").click();
    await page.keyboard.type("zzz");
    assert.doesNotMatch(await read(page, "other"), /zzz/);
    await page.click("#beside summary");
    await page.reload();
    await isReady(page);
    assert.equal(await page.locator("#other").isVisible(), false);
    await page.click("#beside summary");
    await page.reload();
    await isReady(page);
    assert.ok(await page.locator("#other").isVisible());
  });
  await test("Format writes the notation anew, but loses no comments", async () => {
    await choose(page, "none");
    await write(page, "term", "x   =>x+ ( 1 )");
    await checked(page, /^lam/);
    await page.click("#format");
    assert.equal(await read(page, "term"), "x => x + 1");
    await write(page, "term", "x   =>x // why");
    await checked(page, /^lam/);
    await page.click("#format");
    assert.equal(await read(page, "term"), "x   =>x // why");
    assert.match(await page.textContent("#toast"), /comments/);
  });
  await test("the tree is that of the JSON, and a node leads there", async () => {
    await write(page, "term", "[1, 2].map(x => x + 1)");
    await checked(page, /^map/);
    await page.click("#tab-tree");
    const rows = await page.locator('#tree-root [role="treeitem"]:visible > .node').allTextContents();
    assert.deepEqual(rows, ["map", "0λx", "bodyadd", "0varx", "11number", "1list", "01number", "12number"]);
    await page.locator("#tree-root .head", { hasText: "add" }).click();
    assert.equal((await page.locator("#other .spot").allTextContents()).join(""), '{"add": [{"var": "x"}, 1]}');
  });
  await test("a tool in the notation is saved and called", async () => {
    await page.fill("#name", "twice");
    await write(page, "term", "x => x * 2");
    await page.keyboard.press("Control+s");
    await page.fill("#name", "");
    await write(page, "term", "@twice(21)");
    await checked(page, /^app.*calls twice/);
    assert.equal((await run(page)).value, "42");
    await write(page, "term", '@twice("a")');
    assert.equal((await run(page)).chip, "type-mismatch");
    await page.click("#result .where button");
    assert.equal(await page.inputValue("#name"), "twice");
    assert.equal(await read(page, "term"), "x => x * 2");
    assert.match((await page.locator("#other .spot").allTextContents()).join(""), /"x"/);
    await page.fill("#name", "");
  });
}

async function problems(page) {
  await test("a fault of the notation is underlined by line and column", async () => {
    await write(page, "term", "const é = 1;\né + * 2");
    await checked(page, /^1 fault$/);
    assert.equal(await underlined(page, "term"), "*");
    assert.match(await page.textContent("#problems"), /line 2, column 5/);
  });
  await test("a fault of a run is underlined where the text has it", async () => {
    await write(page, "term", 'const 𝔘 = "a"; [𝔘, 𝔘 * 2]');
    await checked(page, /^let/).catch(() => undefined);
    await write(page, "term", 'const text = "𝔘𝔘"; [text, text * 2]');
    await checked(page, /^let/);
    assert.equal((await run(page)).chip, "type-mismatch");
    assert.equal(await underlined(page, "term"), "text");
    assert.match(await page.textContent("#result .excerpt"), /\n +\^$/);
    await page.click("#result .where button");
    await page.keyboard.insertText("21");
    assert.equal((await run(page)).value, '["𝔘𝔘", 42]');
  });
}

async function completion(page) {
  const list = page.locator("#term .cm-tooltip-autocomplete");
  const offers = async (text) => {
    await write(page, "term", "");
    await page.keyboard.press("Delete");
    await page.keyboard.type(text);
    await list.waitFor();
    await page.waitForTimeout(150); // a choice made at once would be taken for typing
    return list.locator("li").allTextContents();
  };
  await test("members, tools, names and forms are offered in the notation", async () => {
    await choose(page, "data");
    await write(page, "argument", '[{"quantity": 2, "price": {"net": 3}}]');
    assert.equal((await offers("data.map(order => order.qu"))[0], "quantityinteger");
    await page.keyboard.press("Enter");
    await page.keyboard.type(" + ord");
    await list.waitFor();
    await page.waitForTimeout(150);
    assert.match((await list.locator("li").allTextContents())[0], /^order\{price: \{net: integer\}, quantity: integer\}/);
    await page.keyboard.press("Enter");
    await page.keyboard.type(".quantity)");
    assert.equal(await read(page, "term"), "data.map(order => order.quantity + order.quantity)");
    assert.equal((await run(page)).value, "[4]");
    assert.match((await offers("@tw")).join(), /^twice\(.*\) => /);
    await page.keyboard.press("Escape");
    // What stands before the point says which functions there are.
    assert.match((await offers("data.map(order => order.price.net).fl"))[0], /^flatMap/);
    await page.keyboard.press("Escape");
    assert.equal((await offers("data[0].price.n"))[0], "netinteger");
    await page.keyboard.press("Escape");
    assert.ok((await offers("upp")).some((row) => row.startsWith("upper")));
    await page.keyboard.press("Enter");
    await page.keyboard.type('"a"');
    assert.equal(await read(page, "term"), 'upper("a")');
    await page.keyboard.press("Escape");
  });
  await test("members, tools and names are offered in JSON", async () => {
    assert.deepEqual(await offers('{"lam": "order", "body": {"var": "o'), ["ordername"]);
    await page.keyboard.press("Enter");
    assert.equal(await read(page, "term"), '{"lam": "order", "body": {"var": "order"');
    assert.deepEqual(await offers('{"tool": "t'), ["twicetool"]);
    assert.ok((await offers('{"get": [{"var": "x"}, "q')).includes("quantitymember"));
    await page.keyboard.press("Escape");
    await choose(page, "none");
  });
}

/** Each example in the notation is what its JSON is, and its forms are coloured. */
async function printed(page, parts, examples) {
  const forms = examples.map(({ name }) => name.slice("example/".length));
  await test(`the ${examples.length} examples read back from the notation, and are coloured`, async () => {
    const terms = examples.map(({ program }) => program.code.text);
    const found = await page.evaluate(async (terms) => {
      const { check, print } = await import("./harness.js");
      const texts = await print(terms);
      const all = [];
      for (const [n, text] of texts.entries()) {
        const [here, there] = [await check(terms[n]), await check(text)];
        all.push({ text, here: here.summary?.canonical, there: there.summary?.canonical });
      }
      return all;
    }, terms);
    for (const { text, here, there } of found) {
      assert.equal(there, here, text);
      const called = [...text.matchAll(/(?<![\w$"@])([a-z_]\w*)(?=\()/g)].map(([name]) => name).filter((name) => forms.includes(name));
      const inTexts = [...text.matchAll(/"(?:\\.|[^"\\])*"/g)].join();
      const seen = painted(parts, text, forms);
      for (const name of called) assert.ok(seen.includes(`form ${name}`) || inTexts.includes(name), `${name} in ${text}`);
    }
  });
}
