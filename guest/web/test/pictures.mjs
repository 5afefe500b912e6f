// Pictures of the page, to be looked at: `node test/pictures.mjs DIST FOLDER [NAME…]`.

import { join } from "node:path";
import { isReady, launch, open } from "./browser.mjs";
import { write } from "./hands.mjs";
import { serve } from "./server.mjs";

const [dist, folder, ...only] = process.argv.slice(2);
const server = await serve([dist]);
const browser = await launch();

async function picture(name, options, action, isFull = false) {
  if (only.length > 0 && !only.includes(name)) return;
  const { page, context } = await open(browser, server.url, options);
  await isReady(page);
  await action(page);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isFull });
  await context.close();
}

const example = (page, title) => page.selectOption("#examples", { label: title });
const run = async (page) => {
  await page.click("#run");
  await page.waitForSelector("#result .figures");
};

await picture("light", {}, run);
await picture("session", {}, async (page) => {
  for (const code of ["orders = data", "total = os => os.map(o => o.amount).sum()"]) {
    await write(page, "term", code);
    await run(page);
    await page.waitForSelector(`[data-binding="${code.split(" ")[0]}"]`);
    await page.check('input[name="argument"][value="none"]');
  }
  await write(page, "term", "total(orders)");
  await run(page);
  await page.getByRole("button", { name: "total", exact: true }).click();
});
await picture("dark", { colorScheme: "dark" }, run);
await picture("fault", {}, async (page) => {
  await example(page, "A fault and its place");
  await run(page);
});
await picture("check", { colorScheme: "dark" }, async (page) => {
  await write(page, "term", "const total = data.map(order => order.amount).sum();\ntotal * * 2");
  await page.waitForSelector("#problems li");
});
await picture("completion", {}, async (page) => {
  await write(page, "term", "");
  await page.keyboard.press("Delete");
  await page.keyboard.type("data.so");
  await page.waitForSelector("#term .cm-completionInfo");
});
await picture("completion-json", { colorScheme: "dark" }, async (page) => {
  await write(page, "term", '{"lam": "order", "body": {"get": [{"var": "order"}, ');
  await page.keyboard.type('"a');
  await page.waitForSelector("#term .cm-tooltip-autocomplete");
});
await picture("json", {}, async (page) => {
  await example(page, "A term in JSON");
  await run(page);
});
await picture("tree", {}, async (page) => {
  await example(page, "Factorial, a tool that calls itself");
  await page.click("#tab-tree");
  await page.click('[role="treeitem"] .head >> text=mul');
});
await picture("steps", {}, async (page) => {
  await page.click("#step");
  await page.waitForSelector("#walk-list tr");
  await page.click("#walk-ten");
  await page.click("#walk-ten");
});
await picture("reference", { colorScheme: "dark" }, async (page) => {
  await page.click("#tab-reference");
  await page.fill("#search", "list sort");
});
await picture("tools", {}, async (page) => {
  for (const title of ["Factorial, a tool that calls itself", "A continuation, step by step"]) {
    await example(page, title);
    await page.click("#save");
  }
  await run(page);
  await page.click("#tab-toolbox");
});
await picture("continuation", {}, async (page) => {
  await example(page, "A continuation, step by step");
  await run(page);
});
const mobile = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
await picture("mobile", mobile, run);
await picture("mobile-whole", mobile, run, true);
await picture("mobile-fault", { ...mobile, colorScheme: "dark" }, async (page) => {
  await example(page, "A fault and its place");
  await run(page);
}, true);
await picture("mobile-tree", mobile, async (page) => {
  await page.click("#tab-tree");
}, true);
await picture("help", {}, (page) => page.click("#keys"));
await browser.close();
server.close();
