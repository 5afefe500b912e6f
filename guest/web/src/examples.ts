// Programs to begin with.

import type { Draft } from "./store.ts";

interface Example extends Draft {
  title: string;
}

const none = { tag: "none", text: "" } as const;

export const EXAMPLES: Example[] = [
  {
    title: "Orders by customer",
    name: "",
    code: `// What each customer has ordered, in the currency of the context.
data.filter(order => order.amount > 0)
  .group_by(order => order.customer)
  .map(([customer, orders]) => ({
    customer,
    total: \`\${orders.map(order => order.amount).sum()} \${currency}\`,
  }))`,
    argument: {
      tag: "data",
      text: `[{"customer": "Ada", "amount": 120},
 {"customer": "Grace", "amount": 75},
 {"customer": "Ada", "amount": 42}]`,
    },
    context: '{"currency": "EUR"}',
  },
  {
    title: "Factorial, a tool that calls itself",
    name: "factorial",
    code: "n => n <= 1 ? 1 : n * self(n - 1)",
    argument: { tag: "data", text: "25" },
    context: "",
  },
  {
    title: "Words of a text",
    name: "",
    code: `data.lower()
  .find_all("[a-z]+")
  .count_by(word => word)
  .sort_by(([word, count]) => count, "desc")
  .take(3)`,
    argument: { tag: "data", text: '"The cat saw the dog, and the dog saw the cat."' },
    context: "",
  },
  {
    title: "A fault and its place",
    name: "",
    code: `const price = 12;
const count = "3";
price * count`,
    argument: none,
    context: "",
  },
  {
    title: "A continuation, step by step",
    name: "countdown",
    code: `n => n <= 0 ? "lift-off" : continue(n - 1)`,
    argument: { tag: "input", text: "3" },
    context: "",
  },
  {
    title: "Code as data",
    name: "",
    code: `const square = quote(7 * 7);
[square, eval(square), analyze(square)]`,
    argument: none,
    context: "",
  },
  {
    title: "A term in JSON",
    name: "",
    code: `{"fold": [
  {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}},
  0,
  {"range": [1, 101]}]}`,
    argument: none,
    context: "",
  },
  {
    title: "A loop without end",
    name: "forever",
    code: "n => self(n + 1)",
    argument: { tag: "data", text: "0" },
    context: "",
  },
];
