"""A server with one tool, `answer`, which gives 42."""

import json
import sys

TOOL = {"name": "answer", "description": "The answer", "inputSchema": {"type": "object"}}


def reply(request):
    if request["method"] == "initialize":
        version = request["params"]["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}},
                "serverInfo": {"name": "other", "version": "1"}}
    if request["method"] == "tools/list":
        return {"tools": [TOOL]}
    if request["method"] == "tools/call":
        return {"content": [{"type": "text", "text": "42"}]}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = reply(request)
    end = {"result": result} if result else {"error": {"code": -32601, "message": "unknown method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **end}), flush=True)
