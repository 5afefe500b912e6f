// The session: bindings that programs leave for later ones, kept in the browser as terms.

import assert from "node:assert/strict";
import { isReady, open } from "./browser.mjs";
import { checked, choose, read, run, underlined, write } from "./hands.mjs";
import { test } from "./report.mjs";

export async function session(world) {
  const { browser, server } = world;
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await choose(page, "none");
  await write(page, "context", "");
  await binding(page);
  await functions(page);
  await failing(page);
  await writing(page);
  await keeping(context, page, server);
  await bounds(page);
  await test("the session leaves no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
  await hostile(world);
}

/** Runs a program. */
async function turn(page, code) {
  await write(page, "term", code);
  return run(page);
}

/** The bindings as they are listed, such as `orders: list, 2 KiB`. */
const listed = (page) => page.$$eval("#bindings li", (rows) => rows.map((row) => `${row.dataset.binding}: ${row.querySelector(".facts").textContent}`));
const names = (page) => page.$$eval("#bindings li", (rows) => rows.map((row) => row.dataset.binding));

async function source(page, name) {
  await page.getByRole("button", { name, exact: true }).click();
  const source = page.locator(`[data-binding="${name}"] .source`);
  await page.waitForFunction((name) => document.querySelector(`[data-binding="${name}"] .source`).textContent !== "", name);
  return source.textContent();
}

async function binding(page) {
  await test("a program that begins with a name binds its value, and later ones have it as a variable", async () => {
    const found = await turn(page, "// What was sold.\norders = [{qty: 2, price: 30}, {qty: 1, price: 12}]");
    assert.equal(found.chip, "list");
    assert.match(await page.textContent("#result .status"), /bound to orders/);
    assert.match(await page.textContent("#announce"), /It is bound to orders\./);
    assert.deepEqual(await listed(page), ["orders: list, 65 B", "_1: list, 65 B"]);
    assert.equal((await turn(page, "orders.map(o => o.qty * o.price).sum()")).value, "72");
    await checked(page, / · pure · /);
    assert.doesNotMatch(await page.textContent("#check"), /unbound/);
  });
  await test("the last three values are _1, _2 and _3", async () => {
    assert.equal((await turn(page, "[_1, _2.length()]")).value, "[72, 2]");
    assert.equal((await turn(page, "[_1, _2, _3.length()]")).value, "[[72, 2], 72, 2]");
    assert.deepEqual(await names(page), ["orders", "_1", "_2", "_3"]);
  });
  await test("a binding costs the fuel that data costs", async () => {
    const { figures } = await turn(page, "orders.length()");
    await choose(page, "data");
    await write(page, "argument", '[{"qty": 2, "price": 30}, {"qty": 1, "price": 12}]');
    const [fuel] = /^fuel\d+/.exec((await turn(page, "data.length()")).figures);
    assert.ok(figures.startsWith(`${fuel}memory`), figures);
    await choose(page, "none");
  });
  await test("a value is bound by the field, too, which is empty after that", async () => {
    await page.fill("#bind", "total");
    assert.equal((await turn(page, '{"add": [{"var": "_1"}, 40]}')).value, "42");
    assert.equal(await page.inputValue("#bind"), "");
    assert.equal((await turn(page, "total")).value, "42");
  });
  await test("a click shows the source in the notation", async () => {
    assert.equal(await source(page, "total"), "42");
    assert.match(await source(page, "orders"), /^\[\{price: 30, qty: 2\}, \{price: 12, qty: 1\}\]\n?$/);
    await page.getByRole("button", { name: "orders", exact: true }).press("Enter");
    assert.equal(await page.locator('[data-binding="orders"] .source').isVisible(), false);
  });
  await test("a member of the context is nearer than a binding, and a binding is a variable of JSON", async () => {
    await write(page, "context", '{"total": 1}');
    assert.equal((await turn(page, '[{"var": "total"}, {"length": {"var": "orders"}}]')).value, "[1, 2]");
    await write(page, "context", "");
  });
}

async function functions(page) {
  await test("a function is kept with what it captured, and applied in later turns", async () => {
    assert.equal((await turn(page, "plus = (n => m => n + m)(total)")).chip, "function");
    assert.equal((await turn(page, "plus(8)")).value, "50");
    await checked(page, /^app, 2 forms · pure/);
    assert.equal(await read(page, "other").then((text) => text.replace(/\s/g, "")), '{"app":{"arg":8,"func":{"var":"plus"}}}');
    assert.match(await source(page, "plus"), /n = 42[^]*m => n \+ m/);
  });
  await test("a function without an argument is bound, not applied to nothing", async () => {
    assert.equal((await turn(page, "id = x => [x]")).chip, "function");
    assert.equal((await turn(page, "id(3)")).value, "[3]");
    await choose(page, "data");
    await write(page, "argument", "5");
    assert.equal((await turn(page, "five = x => [x]")).value, "[5]");
    await choose(page, "none");
    assert.equal((await turn(page, "five")).value, "[5]");
  });
  await test("a function of a tool stays with the tool as it was", async () => {
    await page.fill("#name", "fact");
    await write(page, "term", "n => n <= 1 ? 1 : n * self(n - 1)");
    await page.click("#save");
    await page.fill("#name", "");
    assert.equal((await turn(page, "f = @fact")).chip, "function");
    await page.fill("#name", "fact");
    await write(page, "term", "n => 0");
    await page.click("#save");
    await page.fill("#name", "");
    assert.equal((await turn(page, "[f(5), @fact(5)]")).value, "[120, 0]");
    assert.match(await source(page, "f"), /fact@[0-9a-f]{64}/);
  });
}

async function failing(page) {
  const before = await listed(page);
  await test("a turn that fails changes nothing", async () => {
    assert.equal((await turn(page, "orders = 1 + null")).chip, "type-mismatch");
    assert.equal(await underlined(page, "term"), "null");
    await page.fill("#bind", "later");
    assert.equal((await turn(page, "[1].first().length()")).chip, "type-mismatch");
    assert.equal(await page.inputValue("#bind"), "later");
    await page.fill("#bind", "");
    assert.deepEqual(await listed(page), before);
  });
  await test("a value that cannot be kept is told with its place, and changes nothing", async () => {
    await page.fill("#name", "t");
    await write(page, "term", "x => [1, y => continue(y)]");
    await choose(page, "data");
    await page.fill("#bind", "broken");
    const found = await run(page);
    assert.equal(found.chip, "not-storable");
    assert.equal(found.at, "/value/1");
    assert.match(found.value, /^\[1, "<function>"\]$/);
    assert.equal(await page.textContent("#result .value mark"), '"<function>"');
    await page.click("#result .where button");
    assert.equal(await page.evaluate(() => document.activeElement.className), "value");
    assert.deepEqual(await listed(page), before);
  });
  await test("without a name such a value is shown, with a warning", async () => {
    await page.fill("#bind", "");
    const found = await run(page);
    assert.equal(found.chip, "list");
    assert.match(await page.textContent("#result .lines"), /the value is not kept as `_1` at \/value\/1: /);
    assert.deepEqual(await listed(page), before);
    await page.fill("#name", "");
    await choose(page, "none");
  });
  await test("names that cannot be bound are refused before anything runs", async () => {
    for (const [name, pattern] of [["_2", /one of the last values/], ["a-b", /a letter or _/], ["9", /a letter or _/]]) {
      await page.fill("#bind", name);
      await page.click("#run");
      await page.waitForSelector("#toast:not([hidden])");
      assert.match(await page.textContent("#toast"), pattern);
      assert.equal(await page.evaluate(() => document.activeElement.id), "bind");
    }
    await page.fill("#bind", "");
    await write(page, "term", "_1 = 5");
    await page.click("#run");
    await page.waitForFunction(() => /_1 is one of the last values/.test(document.querySelector("#toast").textContent));
    assert.deepEqual(await listed(page), before);
  });
  await test("the value at the end of a continuation is what is bound", async () => {
    await page.selectOption("#examples", { label: "A continuation, step by step" });
    await page.fill("#bind", "end");
    assert.equal((await run(page)).chip, "continuation");
    await page.getByRole("button", { name: "Continue to the end" }).click();
    await page.waitForSelector('[data-binding="end"]');
    await page.fill("#name", "");
    await choose(page, "none");
    assert.equal((await turn(page, "end")).value, '"lift-off"');
  });
}

async function writing(page) {
  await test("faults of a program with a name have their places, and are shown with the line as it is", async () => {
    await write(page, "term", "// é\nsum = orders * * 2");
    await checked(page, /^1 fault$/);
    assert.match(await page.textContent("#problems"), /line 2, column 16/);
    const found = await turn(page, "sum = orders / 2");
    assert.equal(found.chip, "type-mismatch");
    assert.match(await page.textContent("#result .caret"), /^sum = orders \/ 2\n/);
    assert.equal(await underlined(page, "term"), "orders");
  });
  await test("faults and notes of a program that calls bindings have their places", async () => {
    await write(page, "term", "const z = 2;\nplus(z) + nothing(3)");
    await checked(page, /^1 fault$/);
    assert.match(await page.textContent("#problems"), /there is no form and no variable nothing.*line 2, column 11/);
    await write(page, "term", "const z = 2;\nplus(z) * (1 + 2");
    await checked(page, /^1 fault$/);
    assert.match(await page.textContent("#problems"), /\( of line 2, column 11 is not closed|line 2/);
    await write(page, "term", "w = plus(1) +\n  (true ? 1 : 2)");
    await checked(page, /^binds w · add/);
    assert.equal(await underlined(page, "term", "warning"), "true");
    assert.match(await page.textContent("#problems"), /line 2, column 4/);
  });
  await test("a binding that has the name of a form is called in its place", async () => {
    assert.equal((await turn(page, "add = x => [x]")).chip, "function");
    assert.equal((await turn(page, "add(7)")).value, "[7]");
    await checked(page, /^app, 2 forms · pure/);
    await page.getByRole("button", { name: "Forget add" }).click();
    await page.waitForSelector('[data-binding="add"]', { state: "detached" });
  });
  await test("what looks like a name with a value and is none is left to the evaluator", async () => {
    for (const [code, value] of [["total == 42", "true"], ["total => 1", "1"], ["total >= 42", "true"]]) assert.equal((await turn(page, code)).value, value, code);
    for (const code of ["null = 1", "total.x = 1"]) assert.equal((await turn(page, code)).chip, "unparsable", code);
  });
  await test("Format keeps the name", async () => {
    await write(page, "term", "sum   =   1+ 2");
    await checked(page, /^binds sum · add/);
    await page.click("#format");
    await page.waitForFunction(() => document.querySelector("#check").textContent.startsWith("binds"));
    assert.match(await read(page, "term"), /^sum {3}= 1 \+ 2\n?$/);
  });
  await test("to edit it as JSON moves the name to the field", async () => {
    await page.click("#switch");
    assert.equal(await page.inputValue("#bind"), "sum");
    assert.equal((await run(page)).value, "3");
    assert.ok((await names(page)).includes("sum"));
  });
  await test("bindings are offered while a name is typed", async () => {
    await write(page, "term", "");
    await page.keyboard.press("Delete");
    await page.keyboard.type("orde");
    const list = page.locator("#term .cm-tooltip-autocomplete");
    await list.waitFor();
    assert.match(await list.textContent(), /^orders/);
    await page.keyboard.press("Escape");
    await write(page, "term", "");
    await page.keyboard.press("Delete");
    await page.keyboard.type('{"var": "tot');
    await list.waitFor();
    assert.match(await list.textContent(), /^totalname/);
    await page.keyboard.press("Escape");
  });
  await test("a program with bindings is stepped through", async () => {
    await write(page, "term", "y = plus(orders.length())");
    await checked(page, /^binds y/);
    await page.click("#step");
    await page.waitForSelector("#walk-list .present");
    await page.click("#walk-hundred");
    await page.waitForFunction(() => document.querySelector("#walk-position").textContent.startsWith("All"));
    await page.click("#tab-result");
    assert.equal(await page.textContent("#result .value"), "44");
    assert.ok(!(await names(page)).includes("y"));
  });
}

async function keeping(context, page, server) {
  await test("the session survives a reload", async () => {
    const before = await listed(page);
    await page.reload();
    await isReady(page);
    await page.waitForSelector('[data-binding="plus"]');
    assert.deepEqual(await listed(page), before);
    assert.equal((await turn(page, "[plus(1), f(4), _1]")).value, "[43, 24, 3]");
  });
  await test("another page of the browser has it, too", async () => {
    const other = await context.newPage();
    await other.goto(server.url);
    await isReady(other);
    await choose(other, "none");
    await write(other, "context", "");
    assert.equal((await turn(other, "shared = plus(2)")).value, "44");
    await page.waitForSelector('[data-binding="shared"]');
    assert.equal((await turn(page, "shared")).value, "44");
    await other.close();
  });
  await test("one binding is forgotten, by the keyboard, and it is no variable any more", async () => {
    await page.getByRole("button", { name: "Forget total" }).press("Enter");
    await page.waitForSelector('[data-binding="total"]', { state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.closest("li")?.dataset.binding), "_1");
    assert.equal((await turn(page, "total")).chip, "unbound");
    await page.reload();
    await isReady(page);
    await page.waitForSelector('[data-binding="plus"]');
    assert.ok(!(await names(page)).includes("total"));
  });
  await test("all are forgotten", async () => {
    await page.click("#forget-all");
    await page.waitForFunction(() => /empty/.test(document.querySelector("#toast").textContent));
    assert.deepEqual(await listed(page), []);
    await page.reload();
    await isReady(page);
    assert.deepEqual(await listed(page), []);
    assert.equal((await turn(page, "x = 1")).value, "1");
    assert.deepEqual(await names(page), ["x", "_1"]);
  });
}

/** What a session may hold. */
async function bounds(page) {
  await test("a session holds 200 bindings", async () => {
    await plant(page, Array.from({ length: 199 }, (_, n) => ({ name: `b${n}`, kind: "integer", term: "1", tools: {} })));
    assert.match(await page.textContent("#session-now"), /^200 bindings/);
    const found = await turn(page, "more = 1");
    assert.equal(found.chip, "session-limit");
    assert.match(found.message, /more than 200 bindings/);
    assert.equal((await turn(page, "x = 2")).chip, "integer");
    assert.equal((await turn(page, "x")).value, "2");
    await page.click("#forget-all");
  });
  await test("a session holds 8 MiB, and a last value 1 MiB", async () => {
    for (const name of ["a", "b"]) assert.equal((await turn(page, `${name} = "x".repeat(4000000)`)).chip, "string", name);
    assert.match(await page.textContent("#result .lines"), /not kept as `_1`: its term has 4000002 bytes/);
    assert.equal((await turn(page, 'c = "x".repeat(1000000)')).chip, "session-limit");
    assert.deepEqual(await names(page), ["a", "b"]);
    assert.equal((await turn(page, "[a.length(), b.length()]")).value, "[4000000, 4000000]");
    await page.reload();
    await isReady(page);
    await page.waitForSelector('[data-binding="b"]');
    assert.equal((await turn(page, "a.length() + b.length()")).value, "8000000");
    await page.click("#forget-all");
  });
}

/** Puts records where the page keeps its session, and opens the page again. */
async function plant(page, records) {
  await page.evaluate((records) => new Promise((resolve, reject) => {
    const request = indexedDB.open("mcp-pif.session", 1);
    request.onerror = () => reject(request.error);
    request.onupgradeneeded = () => request.result.createObjectStore("bindings", { keyPath: "name" });
    request.onsuccess = () => {
      const transaction = request.result.transaction("bindings", "readwrite");
      for (const record of records) transaction.objectStore("bindings").put(record);
      transaction.oncomplete = () => resolve(request.result.close());
    };
  }), records);
  await page.reload();
  await isReady(page);
}

const MARKUP = '<img src=x onerror="globalThis.hit=1"><b id=planted>';

/** A session that somebody else has written. */
async function hostile({ browser, server }) {
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  await choose(page, "none");
  await write(page, "context", "");
  await test("of a hostile session only what may be a binding is read", async () => {
    const odd = [1, [], "9", "a-b", "x".repeat(65), MARKUP].map((name) => ({ name, kind: "list", term: "1" }));
    await plant(page, [
      ...odd,
      { name: "no_term" },
      { name: "number", term: 1 },
      { name: "_1", kind: "text", term: JSON.stringify("x".repeat(2 << 20)) },
      { name: "huge", kind: "text", term: JSON.stringify("x".repeat(9 << 20)) },
      { name: "deep", kind: "list", term: `${"[".repeat(100_000)}${"]".repeat(100_000)}` },
      { name: "broken", kind: MARKUP.repeat(100), term: `{"nothing": ${JSON.stringify(MARKUP)}}`, tools: { [MARKUP]: 1, "a@b": 2 } },
      { name: "loop", kind: "function", term: '{"app": [{"lam": "x", "body": {"app": [{"var": "x"}, {"var": "x"}]}}, {"lam": "x", "body": {"app": [{"var": "x"}, {"var": "x"}]}}]}', tools: 7 },
      { name: "__proto__", kind: "text", term: '"fine"' },
      { name: "constructor", kind: "text", term: '"fine"', tools: null },
    ]);
    await page.waitForSelector('[data-binding="broken"]');
    assert.deepEqual(await names(page), ["__proto__", "broken", "constructor", "deep", "loop"]);
    assert.equal((await turn(page, "[1 + 1, __proto__, constructor]")).value, '[2, "fine", "fine"]');
  });
  await test("a term that is none is a fault of the program that names it, and leads to the binding", async () => {
    const found = await turn(page, "broken");
    assert.equal(found.chip, "unknown-form");
    assert.equal(found.at, "/bindings/broken");
    await page.click("#result .where button");
    assert.equal(await page.evaluate(() => document.activeElement.closest("li")?.dataset.binding), "broken");
    await page.waitForFunction(() => document.querySelector('[data-binding="broken"] .source').textContent.startsWith('{"nothing"'));
    assert.equal((await turn(page, "loop")).chip, "malformed");
    assert.ok((await turn(page, "deep.length()")).chip !== undefined);
    assert.equal((await turn(page, "1 + 1")).value, "2");
  });
  await test("a store of another shape is told, the page works, and it is mended by forgetting all", async () => {
    await page.evaluate(() => new Promise((resolve) => {
      indexedDB.deleteDatabase("mcp-pif.session").onsuccess = () => {
        const request = indexedDB.open("mcp-pif.session", 7);
        request.onsuccess = () => resolve(request.result.close());
      };
    }));
    await page.reload();
    await isReady(page);
    await page.waitForFunction(() => /not kept/.test(document.querySelector("#session-now").textContent));
    assert.equal((await turn(page, "x = 20 + 1")).value, "21");
    assert.equal((await turn(page, "x * 2")).value, "42");
    await page.click("#forget-all");
    await page.waitForFunction(() => !/not kept/.test(document.querySelector("#session-now").textContent));
    assert.equal((await turn(page, "x = 3")).value, "3");
    await page.reload();
    await isReady(page);
    await page.waitForSelector('[data-binding="x"]');
  });
  await test("nothing of it became markup", async () => {
    assert.deepEqual(await page.evaluate(() => [globalThis.hit, document.querySelectorAll("img, #planted").length]), [undefined, 1]);
    assert.deepEqual(complaints, []);
  });
  await context.close();
}
