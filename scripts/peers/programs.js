// What the terms compute, in JavaScript as one would write it; lists that a term builds and takes
// apart are nested pairs.

const MILLION = 1_000_000;

const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));

function reverse(items) {
  let out = null;
  while (items !== null) {
    out = [items[0], out];
    items = items[1];
  }
  return out;
}

function insert(x, items) {
  let placed = false;
  let out = null;
  while (items !== null) {
    const y = items[0];
    items = items[1];
    if (placed) {
      out = [y, out];
    } else if (x < y) {
      placed = true;
      out = [y, [x, out]];
    } else {
      out = [y, out];
    }
  }
  return reverse(placed ? out : [x, out]);
}

const insertionSort = (items) => items.reduce((inOrder, item) => insert(item, inOrder), null);

function asArray(items) {
  const out = [];
  for (; items !== null; items = items[1]) out.push(items[0]);
  return out;
}

const two = (f) => (x) => f(f(x));
const six = (f) => (x) => f(f(f(f(f(f(x))))));
const ten = (f) => (x) => f(f(f(f(f(f(f(f(f(f(x))))))))));
const thirteen = (f) => (x) => f(f(f(ten(f)(x))));
const twenty = (f) => (x) => ten(f)(ten(f)(x));
const times = (m) => (n) => (f) => m(n(f));
const increment = (i) => i + 1;

function tailLoop(n) {
  let acc = 0;
  while (n !== 0) {
    acc += n;
    n -= 1;
  }
  return acc;
}

function joinText(items) {
  let text = "";
  for (const _ of items) text = text + "ab";
  return text.length;
}

function fixedPoint(f) {
  const half = (x) => f((v) => x(x)(v));
  return half(half);
}

const doubling = (n) => (n <= 0 ? 1 : doubling(n - 1) + doubling(n - 1));

function buildAndFold(count) {
  let built = null;
  for (let o = 0; o < count; o++) for (let i = 0; i < 100; i++) built = [i + o * 100, built];
  let acc = 0;
  for (; built !== null; built = built[1]) acc += built[0];
  return acc;
}

const sumTo = (n) => (n === 0 ? 0 : n + sumTo(n - 1));

function scattered(count) {
  let x = 12345;
  const out = [];
  for (let i = 0; i < count; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    out.push((x >>> 8) % 100_000);
  }
  return out;
}

function listText(size) {
  const parts = [];
  for (let i = 1, length = 1; length < size; i++) {
    const part = String((i * 7919) % 1_000_003);
    parts.push(part);
    length += part.length + 1;
  }
  return `[${parts.join(",")}]`;
}

const range = (count) => Array.from({ length: count }, (_, i) => i);
const items = range(MILLION);
const few = range(100_000);
const scattered200 = scattered(200);
const scattered500 = scattered(500);
const text = listText(MILLION);

globalThis.programs = {
  "fib(25)": () => fib(25),
  "fold 10^6": () => items.reduce((acc, item) => acc + item, 0),
  "insertion sort 500": () => insertionSort(scattered500)[0],
  "church 10^6": () => six(ten)(increment)(0),
  "tail loop 10^6": () => tailLoop(MILLION),
  "text 10^5": () => joinText(few),
  "parse 1 MB list": () => JSON.parse(text).length,
  "fib(22)": () => fib(22),
  "fib(18) by fixed point": () =>
    fixedPoint((r) => (n) => (n < 2 ? n : r(n - 1) + r(n - 2)))(18),
  "doubling 2^16": () => doubling(16),
  "build and fold 10^5": () => buildAndFold(1000),
  "church 20 x 10 x 100": () => times(times(twenty)(ten))(times(ten)(ten))(increment)(0),
  "church 2^13": () => thirteen(two)(increment)(0),
  "recursion 3000 deep": () => sumTo(3000),
  "insertion sort 200": () => asArray(insertionSort(scattered200)),
};
