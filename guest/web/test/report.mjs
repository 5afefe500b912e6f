// Counts and prints checks.

let passed = 0;
let failed = 0;

export function note(name, problem) {
  if (problem === undefined) passed++;
  else failed++;
  if (problem !== undefined) console.log(`FAILED  ${name}: ${problem}`);
}

/** One check: fails if the function throws. */
export async function test(name, action) {
  try {
    await action();
    note(name);
    console.log(`ok      ${name}`);
  } catch (error) {
    note(name, error.message);
  }
}

/** The last line, and whether all is well. */
export function summary() {
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}
