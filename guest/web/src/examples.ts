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
    code: `{"lam": "orders", "body":
  {"map": [
    {"lam": "group", "body": {"record": {
      "customer": {"fst": {"var": "group"}},
      "total": {"sum": {"map": [
        {"lam": "order", "body": {"get": [{"var": "order"}, "amount"]}},
        {"snd": {"var": "group"}}]}}}}},
    {"group_by": [
      {"lam": "order", "body": {"get": [{"var": "order"}, "customer"]}},
      {"var": "orders"}]}]}}`,
    argument: {
      tag: "data",
      text: `[{"customer": "Ada", "amount": 120},
 {"customer": "Grace", "amount": 75},
 {"customer": "Ada", "amount": 42}]`,
    },
  },
  {
    title: "Factorial, a tool that calls itself",
    name: "factorial",
    code: `{"lam": "n", "body":
  {"if": {
    "cond": {"lte": [{"var": "n"}, 1]},
    "then": 1,
    "else": {"mul": [
      {"var": "n"},
      {"app": {"func": {"self": true},
               "arg": {"sub": [{"var": "n"}, 1]}}}]}}}}`,
    argument: { tag: "data", text: "25" },
  },
  {
    title: "Words of a text",
    name: "",
    code: `{"lam": "text", "body": {"pipe": [
  {"find_all": [{"lower": {"var": "text"}}, "[a-z]+"]},
  {"lam": "words", "body": {"count_by": [
    {"lam": "word", "body": {"var": "word"}},
    {"var": "words"}]}},
  {"lam": "counts", "body": {"sort_by": [
    {"lam": "count", "body": {"snd": {"var": "count"}}},
    {"var": "counts"}, "desc"]}},
  {"lam": "counts", "body": {"take": [{"var": "counts"}, 3]}}]}}`,
    argument: { tag: "data", text: '"The cat saw the dog, and the dog saw the cat."' },
  },
  {
    title: "A fault and its place",
    name: "",
    code: `{"let": [["price", 12], ["count", "3"]],
 "in": {"mul": [{"var": "price"}, {"var": "count"}]}}`,
    argument: none,
  },
  {
    title: "A continuation, step by step",
    name: "countdown",
    code: `{"lam": "n", "body":
  {"if": {
    "cond": {"lte": [{"var": "n"}, 0]},
    "then": "lift-off",
    "else": {"continue": {"input": {"sub": [{"var": "n"}, 1]}}}}}}`,
    argument: { tag: "input", text: "3" },
  },
  {
    title: "Code as data",
    name: "",
    code: `{"let": [["square", {"quote": {"mul": [7, 7]}}]],
 "in": [{"var": "square"}, {"eval": {"var": "square"}}, {"analyze": {"var": "square"}}]}`,
    argument: none,
  },
  {
    title: "A loop without end",
    name: "forever",
    code: `{"lam": "n", "body":
  {"app": {"func": {"self": true},
           "arg": {"add": [{"var": "n"}, 1]}}}}`,
    argument: { tag: "data", text: "0" },
  },
];
