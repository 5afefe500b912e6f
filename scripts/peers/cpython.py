"""The programs of `programs.py`, run by CPython as `peers.rs` asks for them: a name comes in, and
milliseconds and the value go out."""

import json
import platform
import sys
import time
from pathlib import Path

sys.setrecursionlimit(10_000)
names = {}
exec(Path(__file__).with_name("programs.py").read_text(), names)
print("CPython", platform.python_version(), flush=True)
for line in sys.stdin:
    run = names["programs"][line.strip()]
    start = time.perf_counter()
    value = run()
    spent = (time.perf_counter() - start) * 1e3
    print(spent, json.dumps(value, separators=(",", ":")), flush=True)
