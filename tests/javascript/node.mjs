// Evaluates programs: a line of JSON {code, data} in, a line {value} or {fault} out. A program that
// parses as one expression is that expression; any other is the body of a function.
import { createInterface } from 'node:readline';

const plain = (_, x) => {
  if (x instanceof Map || x instanceof Set) return [...x];
  if (typeof x === 'number' && !Number.isFinite(x)) throw new Error('not finite');
  if (typeof x === 'function') throw new Error('a function');
  return x;
};

const evaluate = ({ code, data }) => {
  let f;
  try {
    f = new Function('data', `"use strict"; return (${code}\n);`);
  } catch {
    f = new Function('data', `"use strict"; ${code}`);
  }
  const value = f(structuredClone(data));
  return JSON.stringify(value === undefined ? null : value, plain);
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = `{"value":${evaluate(JSON.parse(line))}}`;
  } catch (error) {
    answer = JSON.stringify({ fault: String(error) });
  }
  process.stdout.write(`${answer}\n`);
}
