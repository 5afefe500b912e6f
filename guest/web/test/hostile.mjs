// What others write: links, stored tools, texts with markup. All of it is text and nothing else.

import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { isReady, open } from "./browser.mjs";
import { read, run, write } from "./hands.mjs";
import { test } from "./report.mjs";

const MARKUP = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script><b id=planted>';

const pack = (value) => deflateRawSync(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** The page, opened by a link. */
async function follow({ browser, server }, fragment, action) {
  const { page, context, complaints } = await open(browser, `${server.url}#${fragment}`);
  await isReady(page);
  await action(page);
  const planted = await page.evaluate(() => [globalThis.hit, document.querySelectorAll("img, #planted, main script").length]);
  // The one picture is the page's own.
  assert.deepEqual(planted, [undefined, 1]);
  assert.deepEqual(complaints, []);
  await context.close();
}

export async function hostile(world) {
  const draft = { name: "", code: "1", argument: { tag: "none", text: "" } };
  const isRefused = (pattern) => async (page) => {
    await page.waitForSelector("#toast:not([hidden])");
    assert.match(await page.textContent("#toast"), pattern);
    assert.match(await read(page, "term"), /orders/);
  };
  const refused = {
    "no base64": ["p=%%%", /damaged/],
    "no deflate": ["p=AAAA", /damaged/],
    "half a link": [`p=${pack({ ...draft, code: "1".repeat(999) }).slice(0, -6)}`, /damaged/],
    "no JSON": [`p=${pack("{")}`, /damaged/],
    "no program": [`p=${pack([1])}`, /no program/],
    "a code that is no text": [`p=${pack({ code: { toString: 1 } })}`, /no program/],
    "a bomb of 100 MB": [`p=${pack("1".repeat(100_000_000))}`, /512 KiB/],
    "a link of 600,000 characters": [`p=${"A".repeat(600_000)}`, /too long/],
  };
  for (const [name, [fragment, pattern]] of Object.entries(refused)) {
    await test(`a hostile link is refused: ${name}`, () => follow(world, fragment, isRefused(pattern)));
  }
  await test("markup in a link is text in the editors, in faults and in values", async () => {
    const code = JSON.stringify({ record: { [MARKUP]: { trace: [MARKUP, { var: MARKUP }] } } });
    await follow(world, `p=${pack({ name: MARKUP, code, argument: { tag: "data", text: JSON.stringify(MARKUP) } })}`, async (page) => {
      assert.equal(await page.inputValue("#name"), "");
      assert.equal(await read(page, "term"), code);
      assert.equal((await run(page)).chip, "unbound");
      assert.match(await page.textContent("#result"), /<img src=x/);
      await page.click("#tab-tree");
      await write(page, "term", `{"lam": "x", "body": {"trace": [${JSON.stringify(MARKUP)}, {"var": "x"}]}}`);
      assert.match((await run(page)).value, /<script>/);
    });
  });
  await test("a link of one line of 100,000 characters is opened in lines", async () => {
    const code = `[${Array.from({ length: 20_000 }, (_, n) => n % 10_000).join(",")}]`;
    await follow(world, `p=${pack({ ...draft, code })}`, async (page) => {
      assert.equal((await read(page, "term")).replace(/\s/g, ""), code);
    });
  });
  await test("a link of 100,000 levels is opened", async () => {
    const code = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    await follow(world, `p=${pack({ ...draft, code })}`, async (page) => {
      assert.equal((await run(page)).chip, "list");
    });
  });
  await test("what was meddled with in the storage is passed over", async () => {
    const { page, context, complaints } = await open(world.browser, world.server.url);
    const store = (tools, draft) => page.evaluate(([tools, draft]) => {
      localStorage.setItem("mcp-pif.tools", tools);
      localStorage.setItem("mcp-pif.draft", draft);
    }, [tools, draft]);
    for (const [tools, draft] of [["{", "["], ["[1]", '{"code": 1}'], ["null", "null"]]) {
      await isReady(page);
      await store(tools, draft);
      await page.reload();
    }
    await isReady(page);
    const tools = { [MARKUP]: "1", __proto__x: "{}", constructor: '"mine"', good: 7 };
    await store(JSON.stringify(tools), JSON.stringify({ code: '[{"tool": "constructor"}, {"try": {"tool": "toString"}, "catch": {"lam": "f", "body": {"get": [{"var": "f"}, "code"]}}}]' }));
    await page.reload();
    await isReady(page);
    assert.equal((await run(page)).value, '["mine", "unknown-tool"]');
    await page.click("#tab-toolbox");
    assert.deepEqual(await page.locator("#tool-list strong").allTextContents(), ["__proto__x", "constructor"]);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}
