#!/bin/bash
# Compares every row of the operation table, matrix instructions included, with the GPU of this machine, bit by bit.
#
#   make build/hardware/isa                            anywhere; the program needs nothing but NVIDIA's driver
#   grader/tests/gpu/isa/isa.sh [FOLDER]     where there is a GPU; its answers go to FOLDER
#
# FOLDER: build/hardware/answers if none is named. An H200's h200_answers.tsv and h200_matrix_answers.tsv are kept in
# grader/tests/emulator/isa, where the tests compare the emulator with them on machines that have no GPU.
# Exit codes: 0 the same bits wherever they should be, 1 some differ (printed to standard output), 2 no GPU, or not built.
set -u
here=$(cd "$(dirname "$0")/../../../.." && pwd)
program=${WARPGRADE_HARDWARE_ISA:-$here/build/hardware/isa}
folder=${1:-$here/build/hardware/answers}
if [[ ! -x $program ]]; then
  echo "$program is not there; type: make build/hardware/isa" >&2
  exit 2
fi
mkdir -p "$folder"
exec "$program" "$folder"
