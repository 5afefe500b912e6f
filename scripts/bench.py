"""The programs of `cargo x bench` in Python, shaped like the terms: closures, and pairs for lists
that the terms build themselves. Reads names on standard input; for each it runs that program once
and prints its milliseconds and its value."""

import json
import sys
import time
from functools import reduce

sys.setrecursionlimit(10_000)
MILLION = 1_000_000


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def fold_sum(items):
    return reduce(lambda acc, item: acc + item, items, 0)


def reverse(items):
    out = None
    while items is not None:
        out = (items[0], out)
        items = items[1]
    return out


def insert(x, items):
    placed, out = False, None
    while items is not None:
        y, items = items
        if placed:
            out = (y, out)
        elif x < y:
            placed, out = True, (y, (x, out))
        else:
            out = (y, out)
    return reverse(out if placed else (x, out))


def insertion_sort(items):
    sorted_items = None
    for item in items:
        sorted_items = insert(item, sorted_items)
    return sorted_items[0]


def church():
    six = lambda f: lambda x: f(f(f(f(f(f(x))))))
    ten = lambda f: lambda x: f(f(f(f(f(f(f(f(f(f(x))))))))))
    return six(ten)(lambda i: i + 1)(0)


def tail_loop(n):
    acc = 0
    while n != 0:
        n, acc = n - 1, acc + n
    return acc


def join_text(items):
    text = ""
    for _ in items:
        text = text + "ab"
    return len(text)


def scattered(count):
    x, out = 12345, []
    for _ in range(count):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        out.append((x >> 8) % 100_000)
    return out


def list_text(size):
    parts, length, i = [], 1, 1
    while length < size:
        part = str(i * 7919 % 1_000_003)
        parts.append(part)
        length += len(part) + 1
        i += 1
    return "[" + ",".join(parts) + "]"


items, small, few, text = list(range(MILLION)), scattered(500), range(100_000), list_text(MILLION)
programs = {
    "fib(25)": lambda: fib(25),
    "fold 10^6": lambda: fold_sum(items),
    "insertion sort 500": lambda: insertion_sort(small),
    "church 10^6": church,
    "tail loop 10^6": lambda: tail_loop(MILLION),
    "text 10^5": lambda: join_text(few),
    "parse 1 MB list": lambda: len(json.loads(text)),
}
for line in sys.stdin:
    run = programs[line.strip()]
    start = time.perf_counter()
    value = run()
    print((time.perf_counter() - start) * 1e3, value, flush=True)
