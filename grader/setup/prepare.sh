#!/usr/bin/env bash
# Installs what is missing, and nothing else; says what it installs. Silent and quick when all is there.
#
#   prepare.sh [run|build|dev]
#     run    what checking a kernel needs: Debian packages, Python packages in .venv, the CUDA compiler in .deps/cuda
#     build  also CMake and Ninja, which build the emulator and the harnesses
#     dev    also what tests and formatting need
#
# Exit code 0: ready; 5: something is missing that this user cannot install (the message says what to type).
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
level=${1:-run}

say() { printf '  SETUP   %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 5; }

# ---- Debian packages: the name, and the test that shows that it is installed -----------------------------
include() { [ -e "/usr/include/$1" ] || [ -e "/usr/include/x86_64-linux-gnu/$1" ] || [ -e "$root/.deps/debian/usr/include/$1" ] ||
            [ -e "$root/.deps/debian/usr/include/x86_64-linux-gnu/$1" ]; }
tool() { command -v "$1" >/dev/null || [ -x "$root/.deps/debian/usr/bin/$1" ]; }
importable() { local name; for name; do python3 -c "import $name" 2>/dev/null || return 1; done; }
missing=()
need() { local package=$1; shift; "$@" || missing+=("$package"); }

packages() {
  need g++ tool g++
  need doctest-dev include doctest/doctest.h
  need nlohmann-json3-dev include nlohmann/json.hpp
  need libzstd-dev include zstd.h
  need liblz4-dev include lz4.h
  need bubblewrap tool bwrap
  [ "$level" != dev ] || need clang-format tool clang-format
  if [ ! -x .venv/bin/python ]; then
    need python3-venv importable venv ensurepip
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
    say "installing Debian packages with apt-get: ${missing[*]}"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
      >.deps/apt.log 2>&1 || fail "apt-get could not install ${missing[*]}: see .deps/apt.log"
  elif ! unpack; then
    fail "missing Debian packages. Type: sudo apt-get install ${missing[*]}"
  fi
}

# ---- Python packages ------------------------------------------------------------------------------------
# pip_install FILE: installs the packages that FILE lists, unless that has been done.
pip_install() {
  local stamp wanted
  stamp=.venv/$(basename "$1" .txt).sha256
  wanted=$(cat grader/requirements.txt "$1" | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  say "Python packages of $1 into .venv"
  # Compiled modules lie in build/pycache (PYTHONPYCACHEPREFIX), so pip need not make any.
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-compile -r "$1" ||
    fail "pip could not install $1: is there a network?"
  printf '%s\n' "$wanted" >"$stamp"
}

install_python() {
  if [ ! -x .venv/bin/warpgrade ]; then
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
      fail "Python 3.11 or later is needed; this is $(python3 --version)"
    [ -x .venv/bin/python ] || python3 -m venv .venv
    # The grader runs from the checkout: no build step, and an edit takes effect at once.
    .venv/bin/python - <<'PYTHON'
import os, pathlib, sysconfig
site = pathlib.Path(sysconfig.get_paths()["purelib"])
(site / "warpgrade.pth").write_text(f"{os.getcwd()}/grader\n")
script = pathlib.Path(".venv/bin/warpgrade")
script.write_text('#!/bin/sh\nexec "$(dirname "$0")/python" -m warpgrade "$@"\n')
script.chmod(0o755)
PYTHON
  fi
  pip_install grader/requirements.txt
  [ "$level" != dev ] || pip_install grader/requirements-dev.txt
}

# ---- CMake and Ninja: the system's, else their Python packages --------------------------------------------
is_cmake() { [ -x "$1" ] && "$1" --version | awk 'NR == 1 { split($3, v, "."); exit !(v[1] > 3 || v[2] >= 25) }'; }

install_build_tools() {
  [ -x .deps/bin/cmake ] && [ -x .deps/bin/ninja ] && return
  local cmake ninja
  cmake=$(command -v cmake || true) ninja=$(command -v ninja || true)
  if [ -z "$ninja" ] || ! is_cmake "$cmake"; then
    pip_install grader/setup/build-tools.txt
    cmake=../../.venv/bin/cmake ninja=../../.venv/bin/ninja
  fi
  mkdir -p .deps/bin
  ln -sfn "$cmake" .deps/bin/cmake
  ln -sfn "$ninja" .deps/bin/ninja
}

# ---- The CUDA compiler ----------------------------------------------------------------------------------
is_13_0() { [ -x "$1/bin/nvcc" ] && "$1/bin/nvcc" --version 2>/dev/null | grep -q 'release 13\.0'; }

from_wheels() {
  say "CUDA 13.0 compiler into .deps/cuda (no CUDA Toolkit 13.0 found on this machine)"
  rm -rf .deps/wheels .deps/cuda
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-compile --no-deps --target .deps/wheels \
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
if [ -w .deps ]; then exec 9>.deps/lock && flock 9; fi  # of two commands at once, the second finds all there
install_packages
install_python
install_toolkit
[ "$level" = run ] || install_build_tools
