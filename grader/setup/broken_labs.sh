#!/bin/bash
# Called where `make tools` has failed: shows once more, and last, what does not compile in the harness of a lab, and
# what to type. A harness of an older text is removed, so that nothing is judged by it.
#   broken_labs.sh [left-out]    left-out: exit code 0 if nothing but harnesses has failed
set -u
cd "$(dirname "$0")/../.." || exit 1

build() { cmake --build --preset release --target "$1" 2>&1; }

build core >/dev/null || exit 1 # the build has said why

broken=()
for source in labs/*/harness.cpp; do
  lab=$(basename "$(dirname "$source")")
  words=$(build "harness_$lab") && continue
  rm -f "build/harness/$lab"
  broken+=("$lab")
  # Without the compiler's command line and what Ninja says; paths from this folder on.
  printf '\n%s\n' "$words" | sed "/^\[[0-9]*\/[0-9]*\]/d; /^FAILED/d; /^ninja/d; s|$PWD/||g" | grep -v '^/' >&2
done
[ ${#broken[@]} -gt 0 ] || exit 1

for lab in "${broken[@]}"; do
  printf 'labs/%s/harness.cpp is not built: the lines above say where it is wrong. All other labs are.\n' "$lab" >&2
  printf '  next: correct it, and type: make build/harness/%s\n' "$lab" >&2
done
[ "${1:-}" = left-out ]
