"""The evaluator in Python: `python embed.py evaluator.wasm`, with `wasmtime` from PyPI.

The package calls everything that the component exports, resources too. Records are `Record`
objects whose attributes have the names of the contract, variants are `Variant(tag, payload)`."""

import hashlib
import sys
import threading
import time
from pathlib import Path

from wasmtime import Config, Engine, Store, WasmtimeError
from wasmtime.component import Component, Linker, Record, Variant

HERE = Path(__file__).parent
MACHINES = "pif:evaluator/machines@0.1.0"
SQUARE = '{"lam":"x","body":{"mul":[{"var":"x"},{"var":"x"}]}}'


class Evaluator:
    """Once: an engine, the compiled component, and a clock for deadlines."""

    def __init__(self, component):
        config = Config()
        config.consume_fuel = True
        config.epoch_interruption = True
        self.engine = Engine(config)
        self.component = Component(self.engine, component)
        self.linker = Linker(self.engine)
        threading.Thread(target=self.tick, daemon=True).start()

    def tick(self):
        while True:
            time.sleep(0.01)
            self.engine.increment_epoch()

    def enter(self):
        """For each call: a store with the host's limits, and a fresh instance in it."""
        store = Store(self.engine)
        store.set_fuel(1 << 40)
        store.set_limits(memory_size=256 << 20)
        store.set_epoch_deadline(100)
        return Entered(store, self.linker.instantiate(store, self.component))

    def evaluate(self, request):
        """One run as JSON in and JSON out."""
        return self.enter().call("evaluate", request)


class Entered:
    """An instance, and the functions of its interface `machines`."""

    def __init__(self, store, instance):
        self.store = store
        self.instance = instance
        self.machines = instance.get_export_index(store, MACHINES)

    def call(self, name, *arguments):
        index = self.instance.get_export_index(self.store, name, self.machines)
        return self.instance.get_func(self.store, index)(self.store, *arguments)


def record(**members):
    made = Record()
    made.__dict__.update(members)
    return made


def converse(evaluator, tools):
    """One run step by step, with limits of the language, which holds the same everywhere."""
    instance = evaluator.enter()
    limits = record(fuel=1000, depth=100, memory=1 << 20, output=1000)
    program = record(
        code=Variant("tool", "square"),
        argument=Variant("data", "7"),
        context=None,
        bindings=[],
        tools=[],
        step=0,
        debug=False,
        keep=False,
    )
    machine = instance.call("[static]machine.start", program, limits)
    if isinstance(machine, Record):
        raise RuntimeError(machine.message)
    answer = Variant("none")
    while True:
        step = instance.call("[method]machine.resume", machine, answer, 100)
        match step.tag:
            case "lookup":
                print("lookup", step.payload)
                answer = Variant("source", tools.get(step.payload))
            case "perform":
                answer = Variant("none")  # nothing is granted
            case "wait" | "paused":
                answer = Variant("none")
            case "failed":
                raise RuntimeError(f"{step.payload.code}: {step.payload.message}")
            case "done" | "continuation":
                print(step.tag, step.payload.json)
                machine.drop(instance.store)
                return


def main():
    component = Path(sys.argv[1]).read_bytes()
    print("component", hashlib.sha256(component).hexdigest())
    evaluator = Evaluator(component)
    print("evaluate", evaluator.evaluate((HERE / "request.json").read_text()))
    converse(evaluator, {"square": SQUARE})
    # It would run for hours: the deadline of the host ends it. The instance is gone with it,
    # the next one knows nothing of that.
    try:
        evaluator.evaluate((HERE / "endless.json").read_text())
        sys.exit("nothing stopped what has no end")
    except WasmtimeError as error:
        print("trapped", str(error).splitlines()[-1].strip())
    print("evaluate", evaluator.evaluate('{"code":{"add":[1,2]}}'))
    # A fresh instance is the rule; one that is used again answers the same.
    instance = evaluator.enter()
    request = (HERE / "request.json").read_text()
    answers = {instance.call("evaluate", request) for _ in range(100)}
    print("answers", len(answers))


if __name__ == "__main__":
    main()
