// Starts Chromium, and watches what its pages complain of and ask for.

import { chromium } from "playwright-core";

const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: SWITCHES });
}

/** A page in a fresh profile. `complaints` is what the console, errors and foreign requests told. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  const origin = new URL(url).origin;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, complaints };
}

/** Waits until the page has its evaluator and has looked at the term. */
export async function isReady(page) {
  await page.waitForSelector("body.is-ready");
  await page.waitForFunction(() => !document.getElementById("check").textContent.startsWith("Loading"));
}
