// Accessibility, by axe: every rule it has, on every view, light and dark, wide and narrow.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isReady, open } from "./browser.mjs";
import { checked, run, write } from "./hands.mjs";
import { test } from "./report.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const VIEWS = {
  "at first": () => undefined,
  "a value": (page) => run(page),
  "a fault": async (page) => {
    await page.selectOption("#examples", { label: "A fault and its place" });
    await run(page);
  },
  "faults while typing": async (page) => {
    await write(page, "term", '{"add": [1, {"lenght": "abc"}]}');
    await checked(page, /^1 fault$/);
  },
  "forms that fit": async (page) => {
    await write(page, "term", '{"lam": "x", "body": ');
    await page.keyboard.type('{"so');
    await page.locator("#term .cm-completionInfo").waitFor();
  },
  "a continuation": async (page) => {
    await page.selectOption("#examples", { label: "A continuation, step by step" });
    await run(page);
  },
  "the tree": async (page) => {
    await page.click("#tab-tree");
    await page.locator("#tree-root .head").nth(3).click();
  },
  "the steps": async (page) => {
    await page.click("#step");
    await page.waitForSelector("#walk-list .present");
    await page.click("#walk-ten");
  },
  "the reference": (page) => page.click("#tab-reference"),
  "the tools": async (page) => {
    await page.selectOption("#examples", { label: "Factorial, a tool that calls itself" });
    await page.click("#save");
    await page.click("#tab-toolbox");
  },
  "the session": async (page) => {
    await page.fill("#name", "");
    await page.check('input[name="argument"][value="none"]');
    await write(page, "term", "orders = [{qty: 2}, {qty: 3}]");
    await run(page);
    await page.getByRole("button", { name: "orders", exact: true }).click();
    await page.waitForFunction(() => document.querySelector("#bindings .source").textContent !== "");
  },
  "the limits": (page) => page.click("#limits summary"),
  "the help": (page) => page.click("#keys"),
};

export async function access({ browser, server }) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 360]) {
      const options = { colorScheme, viewport: { width, height: 860 } };
      const { page, context, complaints } = await open(browser, server.url, options);
      await isReady(page);
      await page.evaluate(axe);
      for (const [name, show] of Object.entries(VIEWS)) {
        await test(`axe: ${name}, ${colorScheme}, ${width} pixels`, async () => {
          await show(page);
          await page.waitForTimeout(50);
          const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
          const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).slice(0, 3).join("; ")}`);
          assert.deepEqual(told, []);
        });
      }
      await test(`no complaint, ${colorScheme}, ${width} pixels`, () => assert.deepEqual(complaints, []));
      await context.close();
    }
  }
}
