"""A model that follows a script, behind the wires of Anthropic, OpenAI (chat and responses) and Google.

A request becomes a `Turn`: the tools that the client offers, and the results that it sends back. The
script answers a turn with a call of a tool or with a text."""

import json
import re
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Turn:
    """What a client asks its model: tools by name, and the texts of results by the id of their call."""

    tools: list
    results: dict


@dataclass
class Call:
    """A call of a tool that the model makes."""

    id: str
    tool: str
    arguments: str
    # How the client groups the tool, where it does (the `namespace` of Codex).
    group: str = ""


def text_of(content):
    """All text in the content of a result, whatever its shape."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        if isinstance(content.get("text"), str):
            return content["text"]
        return json.dumps(content, ensure_ascii=False)
    return "" if content is None else json.dumps(content)


def events(named):
    """Server-sent events: pairs of a name, or none, and a value."""
    for name, value in named:
        head = f"event: {name}\n" if name else ""
        yield f"{head}data: {value if isinstance(value, str) else json.dumps(value)}\n\n"


class Anthropic:
    """`POST /v1/messages`"""

    path = re.compile(r"^/v1/messages$")

    @staticmethod
    def turn(body):
        results = {}
        for message in body["messages"]:
            parts = message["content"] if isinstance(message["content"], list) else []
            for part in parts:
                if part.get("type") == "tool_result":
                    results[part["tool_use_id"]] = text_of(part.get("content"))
        return Turn([(tool["name"], "") for tool in body.get("tools", [])], results)

    @staticmethod
    def answer(said, body):
        if isinstance(said, Call):
            block = {"type": "tool_use", "id": said.id, "name": said.tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": said.arguments}
            whole = {**block, "input": json.loads(said.arguments)}
        else:
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": said}
            whole = {"type": "text", "text": said}
        reason = "tool_use" if isinstance(said, Call) else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 10}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
        message |= {"stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            return None, message | {"content": [whole], "stop_reason": reason}
        return [
            ("message_start", {"type": "message_start",
                               "message": message | {"content": [], "stop_reason": None}}),
            ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}),
            ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
            ("content_block_stop", {"type": "content_block_stop", "index": 0}),
            ("message_delta", {"type": "message_delta", "usage": usage,
                               "delta": {"stop_reason": reason, "stop_sequence": None}}),
            ("message_stop", {"type": "message_stop"}),
        ], None


class Chat:
    """`POST /v1/chat/completions`"""

    path = re.compile(r"^/v1/chat/completions$")

    @staticmethod
    def turn(body):
        results = {message["tool_call_id"]: text_of(message.get("content"))
                   for message in body["messages"] if message["role"] == "tool"}
        return Turn([(tool["function"]["name"], "") for tool in body.get("tools") or []], results)

    @staticmethod
    def answer(said, body):
        if isinstance(said, Call):
            function = {"name": said.tool, "arguments": said.arguments}
            call = {"id": said.id, "type": "function", "function": function}
            message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
            delta = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, **call}]}
        else:
            message, reason = {"role": "assistant", "content": said}, "stop"
            delta = message
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        head = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return None, head | {"object": "chat.completion", "choices": [choice], "usage": usage}
        head["object"] = "chat.completion.chunk"
        first = {"index": 0, "delta": delta, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": reason}
        chunks = [head | {"choices": [first]}, head | {"choices": [last], "usage": usage}, "[DONE]"]
        return [("", chunk) for chunk in chunks], None


class Responses:
    """`POST /v1/responses`"""

    path = re.compile(r"^/v1/responses$")

    @staticmethod
    def turn(body):
        tools = []
        for tool in body.get("tools", []):
            if tool.get("type") == "namespace":
                tools += [(member["name"], tool["name"]) for member in tool.get("tools", [])]
            elif "name" in tool or "type" in tool:
                tools.append((tool.get("name", tool["type"]), ""))
        items = body["input"] if isinstance(body["input"], list) else []
        results = {item["call_id"]: text_of(item.get("output", item))
                   for item in items if str(item.get("type", "")).endswith("call_output")}
        results |= {item["call_id"]: json.dumps(item.get("tools", []))
                    for item in items if item.get("type") == "tool_search_output"}
        return Turn(tools, results)

    @staticmethod
    def answer(said, body):
        if isinstance(said, Call):
            item = {"type": "function_call", "id": "fc_" + said.id, "call_id": said.id,
                    "name": said.tool, "arguments": said.arguments, "status": "completed"}
            if said.group:
                item["namespace"] = said.group
        else:
            part = {"type": "output_text", "text": said, "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part],
                    "status": "completed"}
        usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 20}
        head = {"id": "resp_1", "object": "response", "created_at": 1, "model": body["model"]}
        head |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        done = head | {"status": "completed", "output": [item], "usage": usage}
        if not body.get("stream"):
            return None, done
        started = head | {"status": "in_progress", "output": []}
        named = [
            {"type": "response.created", "response": started},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": done},
        ]
        return [(event["type"], {**event, "sequence_number": at}) for at, event in enumerate(named)], None


class Gemini:
    """`POST /v1beta/models/MODEL:generateContent`, and `streamGenerateContent`"""

    path = re.compile(r"^/v1(beta)?/models/[^:]+:(?P<method>(stream)?[gG]enerateContent)$")

    @staticmethod
    def turn(body):
        declared = [tool for part in body.get("tools", []) for tool in part.get("functionDeclarations", [])]
        results = {}
        for content in body["contents"]:
            for part in content.get("parts", []):
                if answer := part.get("functionResponse"):
                    # The ids of calls do not come back from every version: the order is theirs.
                    results[answer.get("id") or f"call_{len(results)}"] = text_of(answer["response"])
        return Turn([(tool["name"], "") for tool in declared], results)

    @staticmethod
    def answer(said, body):
        if isinstance(said, Call):
            call = {"id": said.id, "name": said.tool, "args": json.loads(said.arguments)}
            part = {"functionCall": call}
        else:
            part = {"text": said}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        value = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
        return [("", value)], value


WIRES = [Anthropic, Chat, Responses, Gemini]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.say(200, b"")

    def do_GET(self):
        if self.path.split("?")[0].endswith("/models"):
            model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "script"}
            return self.say(200, json.dumps({"object": "list", "data": [model]}).encode())
        return self.say(404, b"{}")

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.split("?")[0]
        for wire in WIRES:
            if found := wire.path.match(path):
                break
        else:
            self.server.unknown(path)
            return self.say(404, b'{"error": {"message": "the scripted model has no such path"}}')
        body = json.loads(text)
        with self.server.turns:  # One turn after the other.
            said = self.server.script.answer(wire.turn(body), body)
        method = found.groupdict().get("method", "")
        body.setdefault("model", "scripted")
        stream, value = wire.answer(said, body)
        if value is not None and not method.startswith("stream"):
            return self.say(200, json.dumps(value).encode())
        return self.say(200, "".join(events(stream)).encode(), "text/event-stream")

    def say(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Model(ThreadingHTTPServer):
    """The endpoint. Each client has a script of its own."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns = threading.Lock()
        self.script = None
        self.missed = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def unknown(self, path):
        self.missed.append(path)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"
