"""What the scripted model does, and what it has to be told. A step is a call of a tool; where the client
does not offer the tool, a call of `run` stands in for it."""

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
    # The arguments of `run` where the client does not offer the tool.
    otherwise: dict | None = None


# A client that rounds integers is told so by the server.
ROUNDED = f"{BIG + 1}|may have rounded"

STEPS = [
    Step("lists in text", "run", {"code": "[[1, 2], [3, [4]]].map(r => r.flat().sum())"}, r"\[3, ?7\]"),
    Step("lists in JSON code", "run", {"code": {"reverse": [[1, [2]], [[3], 4]]}},
         r"\[\[\[3\], ?4\], ?\[1, ?\[2\]\]\]"),
    Step("lists in data", "run", {"code": "data.map(r => r.sum())", "data": [[1, 2], [3, 4]]}, r"\[3, ?7\]"),
    Step("deep lists in data", "run", {"code": "data", "data": [[[1]], {"a": [[2]]}]},
         r"\[\[\[1\]\], ?\{\"a\": ?\[\[2\]\]\}\]"),
    Step("big integer in code", "run", {"code": f"{BIG} + 1"}, str(BIG + 1)),
    Step("big integer in data", "run", {"code": "data + 1", "data": BIG}, ROUNDED),
    Step("big integer as text", "run", {"code": "data.parse_int() + 1", "data": str(BIG)}, str(BIG + 1)),
    Step("fault", "run", {"code": "nothing + 1"}, "unbound"),
    Step("evolve", "evolve", {"name": "triple", "description": "Triples a number", "code": "x => x * 3"},
         "triple"),
    Step("evolved tool", "triple", {"data": 14}, r"\b42\b", otherwise={"tool": "triple", "data": 14}),
    Step("evolved tool, later", "triple", {"data": 15}, r"\b45\b", otherwise={"tool": "triple", "data": 15}),
    # Nobody sees the question, so the run waits. What a person would do then has to reach the model.
    Step("question", "run", {"code": 'call("other.answer", {})'}, "mcp-pif approve"),
]


@dataclass
class Script:
    """The script of one client over one transport."""

    at: int = 0
    calls: int = 0
    pending: Call | None = None
    # The step that the pending call is of; None: it is a search for a tool.
    step: Step | None = None
    # What was searched for, by step and tool, and the names that searches found.
    searched: set = field(default_factory=set)
    found: dict = field(default_factory=dict)
    # By step: the text that came back, and whether its tool was called by its own name.
    told: dict = field(default_factory=dict)
    direct: dict = field(default_factory=dict)
    # The names under which the client offered the tools.
    names: dict = field(default_factory=dict)

    def answer(self, turn, body):
        """What the model says to a turn."""
        if not find(turn, "run") and not searcher(turn):
            return "A title"  # The client asks for a summary of the conversation or the like.
        if self.pending and self.pending.id not in turn.results:
            return self.pending  # A request that is repeated.
        if self.pending:
            self.take(turn.results[self.pending.id])
        while self.at < len(STEPS):
            self.pending = self.next(turn)
            if self.pending:
                self.calls += 1
                return self.pending
            self.step = STEPS[self.at]
            self.take(f"the client does not offer it: {[name for name, _ in turn.tools]}")
        return "done"

    def take(self, text):
        """Notes the result of the pending call."""
        if self.step:
            self.told[self.step.name] = text
            self.at += 1
        else:
            for whole, name in re.findall(r'"name": ?"(mcp__pif__([a-z_]+))"', unescaped(text)):
                self.found[name] = whole
        self.pending = self.step = None

    def next(self, turn):
        """The call of the present step, or a search for its tool; None: it cannot be called."""
        step = STEPS[self.at]
        for tool, arguments in [(step.tool, step.arguments), ("run", step.otherwise)]:
            if arguments is None:
                continue
            if offered := find(turn, tool):
                return self.call(step, tool, offered, arguments)
            if tool in self.found and (through := named(turn, "tool_call")):
                self.names[tool] = self.found[tool]
                arguments = {"name": self.found[tool], "arguments": arguments}
                return self.call(step, tool, through, arguments)
            if (search := searcher(turn)) and (self.at, tool) not in self.searched:
                self.searched.add((self.at, tool))
                query = json.dumps({"query": f"select:mcp__pif__{tool}"})
                return Call(f"call_{self.calls}", search[0], query, search[1])
        return None

    def call(self, step, tool, offered, arguments):
        self.step = step
        self.direct[step.name] = tool == step.tool
        self.names.setdefault(tool, "/".join(filter(None, reversed(offered))))
        return Call(f"call_{self.calls}", offered[0], json.dumps(arguments), offered[1])

    def passed(self):
        """The names of the steps whose results are as they should be."""
        return {step.name for step, holds, _ in self.checks() if holds}

    def checks(self):
        """Each step, whether its result is as it should be, and the result."""
        for step in STEPS:
            told = self.told.get(step.name)
            yield step, told is not None and bool(re.search(step.wanted, unescaped(told))), told


def unescaped(text):
    """A result that is JSON in a text, as its reader sees it."""
    return text.replace("\\n", "\n").replace('\\"', '"')


def named(turn, name):
    """The tool with exactly this name."""
    return next((offered for offered in turn.tools if offered[0] == name), None)


def find(turn, name):
    """The tool of the server, whatever stands before its name."""
    ends = re.compile(rf"(^|[^a-z]){name}$")
    return next((offered for offered in turn.tools if ends.search(offered[0])), None)


def searcher(turn):
    """The tool by which the client loads others."""
    return named(turn, "ToolSearch") or named(turn, "tool_search")
