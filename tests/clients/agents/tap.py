"""Notes what a client and a server say to each other on a pipe: tap.py LOG COMMAND…"""

import subprocess
import sys
import threading


def copy(source, target, log, mark):
    for line in iter(source.readline, b""):
        with lock:
            log.write(mark + line)
            log.flush()
        target.write(line)
        target.flush()
    target.close()


lock = threading.Lock()
with open(sys.argv[1], "ab") as log:
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    there = threading.Thread(target=copy, args=(sys.stdin.buffer, server.stdin, log, b"> "), daemon=True)
    there.start()
    copy(server.stdout, sys.stdout.buffer, log, b"< ")
    sys.exit(server.wait())
