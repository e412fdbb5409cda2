"""Takes nvcc's headers apart, once: each compile reads only what a submission needs (cut.py).

docs/decisions/nvrtc.md says why.
"""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...core import store
from ...core.code_hash import code_hash
from ...core.errors import GraderError
from ...core.paths import Repository, text_hash
from ...core.scratch import scratch_folder
from ...sandbox import process
from ...sandbox.process import Box, Mount, ResourceLimits
from .. import dry_run
from ..toolkit import Toolkit
from .cut import HEADER, STEM, Prelude
from .declarations import WORD, Declaration, declarations

_LIMITS = ResourceLimits(60, output_bytes=8 << 20)
# If one of these changes, the prelude is made again.
_OF_SYSTEM = ("/usr/bin/gcc", "/usr/include/stdlib.h", "/usr/include/c++")
_INCLUDED = '-include "cuda_runtime.h"'
_MESSAGES = ".messages"  # what the preprocessor wrote to standard error
_MACRO = re.compile(r"#define ([A-Za-z_]\w*)(.*)")
_SYSTEM = re.compile(r'# \d+ "[^"]*"([ \d]*)')  # a mark of line and file: 3 is one of the system's
_REFUSED = re.compile(rf"^{STEM}\.cu\((\d+)\): error:(?!.*namespace)", re.MULTILINE)
# Before a prelude is used, this file must compile to the same PTX with it and without.
_PROOF = """\
#define WIDTH 8
namespace { __device__ float kept[WIDTH]; __device__ int twice(int n) { return 2 * n; } }
template <typename T> struct Pair { T first, second; };
extern "C" __constant__ int launch_shape[4] = {WIDTH, WIDTH, WIDTH, WIDTH};
extern "C" __global__ void __launch_bounds__(256) proof(const float* __restrict__ A, float4* C, int n) {
  __shared__ float tile[WIDTH][WIDTH];
  Pair<float> pair = {fmaf(A[threadIdx.x], 2.0f, rsqrtf(A[n])), 1.0f};
  tile[threadIdx.y % WIDTH][threadIdx.x % WIDTH] = pair.first;
  __syncthreads();
  const int row = min(twice(n), static_cast<int>(blockIdx.x * blockDim.x));
  kept[row % WIDTH] = __shfl_xor_sync(0xffffffffu, tile[row % WIDTH][0], 1);
  atomicAdd(&kept[0], static_cast<float>(sizeof(size_t)));
  C[row] = make_float4(pair.second, tile[0][row % WIDTH], __ldg(A + row), kept[1]);
  C[row].x = sin(A[0]) + pow(A[1], n) + abs(n) + sqrt(A[2]) + fabs(static_cast<double>(n));
}
"""
_lock = threading.Lock()


def find(
    repository: Repository, toolkit: Toolkit, command: tuple[str, ...], box: Box, kind: str,
    headers: tuple[str, ...] = (),
) -> Prelude | None:  # fmt: skip
    """The prelude for this command of nvcc (without its source) in such a box, of files that begin with these
    headers of the toolkit. It is made once and then kept. None if this nvcc does not work as expected, or
    without a sandbox: the commands name folders of the box.
    """
    if kind != "bwrap":
        return None
    with _lock:
        mounts, environment = tuple(box.mounts), tuple(box.environment.items())
        return _found(repository, toolkit, command, mounts, environment, headers)


@functools.cache
def _found(
    repository: Repository,
    toolkit: Toolkit,
    command: tuple[str, ...],
    mounts: tuple[Mount, ...],
    environment: tuple[tuple[str, str], ...],
    headers: tuple[str, ...],
) -> Prelude | None:
    folder = repository.root / "build" / "preludes"
    code = code_hash(__name__)
    key = text_hash(code, toolkit.version, repr((command, mounts, headers)), _system())
    name = text_hash(*command, *headers)[:16]  # one that is stale is replaced
    known = store.load(folder, name, key, Prelude)
    if known is not None:
        return known
    with store.one_maker(folder / name):
        known = store.load(folder, name, key, Prelude)
        if known is not None:
            return known
        try:
            with scratch_folder(repository) as work:
                made = _made(command, Box(work, mounts, environment=dict(environment), proc=False), headers)
        except (GraderError, ValueError):
            return None
        if made is not None:
            # Where the folder cannot be written, the next process makes it again.
            with contextlib.suppress(GraderError):
                store.save(folder, name, key, made)
        return made


def _system() -> str:
    """Identifies the system's compiler and headers."""
    files = map(Path, _OF_SYSTEM)
    return repr([(file.resolve().name, file.stat().st_mtime_ns) for file in files if file.exists()])


