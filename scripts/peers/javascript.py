"""The programs of `programs.js`, run by QuickJS as `peers.rs` asks for them: the engine is native,
and only its clock is Python's."""

import sys
import time
from importlib.metadata import version
from pathlib import Path

import quickjs

context = quickjs.Context()
context.set_max_stack_size(1 << 23)
context.eval(Path(__file__).with_name("programs.js").read_text())
call = context.eval("(name) => { globalThis.value = programs[name](); }")
print("QuickJS-ng", version("python-quickjs-ng"), flush=True)
for line in sys.stdin:
    name = line.strip()
    start = time.perf_counter()
    call(name)
    spent = (time.perf_counter() - start) * 1e3
    print(spent, context.eval("JSON.stringify(value)"), flush=True)
