"""Receipts by another implementation: signatures and envelopes by securesystemslib, statements by
in-toto-attestation, digests and the hash of the entry by hashlib.

receipt.py verify RECEIPT KEYS   verifies it, then a copy with each bit of some of each byte changed
receipt.py sign RECEIPT FOLDER   signs its statement with keys of its own: `keys.pem`, `good-….json`
                                 which have to be accepted, `bad-….json` which have to be refused

Prints a line for each check, `ok NAME`. It fails at the first that does not hold.
"""

import base64
import copy
import hashlib
import json
import sys
from pathlib import Path

import in_toto_attestation.v1.statement_pb2 as spb
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey

RUN = "https://github.com/mcp-pif/mcp-pif/run/v1"
BEGIN, END = "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----"
BITS = (1, 4, 32)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def key_of(public):
    """The key with the id that receipts use: the sha256 of its SubjectPublicKeyInfo."""
    der = public.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return SSlibKey.from_crypto(public, keyid=hashlib.sha256(der).hexdigest())


def read_keys(text):
    blocks = text.split(BEGIN)[1:]
    pems = [BEGIN + block.split(END)[0] + END for block in blocks]
    return [key_of(serialization.load_pem_public_key(pem.encode())) for pem in pems]


def link(before, entry):
    """The hash of an entry of the journal."""
    sha = hashlib.sha256()

    def add(column):
        text = b"" if column is None else str(column).encode()
        length = 2**64 - 1 if column is None else len(text)
        sha.update(length.to_bytes(8, "little") + text)

    add(before)
    for name in ("id", "time", "kind", "subject", "ending", "fuel", "component", "body", "ends"):
        add(entry[name])
    if entry["principal"] is not None:
        add(entry["principal"])
    return sha.hexdigest()


def require(holds, what):
    if not holds:
        raise ValueError(what)


def named(body, materials):
    """The digests of all texts that an entry names, each once."""
    schemas = {it["change"]: it["sha256"] for it in materials.get("schemas", [])}
    found, changes = [], []
    for answer in body.get("answers", []):
        ((kind, told),) = answer.items()
        if kind == "tool" and told[1] is not None and "." not in told[0]:
            found.append(told[1])
        elif kind == "schema":
            changes.append(told[1])
            found.append(schemas[told[1]])
        elif kind == "staged_schema":
            found.append(told[1]["sha256"])
        elif kind == "binding":
            found.append(told[1])
        elif kind == "calls":
            for made in told:
                came = made["outcome"]
                digest = came != "unknown" and (came.get("value") or came["failed"].get("value"))
                digests = [it for it in (digest, made.get("whole")) if it]
                found.extend(it["sha256"] for it in digests)
    require(set(changes) == set(schemas), "the schemas")
    return list(dict.fromkeys(found))


def verify(receipt, keys):
    """Verifies a receipt. Returns its statement."""
    require(set(receipt) <= {"envelope", "rotations", "materials"}, "members of a receipt")
    envelope = Envelope.from_dict(copy.deepcopy(receipt["envelope"]))
    require(envelope.payload_type == "application/vnd.in-toto+json", "the type of the payload")
    envelope.verify(keys, 1)
    said = json.loads(envelope.payload)
    statement = Statement.copy_from_pb(json_format.ParseDict(said, spb.Statement()))
    statement.validate()
    require(statement.pb.predicate_type == RUN, "the type of the predicate")
    run, materials = said["predicate"]["run"], receipt["materials"]
    texts, entry = materials["texts"], materials["entry"]
    require(set(materials) <= {"entry", "texts", "schemas"}, "members of the materials")
    require([sha256(text) for text in texts] == run["texts"], "the texts")
    require(named(json.loads(entry["body"]), materials) == run["texts"], "the texts of the entry")
    require(link(run["previous"], entry) == run["entry"]["hash"], "the hash of the entry")
    require(entry["id"] == run["entry"]["number"], "the number of the entry")
    require(entry["component"] == run["evaluator"], "the evaluator")
    require((entry["ending"], entry["fuel"]) == (run["ending"], run["fuel"]), "ending and fuel")
    body = json.loads(entry["body"])
    for name in ("code", "input", "data", "context"):
        text = body["request"].get(name)
        require(run.get(name) == (None if text is None else sha256(text)), name)
    outcome = body["outcome"]
    subject = said["subject"][0]
    require(subject["name"] in outcome, "the subject")
    if isinstance(outcome[subject["name"]], str):
        require(subject["digest"]["sha256"] == sha256(outcome[subject["name"]]), "the value")
    return statement


