"""The rows of `cargo x bench data` in Python. Reads names on standard input; for each it does that
work once on the JSON text of that name in the folder given, and prints milliseconds and value."""

import json
import re
import sys
import time
from collections import Counter


def group(records):
    groups = {}
    for record in records:
        groups.setdefault(record["group"], []).append(record)
    return len(groups)


def join(lists):
    index = {record["name"]: record for record in lists["right"]}
    return len([record for record in lists["left"] if record["name"] in index])


def text(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def parse(source):
    return len(json.loads(source))


programs = {
    "split": lambda x: len(x.split(" ")),
    "replace": lambda x: len(x.replace("fox", "wolves")),
    "upper": lambda x: len(x.upper()),
    "upper of umlauts": lambda x: len(x.upper()),
    "index_of": lambda x: x.find("needle"),
    "join": lambda x: len(",".join(x)),
    "find_all": lambda x: len(re.findall("[a-z]+ing", x)),
    "sort integers": lambda x: sorted(x)[500000],
    "sort texts": lambda x: sorted(x)[100000],
    "sort_by": lambda x: sorted(x, key=lambda r: r["price"])[5000]["id"],
    "group_by": group,
    "count_by": lambda x: len(Counter(x)),
    "map, filter, sum": lambda x: sum(map(lambda n: n * 2, filter(lambda n: n % 3 == 0, x))),
    "join lists": join,
    "parse records": parse,
    "parse integers": parse,
    "parse floats": parse,
    "parse texts": parse,
    "print records": text,
    "print integers": text,
    "print floats": text,
    "print texts": text,
}
loaded = {}
for line in sys.stdin:
    name = line.rstrip("\n")
    if name not in loaded:
        with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as file:
            source = file.read()
        loaded[name] = source if programs[name] is parse else json.loads(source)
    start = time.perf_counter()
    value = programs[name](loaded[name])
    print((time.perf_counter() - start) * 1e3, json.dumps(value, ensure_ascii=False), flush=True)