def _made(command: tuple[str, ...], box: Box, headers: tuple[str, ...]) -> Prelude | None:
    steps = _steps(command, box)
    if steps is None:
        return None
    bare = _preprocessed("", steps, box)
    text, macros, unlike = _preprocessed(_including(headers), steps, box) if headers else bare
    found = tuple(declarations(text))
    kept = tuple(each for each in found if not _is_lost(each))
    named = {name for each in kept if not each.is_in_namespace for name in each.names}
    lost = unlike | {name for each in found if _is_lost(each) for name in each.names}
    namespaces = _namespaces(found)
    others = sorted(set(WORD.findall(text)) - named - lost - set(macros))
    all_headers = steps.settings + steps.preprocess + "\n" + steps.rest
    there = _declared(others, all_headers, box, headers)
    (box.work / HEADER).write_text("")
    lost |= there - _declared(others, steps.commands, box)  # without the compiler's own, which need no header
    own = namespaces - _namespaces(declarations(bare.text))
    made = Prelude(
        steps.commands, macros, kept, tuple(sorted(lost - own)), tuple(sorted(namespaces)), headers,
        guards=tuple(sorted(name for name in macros.keys() - bare.macros if not macros[name].strip())),
        own_namespaces=tuple(sorted(own)),
    ).without_unreached()  # fmt: skip
    return made if _is_proved(made, command, box) else None


def _including(headers: Iterable[str]) -> str:
    return "".join(f"#include <{name}>\n" for name in headers)


def _namespaces(found: Iterable[Declaration]) -> set[str]:
    return {name for each in found for name in each.namespaces}


class _Preprocessed(NamedTuple):
    """`unlike`: macros that force the full headers: those from system headers, and those using ##, which make
    names that the file does not contain.
    """

    text: str
    macros: dict[str, str]
    unlike: set[str]


def _preprocessed(source: str, steps: _Steps, box: Box) -> _Preprocessed:
    (box.work / f"{STEM}.cu").write_text(source)
    file = box.work / f"{STEM}.cpp1.ii"
    texts: list[str] = []
    for option in ("", "-dM ", "-dD "):
        _output(("/bin/sh", "-c", steps.settings + steps.preprocess.replace(" -E ", f" -E {option}")), box)
        texts.append(file.read_text(encoding="utf-8"))
    plain, defined, in_order = texts
    macros = {match[1]: match[2] for match in map(_MACRO.fullmatch, defined.splitlines()) if match}
    unlike = {name for name, body in macros.items() if "##" in body}
    system = False  # whether the lines are of a system header, which line marks say
    for line in in_order.splitlines():
        if mark := _SYSTEM.match(line):
            system = "3" in mark[1].split()
        if system and (match := _MACRO.fullmatch(line)):
            unlike.add(match[1])
    return _Preprocessed(plain, macros, unlike)


def _is_lost(declaration: Declaration) -> bool:
    """Whether it declares an alias at file scope."""
    renames = "namespace" in declaration.words[:1] or (declaration.is_using and "=" in declaration.text)
    return renames and not declaration.is_in_namespace


@dataclass(frozen=True)
class _Steps:
    """The commands that nvcc would run for a file, for a shell."""

    settings: str
    preprocess: str
    rest: str  # compile, pack

    @property
    def commands(self) -> str:
        """A warning of the preprocessor could quote HEADER. So the commands fail on any, and nvcc compiles
        again.
        """
        preprocess = self.preprocess.replace(_INCLUDED, f"-include {HEADER}")
        return f"{self.settings}set -e\n{preprocess} 2>{_MESSAGES}\ntest ! -s {_MESSAGES}\n{self.rest}"


def _steps(command: tuple[str, ...], box: Box) -> _Steps | None:
    (box.work / f"{STEM}.cu").write_text("")
    dry = dry_run.read(_output((*command, "--dryrun", f"{STEM}.cu"), box, of_errors=True))
    steps = dry.steps
    if len(steps) != 3 or steps[0].count(_INCLUDED) != 1 or "cicc" not in steps[1]:
        return None
    return _Steps(dry.settings, steps[0], f"{steps[1]}\n{steps[2]}\n")


def _declared(names: list[str], commands: str, box: Box, headers: tuple[str, ...] = ()) -> set[str]:
    """Which of these names the compiler finds at file scope. Keywords are not among them."""
    lines = "".join(f"{{ using ::{name}; }}\n" for name in names)
    before = f"{_including(headers)}__attribute__((device)) void names() {{\n"
    (box.work / f"{STEM}.cu").write_text(f"{before}{lines}}}\n")
    many = commands.replace('/cicc"', '/cicc" --error_limit 1000000')
    messages = _output(("/bin/sh", "-c", many), box, of_errors=True, may_fail=True)
    refused = {int(number) for number in _REFUSED.findall(messages)}
    return {name for line, name in enumerate(names, 1 + before.count("\n")) if line not in refused}


def _is_proved(made: Prelude, command: tuple[str, ...], box: Box) -> bool:
    proof = _including(made.headers) + _PROOF
    (box.work / f"{STEM}.cu").write_text(proof)
    before = made.cut(proof, dict.fromkeys(made.headers, ""))
    if before is None:
        return False
    (box.work / HEADER).write_text(before)
    ptx = []
    for compiled in ((*command, f"{STEM}.cu"), ("/bin/sh", "-c", made.commands)):
        _output(compiled, box)
        ptx.append((box.work / f"{STEM}.ptx").read_bytes())
        (box.work / f"{STEM}.ptx").unlink()
    return ptx[0] == ptx[1]


def _output(command: Iterable[str], box: Box, of_errors: bool = False, may_fail: bool = False) -> str:
    outcome = process.run(list(command), box, _LIMITS)
    if outcome.status != 0 and not may_fail:
        raise GraderError(f"nvcc is not as expected: {outcome.stderr[:300]}")
    return outcome.stderr if of_errors else outcome.stdout
