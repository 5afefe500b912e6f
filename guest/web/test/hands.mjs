// Doing what people do on the page.

/** Replaces what stands in an editor, by the keyboard's way in. */
export async function write(page, id, text) {
  await page.locator(`#${id} .cm-content`).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** The text of an editor, blanks at line ends aside. */
export function read(page, id) {
  return page.locator(`#${id} .cm-content`).evaluate((element) => element.cmTile?.view?.state.doc.toString() ?? element.cmView?.view?.state.doc.toString() ?? element.innerText);
}

/** Presses Run and waits for the outcome: the chip, and the value's text or the fault's message. */
export async function run(page, action = () => page.click("#run")) {
  await page.evaluate(() => performance.clearMarks("pif:ended"));
  await action();
  await page.waitForFunction(() => performance.getEntriesByName("pif:ended").length > 0, undefined, { timeout: 30_000 });
  return outcome(page);
}

export function outcome(page) {
  return page.evaluate(() => {
    const text = (selector) => document.querySelector(`#result ${selector}`)?.textContent;
    return { chip: text(".chip"), value: text(".value"), message: text(".message"), at: text(".where button"), figures: text(".figures") };
  });
}

export function choose(page, argument) {
  return page.check(`input[name="argument"][value="${argument}"]`);
}

/** Waits until the line under the editor says so. */
export async function checked(page, pattern) {
  const { source, flags } = pattern;
  const isSo = ([source, flags]) => new RegExp(source, flags).test(document.getElementById("check").textContent);
  await page.waitForFunction(isSo, [source, flags], { timeout: 10_000 });
}

/** What is underlined in an editor, put together. */
export async function underlined(page, id, severity = "error") {
  const parts = page.locator(`#${id} .cm-lintRange-${severity}`);
  await parts.first().waitFor({ timeout: 10_000 });
  return (await parts.allTextContents()).join("");
}
