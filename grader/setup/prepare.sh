#!/usr/bin/env bash
# Prepares what is missing, and nothing else: Debian packages, the Python packages in .venv, the CUDA compiler
# in .deps/cuda. Says nothing and takes milliseconds when all is there. Called by make.
#
# Exit code 0: ready; 5: something is missing that this user cannot install (the message says what to type).
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

say() { printf '  SETUP   %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 5; }

# ---- Debian packages: the package, and the test that shows that it is there ------------------------------
include() { [ -e "/usr/include/$1" ] || [ -e "/usr/include/x86_64-linux-gnu/$1" ] || [ -e "$root/.deps/debian/usr/include/$1" ] ||
            [ -e "$root/.deps/debian/usr/include/x86_64-linux-gnu/$1" ]; }
tool() { command -v "$1" >/dev/null || [ -x "$root/.deps/debian/usr/bin/$1" ]; }
missing=()
need() { local package=$1; shift; "$@" || missing+=("$package"); }

packages() {
  need g++ tool g++
  need doctest-dev include doctest/doctest.h
  need nlohmann-json3-dev include nlohmann/json.hpp
  need libopenblas-dev include openblas-pthread/cblas.h
  need libzstd-dev include zstd.h
  need liblz4-dev include lz4.h
  need bubblewrap tool bwrap
  need clang-format tool clang-format
  if [ ! -x .venv/bin/python ]; then
    need python3-venv python3 -c 'import venv, ensurepip'
  fi
}

# Without root: the packages and what they depend on, unpacked into .deps/debian.
unpack() {
  say "unpacking ${missing[*]} into .deps/debian"
  mkdir -p .deps/debian .deps/archives
  local names
  names=$(apt-get install --no-install-recommends --print-uris -qq "${missing[@]}" 2>/dev/null |
          sed -E "s/^'[^']*' ([^_]*)_.*/\1/") || return 1
  [ -n "$names" ] || return 1
  # shellcheck disable=SC2086
  (cd .deps/archives && apt-get download -qq $names >/dev/null 2>&1) || return 1
  for archive in .deps/archives/*.deb; do dpkg -x "$archive" .deps/debian || return 1; done
  rm -rf .deps/archives
}

install_packages() {
  packages
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "Debian packages: ${missing[*]}"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
      >.deps/apt.log 2>&1 || fail "apt-get could not install ${missing[*]}: see .deps/apt.log"
  elif ! unpack; then
    fail "missing Debian packages. Type: sudo apt-get install ${missing[*]}"
  fi
}

# ---- Python packages ------------------------------------------------------------------------------------
install_python() {
  local stamp=.venv/requirements.sha256 wanted
  wanted=$(sha256sum <grader/requirements.txt)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python 3.11 or later is needed; this is $(python3 --version)"
  say "Python packages into .venv"
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check -r grader/requirements.txt ||
    fail "pip could not install grader/requirements.txt: is there a network?"
  # The grader runs from the checkout: no build step, and an edit counts at once.
  .venv/bin/python - <<'PYTHON'
import os, pathlib, sysconfig
site = pathlib.Path(sysconfig.get_paths()["purelib"])
(site / "warpgrade.pth").write_text(f"{os.getcwd()}/grader\n")
script = pathlib.Path(".venv/bin/warpgrade")
script.write_text('#!/bin/sh\nexec "$(dirname "$0")/python" -m warpgrade "$@"\n')
script.chmod(0o755)
PYTHON
  printf '%s\n' "$wanted" >"$stamp"
}

# ---- The CUDA compiler ----------------------------------------------------------------------------------
is_13_0() { [ -x "$1/bin/nvcc" ] && "$1/bin/nvcc" --version 2>/dev/null | grep -q 'release 13\.0'; }

from_wheels() {
  say "CUDA 13.0 compiler into .deps/cuda (no CUDA Toolkit 13.0 found on this machine)"
  rm -rf .deps/wheels .deps/cuda
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --target .deps/wheels \
    -r grader/setup/toolkit-wheels.txt || fail "pip could not install grader/setup/toolkit-wheels.txt: is there a network?"
  ln -s wheels/nvidia/cu13 .deps/cuda
  chmod +x .deps/cuda/bin/* .deps/cuda/nvvm/bin/*
  ln -s lib .deps/cuda/lib64  # the wheels lack the name that the toolkit's users expect
  ln -s libcudart.so.13 .deps/cuda/lib/libcudart.so
}

install_toolkit() {
  is_13_0 .deps/cuda && return
  local nvcc candidate
  nvcc=$(command -v nvcc || true)
  for candidate in "${CUDA_HOME:-}" "${nvcc:+$(dirname "$(dirname "$(readlink -f "$nvcc")")")}" /usr/local/cuda /usr/local/cuda-13.0; do
    if [ -n "$candidate" ] && [ -z "${WARPGRADE_TOOLKIT_WHEELS:-}" ] && is_13_0 "$candidate"; then
      ln -sfn "$candidate" .deps/cuda
      return
    fi
  done
  from_wheels
  is_13_0 .deps/cuda || fail "the wheels' nvcc does not run: type .deps/cuda/bin/nvcc --version"
}

mkdir -p .deps
install_packages
install_python
install_toolkit
