// The corpus in the page's worker: value, kind, fault, place, warnings, trace and fuel of every case
// must be those that the server's evaluator gives.

import assert from "node:assert/strict";
import { isReady, open } from "./browser.mjs";
import { note, test } from "./report.mjs";

/** Cases handed over at once. */
const BATCH = 50;
/** A prime number of fuel to a slice, as the other runners have it. */
const SLICE = 100_003;

export async function corpus({ browser, server, cases }) {
  const { page, context, complaints } = await open(browser, server.url);
  await isReady(page);
  const started = performance.now();
  for (let at = 0; at < cases.length; at += BATCH) {
    const batch = cases.slice(at, at + BATCH);
    const programs = batch.map(({ program }) => ({ ...program, slice: SLICE }));
    const found = await page.evaluate(async (programs) => {
      const { run } = await import("./harness.js");
      const ended = [];
      for (const program of programs) ended.push(await run(program));
      return ended;
    }, programs);
    batch.forEach((expected, n) => note(`corpus/${expected.name}`, difference(expected, found[n])));
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`        ${cases.length} cases of the corpus in the worker, ${seconds} s`);
  await test("the corpus is there", () => assert.ok(cases.length > 1000, `${cases.length} cases`));
  await test("bindings and values as terms are in the corpus, too", () => {
    const kept = cases.filter(({ name, program, term }) => name.startsWith("kept/") && (program.bindings !== undefined || term !== undefined));
    assert.ok(kept.length > 30, `${kept.length} cases`);
  });
  await test("the corpus leaves no complaint", () => assert.deepEqual(complaints, []));
  await context.close();
}

function compareTerms(expected, found) {
  assert.equal(found?.tag, expected?.tag, "another kind of term");
  if (expected?.tag === "ok") assert.equal(found.val, expected.val, "another term");
  if (expected?.tag === "err") {
    assert.equal(found.val.code, expected.val.code, "another code of the term");
    assert.equal(found.val.at, expected.val.at, "another place of the term");
  }
}

function difference(expected, found) {
  try {
    compare(expected, found);
    return undefined;
  } catch (error) {
    return `${error.message}\n  found ${JSON.stringify(found)}`;
  }
}

function compare(expected, { outcome, usage }) {
  if ("value" in expected) {
    assert.ok("value" in outcome, "a fault instead of a value");
    const { json, kind, warnings, trace } = outcome.value;
    assert.equal(json, expected.value, "another value");
    if (expected.isExample) return;
    if (expected.kind !== null) assert.equal(kind, expected.kind, "another kind");
    assert.deepEqual(warnings, expected.warnings, "other warnings");
    assert.deepEqual(trace, expected.trace, "another trace");
    compareTerms(expected.term, outcome.value.term);
  } else {
    assert.ok("fault" in outcome, "a value instead of a fault");
    const { code, at, tool, hint, message, calls, excerpt, place, warnings } = outcome.fault;
    const wanted = expected.fault;
    assert.equal(code, wanted.code, "another code");
    assert.equal(at, wanted.at, "another place");
    assert.deepEqual(warnings, expected.warnings, "other warnings");
    assert.equal(tool ?? null, wanted.tool, "another tool");
    const found = place === undefined ? null : `${place.line}:${place.column}`;
    // The page reads tools in either notation, so their faults may have a line and a column.
    if (tool === undefined) assert.equal(found, wanted.place, "another line or column");
    assert.ok((hint ?? "").includes(wanted.hint ?? ""), "another hint");
    assert.ok(message.includes(wanted.message ?? ""), "another message");
    if (wanted.calls !== null) assert.deepEqual(calls, wanted.calls, "other calls");
    if (wanted.excerpt !== null) assert.equal(excerpt, wanted.excerpt, "another excerpt");
  }
  assert.equal(usage.fuel, expected.fuel, "other fuel");
}
