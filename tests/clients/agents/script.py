"""What the scripted model does, and what it has to be told. A step is a call of a tool; where the client
does not offer the tool, another step may stand in for it."""

import json
import re
from dataclasses import dataclass, field

from model import Call

BIG = 9007199254740993


@dataclass
class Step:
    """A call, and what its result has to say."""

    name: str
    tool: str
    arguments: dict
    wanted: str
    # What is called where the client does not offer the tool.
    otherwise: dict | None = None


STEPS = [
    Step("lists in text", "run", {"code": "[[1, 2], [3, [4]]].map(r => r.flat().sum())"}, r"\[3, ?7\]"),
    Step("lists in JSON code", "run", {"code": {"reverse": [[1, [2]], [[3], 4]]}}, r"\[\[\[3\], ?4\], ?\[1, ?\[2\]\]\]"),
    Step("lists in data", "run", {"code": "data.map(r => r.sum())", "data": [[1, 2], [3, 4]]}, r"\[3, ?7\]"),
    Step("deep lists in data", "run", {"code": "data", "data": [[[1]], {"a": [[2]]}]}, r"\[\[\[1\]\], ?\{\"a\": ?\[\[2\]\]\}\]"),
    Step("big integer in code", "run", {"code": f"{BIG} + 1"}, str(BIG + 1)),
    Step("big integer in data", "run", {"code": "data + 1", "data": BIG}, str(BIG + 1)),
    Step("big integer as text", "run", {"code": "data.parse_int() + 1", "data": str(BIG)}, str(BIG + 1)),
    Step("fault", "run", {"code": "nothing + 1"}, "unbound"),
    Step("evolve", "evolve", {"name": "triple", "description": "Triples a number", "code": "x => x * 3"}, "triple"),
    Step("evolved tool", "triple", {"input": 14}, r"\b42\b", otherwise={"tool": "triple", "input": 14}),
    Step("evolved tool, later", "triple", {"input": 15}, r"\b45\b", otherwise={"tool": "triple", "input": 15}),
    Step("question", "run", {"code": "call(\"other.answer\", {})"}, "waits|pending"),
]


@dataclass
class Script:
    """The script of one client over one transport."""

    at: int = 0
    calls: int = 0
    pending: Call | None = None
    # The step that the pending call is of; None: it is a search for a tool.
    step: Step | None = None
    searched: set = field(default_factory=set)
    # By step: the text that came back; and by step whether the tool had to be called by `run`.
    told: dict = field(default_factory=dict)
    direct: dict = field(default_factory=dict)
    # The name that the client gave to each tool.
    names: dict = field(default_factory=dict)
    ended: bool = False

    def answer(self, turn, body):
        """What the model says to a turn."""
        if not turn.tools or not self.knows_any(turn):
            return "A title"  # The client asks for a summary of the conversation or the like.
        if self.pending and self.pending.id not in turn.results:
            return self.pending  # A request that is repeated.
        if self.pending:
            self.take(turn.results[self.pending.id])
        if self.at == len(STEPS):
            self.ended = True
            return "done"
        self.pending = self.next(turn)
        return self.pending

    def knows_any(self, turn):
        return any(find(turn, name) for name in ["run", "evolve"]) or searcher(turn)

    def take(self, text):
        """Notes the result of the pending call."""
        if self.step:
            self.told[self.step.name] = text
            self.at += 1
        self.pending = self.step = None

    def next(self, turn):
        step = STEPS[self.at]
        self.calls += 1
        id = f"call_{self.calls - 1}"
        wanted = step.tool
        found = find(turn, wanted)
        search = searcher(turn)
        if not found and search and self.at not in self.searched:
            self.searched.add(self.at)
            return Call(id, search[0], json.dumps(query(search[0], wanted, self.names)), search[1])
        if not found and step.otherwise:
            found = find(turn, "run")
        elif found:
            self.direct[step.name] = True
        if not found and wanted in self.names:
            found = self.names[wanted]  # Found by a search, and not listed again.
        if not found:
            self.step = step
            self.take(f"the client does not offer `{wanted}`: {[name for name, _ in turn.tools]}")
            return self.next(turn) if self.at < len(STEPS) else "done"
        self.step = step
        self.names.setdefault(wanted if step.name in self.direct or not step.otherwise else "run", found)
        arguments = step.arguments if step.name in self.direct or not step.otherwise else step.otherwise
        return Call(id, found[0], json.dumps(arguments), found[1])

    def checks(self):
        """Each step, whether its result is as it should be, and the result."""
        for step in STEPS:
            told = self.told.get(step.name)
            yield step, told is not None and bool(re.search(step.wanted, unescaped(told))), told


def unescaped(text):
    """A result that is JSON in a text, as its reader sees it."""
    return text.replace("\\n", "\n").replace('\\"', '"')


def find(turn, name):
    """The tool of this name, whatever stands before it."""
    fits = [offered for offered in turn.tools if re.search(rf"(^|[^a-z]){name}$", offered[0])]
    return fits[0] if fits else None


def searcher(turn):
    """The tool by which the client loads others."""
    for offered in turn.tools:
        if offered[0].lower().replace("_", "") in ("toolsearch",):
            return offered
    return None


def query(tool, wanted, names):
    """The arguments of a search for a tool."""
    return {"query": f"select:mcp__pif__{wanted}"}
