#!/bin/sh
# The evaluator in the command line tool of wasmtime: `sh embed.sh evaluator.wasm`. Takes wasmtime
# from WASMTIME or the path; tried with 49.
set -eu
component=$1
wasmtime=${WASMTIME:-wasmtime}
cd "$(dirname "$0")"

# A text as a literal of WAVE, the notation of `--invoke`; it is one of JSON as well.
literal() {
    printf '"%s"' "$(tr -d '\n' <"$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"
}

# The answer comes as such a literal.
plain() {
    sed 's/^"//; s/"$//; s/\\"/"/g; s/\\\\/\\/g'
}

echo "component $(sha256sum <"$component" | cut -d ' ' -f 1)"
limits=fuel=1000000000000,max-memory-size=268435456,timeout=1s
answer=$("$wasmtime" run -W $limits --invoke "evaluate($(literal request.json))" "$component")
echo "evaluate $(printf '%s\n' "$answer" | plain)"

# It would run for hours: the deadline of the host ends it.
if error=$("$wasmtime" run -W $limits --invoke "evaluate($(literal endless.json))" "$component" 2>&1); then
    echo "nothing stopped what has no end: $error" >&2
    exit 1
fi
echo "trapped $(printf '%s\n' "$error" | grep -o 'wasm trap: .*')"
answer=$("$wasmtime" run --invoke 'check("{\"add\":[1,2]}")' "$component")
echo "hash $(printf '%s\n' "$answer" | sed 's/.*hash: "\([0-9a-f]*\)".*/\1/')"
