"""The programs of `programs.py`, run by Monty in its worker process as `peers.rs` asks for them. A
request to the worker is part of the time, as an entry into the sandbox is of ours."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

from pydantic_monty import Monty

with Monty() as pool, pool.checkout() as session:
    session.feed_run(Path(__file__).with_name("programs.py").read_text())
    print("Monty", version("pydantic-monty"), flush=True)
    for line in sys.stdin:
        call = f"value = programs[{line.strip()!r}]()"
        start = time.perf_counter()
        try:
            session.feed_run(call)
        except Exception as error:
            print("-", " ".join(str(error).split())[:100], flush=True)
            continue
        spent = (time.perf_counter() - start) * 1e3
        value = session.feed_run("value")
        value = getattr(value, "output", value)
        print(spent, json.dumps(value, separators=(",", ":")), flush=True)
