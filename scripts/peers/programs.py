# What the terms compute, in Python as one would write it; lists that a term builds and takes apart
# are nested pairs. CPython runs this text, and Monty too.

import json
from functools import reduce

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
    in_order = None
    for item in items:
        in_order = insert(item, in_order)
    return in_order


def as_list(items):
    out = []
    while items is not None:
        out.append(items[0])
        items = items[1]
    return out


def church():
    six = lambda f: lambda x: f(f(f(f(f(f(x))))))
    return six(ten)(lambda i: i + 1)(0)


two = lambda f: lambda x: f(f(x))
ten = lambda f: lambda x: f(f(f(f(f(f(f(f(f(f(x))))))))))
thirteen = lambda f: lambda x: f(f(f(ten(f)(x))))
twenty = lambda f: lambda x: ten(f)(ten(f)(x))
times = lambda m: lambda n: lambda f: m(n(f))


def church_product():
    return times(times(twenty)(ten))(times(ten)(ten))(lambda i: i + 1)(0)


def church_power():
    return thirteen(two)(lambda i: i + 1)(0)


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


def fixed_point(f):
    half = lambda x: f(lambda v: x(x)(v))
    return half(half)


def fib_by_fixed_point(n):
    return fixed_point(lambda r: lambda n: n if n < 2 else r(n - 1) + r(n - 2))(n)


def doubling(n):
    return 1 if n <= 0 else doubling(n - 1) + doubling(n - 1)


def build_and_fold(count):
    built = None
    for o in range(count):
        for i in range(100):
            built = (i + o * 100, built)
    acc = 0
    while built is not None:
        acc = acc + built[0]
        built = built[1]
    return acc


def sum_to(n):
    return 0 if n == 0 else n + sum_to(n - 1)


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


items, few, text = list(range(MILLION)), list(range(100_000)), list_text(MILLION)
scattered_200, scattered_500 = scattered(200), scattered(500)
programs = {
    "fib(25)": lambda: fib(25),
    "fold 10^6": lambda: fold_sum(items),
    "insertion sort 500": lambda: insertion_sort(scattered_500)[0],
    "church 10^6": church,
    "tail loop 10^6": lambda: tail_loop(MILLION),
    "text 10^5": lambda: join_text(few),
    "parse 1 MB list": lambda: len(json.loads(text)),
    "fib(22)": lambda: fib(22),
    "fib(18) by fixed point": lambda: fib_by_fixed_point(18),
    "doubling 2^16": lambda: doubling(16),
    "build and fold 10^5": lambda: build_and_fold(1000),
    "church 20 x 10 x 100": church_product,
    "church 2^13": church_power,
    "recursion 3000 deep": lambda: sum_to(3000),
    "insertion sort 200": lambda: as_list(insertion_sort(scattered_200)),
}