def altered(text, keys):
    """How many copies with a changed bit were refused; one that is not is an error."""
    receipt, refused = json.loads(text), 0
    core = ("envelope", "materials")
    for at in range(len(text)):
        for bit in BITS:
            changed = bytearray(text)
            changed[at] ^= bit
            try:
                other = json.loads(changed.decode())
            except ValueError:
                continue
            if says(other, core) == says(receipt, core):
                continue
            try:
                verify(other, keys)
            except Exception:
                refused += 1
                continue
            raise ValueError(f"byte {at} changed by {bit} is accepted: {changed[at - 20 : at + 20]}")
    return refused


def says(receipt, members):
    """What a receipt says: base64 decoded, since several texts of base64 mean equal bytes."""
    try:
        said = copy.deepcopy({name: receipt[name] for name in members})
        envelope = said["envelope"]
        envelope["payload"] = base64.b64decode(envelope["payload"])
        for signature in envelope["signatures"]:
            signature["sig"] = base64.b64decode(signature["sig"])
    except (KeyError, TypeError, ValueError):
        return None
    return said


def signer():
    private = Ed25519PrivateKey.generate()
    return CryptoSigner(private, key_of(private.public_key())), private.public_key()


def pem(public):
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return public.public_bytes(serialization.Encoding.PEM, form).decode()


def sign(receipt, folder):
    """Writes receipts that are signed with keys of its own."""
    ours, public = signer()
    stranger, _ = signer()
    (folder / "keys.pem").write_text(pem(public))
    payload = Envelope.from_dict(copy.deepcopy(receipt["envelope"])).payload
    said = json.loads(payload)

    def write(name, statement, by=(ours,), kind="application/vnd.in-toto+json", change=None):
        text = statement if isinstance(statement, bytes) else json.dumps(statement).encode()
        envelope = Envelope(text, kind, {})
        for one in by:
            envelope.sign(one)
        changed = {"envelope": envelope.to_dict(), "materials": copy.deepcopy(receipt["materials"])}
        if change:
            change(changed)
        (folder / f"{name}.json").write_text(json.dumps(changed))
        print(f"ok {name}")

    write("good-equal", payload)
    # Other white space and another order of members say as much.
    write("good-spaced", json.dumps(said, indent=2, sort_keys=True).encode())
    write("good-both", payload, by=(stranger, ours))
    write("bad-stranger", payload, by=(stranger,))
    write("bad-nobody", payload, by=())
    write("bad-kind", payload, kind="application/json")
    for name, path, value in (
        ("fuel", ("predicate", "run", "fuel"), said["predicate"]["run"]["fuel"] + 1),
        ("ending", ("predicate", "run", "ending"), "cancelled"),
        ("evaluator", ("predicate", "run", "evaluator"), "0" * 64),
        ("value", ("subject", 0, "digest", "sha256"), "0" * 64),
        ("predicate", ("predicateType",), "https://example.com/other/v1"),
        ("type", ("_type",), "https://in-toto.io/Statement/v0.1"),
        ("head", ("predicate", "head"), {}),
    ):
        changed = copy.deepcopy(said)
        place = changed
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        write(f"bad-{name}", changed)
    write("bad-text", payload, change=lambda it: it["materials"]["texts"].append("x"))
    write("bad-body", payload, change=lambda it: it["materials"]["entry"].update(fuel=7))

    def swap(it):
        it["envelope"]["signatures"][0]["keyid"] = stranger.public_key.keyid

    write("bad-keyid", payload, change=swap)


def main(task, file, place):
    text = Path(file).read_bytes().strip()
    if task == "sign":
        sign(json.loads(text), Path(place))
        return
    keys = read_keys(Path(place).read_text())
    statement = verify(json.loads(text), keys)
    print(f"ok {statement.pb.subject[0].name}")
    refused = altered(text, keys)
    require(refused > 1000, f"only {refused} copies were refused")
    print("ok altered")


main(*sys.argv[1:])
