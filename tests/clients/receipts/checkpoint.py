"""Checkpoints by another implementation: the signature by cryptography, the root by hashlib.

checkpoint.py CHECKPOINT KEYS EXPORT   EXPORT has the lines of `journal export`, all since the first

Prints a line for each check, `ok NAME`. It fails at the first that does not hold.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

from cryptography.hazmat.primitives import serialization

NOTE = re.compile("(?P<text>(?:.+\n)+)\n\u2014 (?P<name>[^ +]+) (?P<signature>[A-Za-z0-9+/=]+)\n")


def sha256(data):
    return hashlib.sha256(data).digest()


def root(leaves):
    """The tree hash of RFC 6962, section 2.1."""
    if len(leaves) < 2:
        return sha256(b"\0" + leaves[0]) if leaves else sha256(b"")
    half = 1
    while 2 * half < len(leaves):
        half *= 2
    return sha256(b"\1" + root(leaves[:half]) + root(leaves[half:]))


def verify(note, keys):
    """Verifies the signature. Returns the lines of the text."""
    found = NOTE.fullmatch(note)
    if found is None:
        raise ValueError("it is no note")
    text, name = found["text"], found["name"]
    signature = base64.b64decode(found["signature"], validate=True)
    for key in keys:
        raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        if signature[:4] == sha256(name.encode() + b"\n\x01" + raw)[:4]:
            key.verify(signature[4:], text.encode())
            return name, text.splitlines()
    raise ValueError("no key has signed it")


def main(checkpoint, keys, export):
    note = Path(checkpoint).read_text()
    blocks = Path(keys).read_text().split("-----BEGIN")[1:]
    keys = [serialization.load_pem_public_key(f"-----BEGIN{it}".encode()) for it in blocks]
    name, (origin, size, said, *extensions) = verify(note, keys)
    if name != origin:
        raise ValueError("it is not signed by the name of its store")
    print("ok signature")
    entries = [json.loads(line) for line in Path(export).read_text().splitlines()]
    heads = [it.removeprefix("head ") for it in extensions if it.startswith("head ")]
    if root([it.encode() for it in heads]) != base64.b64decode(said):
        raise ValueError("the root is another one")
    last = entries[int(size) - 1]
    if heads != [f"0 {last['entry']} {last['hash']}"]:
        raise ValueError("the journal is another one")
    print("ok root")
    refused = 0
    for at in range(len(note)):
        changed = note[:at] + chr(ord(note[at]) ^ 1) + note[at + 1 :]
        try:
            verify(changed, keys)
        except Exception:
            refused += 1
    # Four bits at the end of the text of a signature may mean nothing.
    if refused < len(note) - 1:
        raise ValueError(f"{len(note) - refused} changes are accepted")
    print("ok altered")


main(*sys.argv[1:])
