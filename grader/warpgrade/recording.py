"""Recordings of a kernel's accesses: which lane of which warp touches which address, in order.

The kernel is compiled to PTX, a call that prints is put before each access to global or shared memory
and before each barrier, and the harness runs the result on the emulator. Nothing of the source changes.
Recordings are kept in build/recorded/ under the hash of all that they depend on.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from . import datasets, sandbox, store
from .errors import GraderError, InstructorError
from .house import House, file_hash, need, text_hash
from .records import Lab

WARP = 32
BARRIER = "barrier"
_ARRAYS = ("A", "B", "C")  # the kernel's first three parameters
_MARK = "warpgrade-access"
_COMPILE = sandbox.Limits(seconds=60)
_RUN = sandbox.Limits(seconds=60, address_bytes=None, output_bytes=64 << 20)
_ACCESS = re.compile(
    r"^\s*(?:@(?P<guard>!?%\w+)\s+)?(?P<op>ld|st)(?:\.volatile)?\.(?P<space>global|shared)"
    r"(?P<forms>(?:\.\w+)*)\s+(?P<operands>.*\[(?P<base>[^\]+\s]+)(?:\+(?P<offset>-?\d+))?\].*);"
)
_BARRIER = re.compile(r"^\s*(?:@(?P<guard>!?%\w+)\s+)?(?:bar|barrier(?:\.cta)?)\.sync\b.*;")
_LINE = re.compile(r"^\s*\.loc\s+\d+\s+(\d+)\s")
_PRINTED = re.compile(rf"^{_MARK} (-?\d+) (\d+) ([0-9a-f]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Site:
    """One instruction that is recorded; `line` is of the kernel's source, as it was given."""

    kind: str  # "global load", "global store", "shared load", "shared store", "barrier"
    line: int
    bytes: int


@dataclass(frozen=True)
class Access:
    """What one warp did at once: an address for each lane, None for a lane that took no part."""

    kind: str
    line: int
    bytes: int  # of each lane
    warp: int
    addresses: tuple[int | None, ...]

    @property
    def lanes(self) -> dict[int, int]:
        """Address by lane, of those that took part."""
        return {lane: at for lane, at in enumerate(self.addresses) if at is not None}


@dataclass(frozen=True)
class Recording:
    """One block's accesses in the order in which the emulator ran them, and where the matrices begin."""

    bases: dict[str, int]
    size: tuple[int, int, int]  # m, n, k
    accesses: tuple[Access, ...]

    def array(self, access: Access) -> str:
        """A, B or C for an access to global memory, else ""."""
        if not access.kind.startswith("global") or not access.lanes:
            return ""
        first = min(access.lanes.values())
        below = [name for name, base in self.bases.items() if base <= first]
        return max(below, key=lambda name: self.bases[name]) if below else ""

    def width(self, array: str) -> int:
        """Elements in a row."""
        _, n, k = self.size
        return k if array == "A" else n

    def of(self, warp: int, kind: str, array: str = "") -> tuple[Access, ...]:
        """The accesses of that warp and kind, and for global memory of that matrix."""
        return tuple(
            access
            for access in self.accesses
            if access.warp == warp and access.kind == kind and self.array(access) == array
        )


def record(
    house: House, lab: Lab, source: str, case: str, *, block: tuple[int, int] = (0, 0), warps: int = 1
) -> Recording:
    """Run `source` (a kernel of that lab) on one case and record the first `warps` warps of one block.

    InstructorError where the source does not compile, GraderError where a tool is missing.
    """
    chosen = next((item for item in lab.cases if item.name == case), None)
    if chosen is None:
        raise InstructorError(f"has no case {case!r} to record", file=Path(lab.folder) / "lab.toml")
    about = (source, lab.kernel, repr(chosen), repr(block), str(warps), file_hash(Path(__file__)))
    key = text_hash(*about)
    folder = house.root / "build" / "recorded" / f"{lab.name}-{key[:16]}"
    known = store.load(folder, "recording", key, Recording)
    if known is not None:
        return known
    ptx, sites = instrumented(_compiled(house, source, lab), lab.kernel, block, warps)
    printed = _run(house, replace(lab, cases=(chosen,)), ptx)
    made = Recording(_bases(printed), (chosen.m, chosen.n, chosen.k), tuple(_accesses(printed, sites)))
    if not made.accesses:
        raise GraderError(f"recorded nothing of {lab.kernel}", remedy="type `warpgrade doctor`")
    store.save(folder, "recording", key, made)
    return made


# --- PTX that tells what it does ---------------------------------------------------------------

_FORMAT = ", ".join(str(byte) for byte in f"{_MARK} %d %u %llx\n\0".encode())
_PRELUDE = f"""
.extern .func (.param .b32 func_retval0) vprintf (.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.global .align 1 .b8 warpgrade_format[] = {{{_FORMAT}}};
"""
_SNIPPET = """{{
.reg .pred %wgp;
.reg .b32 %wg<5>;
.reg .b64 %wgl<5>;
mov.u32 %wg0, %ctaid.x;
setp.ne.u32 %wgp, %wg0, {column};
@%wgp bra $WARPGRADE_{label};
mov.u32 %wg0, %ctaid.y;
setp.ne.u32 %wgp, %wg0, {row};
@%wgp bra $WARPGRADE_{label};
mov.u32 %wg1, %tid.x;
mov.u32 %wg2, %tid.y;
mov.u32 %wg3, %ntid.x;
mad.lo.u32 %wg1, %wg2, %wg3, %wg1;
setp.ge.u32 %wgp, %wg1, {threads};
@%wgp bra $WARPGRADE_{label};
{guard}mov.u32 %wg2, {site};
{address}
mov.u64 %wgl2, warpgrade_depot;
st.local.v2.u32 [%wgl2], {{%wg2, %wg1}};
st.local.u64 [%wgl2+8], %wgl1;
cvta.local.u64 %wgl3, %wgl2;
mov.u64 %wgl4, warpgrade_format;
cvta.global.u64 %wgl4, %wgl4;
{{
.param .b64 param0;
st.param.b64 [param0+0], %wgl4;
.param .b64 param1;
st.param.b64 [param1+0], %wgl3;
.param .b32 retval0;
call (retval0), vprintf, (param0, param1);
ld.param.b32 %wg4, [retval0+0];
}}
}}
$WARPGRADE_{label}:
"""


def instrumented(ptx: str, kernel: str, block: tuple[int, int], warps: int) -> tuple[str, tuple[Site, ...]]:
    """PTX whose kernel prints its accesses, and the sites whose numbers it prints."""
    made: list[str] = []
    sites: list[Site] = []
    line, inside, begun = 0, False, False
    for text in ptx.splitlines():
        if text.startswith(".address_size"):
            made += [text, _PRELUDE]
            continue
        inside = inside or (".entry" in text and kernel in text)
        if inside and text == "{":
            made += [text, ".local .align 8 .b8 warpgrade_depot[16];"]
            continue
        line = int(match[1]) if (match := _LINE.match(text)) else line
        if inside and not begun and "ld.param" in text:
            begun = True
            made += _bases_snippets(kernel, block)
        if inside and (found := _site(text, line)):
            site, guard, address = found
            made.append(_snippet(len(sites), block, warps * WARP, guard, address))
            sites.append(site)
        made.append(text)
        inside = inside and text != "}"
    return "\n".join(made) + "\n", tuple(sites)


def _site(text: str, line: int) -> tuple[Site, str, str] | None:
    """The site on this line of PTX, its guard, and PTX that leaves its address in %wgl1."""
    if match := _BARRIER.match(text):
        return Site(BARRIER, line, 0), match["guard"] or "", "mov.u64 %wgl1, 0;"
    match = _ACCESS.match(text)
    if match is None:
        return None
    base, offset = match["base"], match["offset"] or "0"
    load = "cvt.u64.u32" if re.fullmatch(r"%r\d+", base) else "mov.u64"
    address = f"{load} %wgl1, {base};\nadd.s64 %wgl1, %wgl1, {offset};"
    kind = f"{match['space']} {'load' if match['op'] == 'ld' else 'store'}"
    return Site(kind, line, _bytes(match["forms"])), match["guard"] or "", address


def _bytes(forms: str) -> int:
    """.v4.f32 → 16."""
    parts = forms.split(".")
    vector = next((int(part[1:]) for part in parts if re.fullmatch(r"v[248]", part)), 1)
    return vector * int(re.sub(r"\D", "", parts[-1])) // 8


def _snippet(site: int, block: tuple[int, int], threads: int, guard: str, address: str) -> str:
    label = str(site).replace("-", "parameter_")
    against = guard[1:] if guard.startswith("!") else f"!{guard}"
    return _SNIPPET.format(
        column=block[0],
        row=block[1],
        threads=threads,
        site=site,
        label=label,
        guard=f"@{against} bra $WARPGRADE_{label};\n" if guard else "",
        address=address,
    )


def _bases_snippets(kernel: str, block: tuple[int, int]) -> list[str]:
    """The matrices' addresses, told by the block's first thread as sites -1, -2, -3."""
    return [
        _snippet(-1 - at, block, 1, "", f"ld.param.u64 %wgl1, [{kernel}_param_{at}];")
        for at in range(len(_ARRAYS))
    ]


# --- running -----------------------------------------------------------------------------------


def _compiled(house: House, source: str, lab: Lab) -> str:
    nvcc = need(house.toolkit / "bin" / "nvcc", "type `make` once: it prepares the compiler")
    with tempfile.TemporaryDirectory(prefix="warpgrade-record-") as folder:
        file, ptx = Path(folder) / lab.files[0], Path(folder) / "kernel.ptx"
        file.write_text(source, encoding="utf-8")
        command = [str(nvcc), "-ptx", "-lineinfo", "-arch=compute_75", "-I", str(house.common)]
        outcome = sandbox.run_own([*command, str(file), "-o", str(ptx)], {"TMPDIR": folder}, _COMPILE)
        if outcome.status != 0:
            words = outcome.stderr.replace(folder, "").strip()[:300]
            raise InstructorError(f"cannot be recorded: {words}", file=f"solutions/{lab.name}/{lab.files[0]}")
        return ptx.read_text(encoding="utf-8")


def _run(house: House, lab: Lab, ptx: str) -> str:
    data = datasets.prepare(house, lab, datasets.PUBLIC_SALT)
    harness = need(house.harness(lab.name), "type `make tools`")
    emulator = need(house.emulator, "type `make tools`")
    folder = Path(tempfile.mkdtemp(prefix="warpgrade-record-"))
    try:
        (folder / "kernel.ptx").write_text(ptx, encoding="utf-8")
        command = [str(harness), "--kernel", str(folder / "kernel.ptx"), "--data", str(data)]
        path = f"{emulator.parent}:{house.libraries}"
        environment = {"LD_LIBRARY_PATH": path, "WARPGRADE_CHECK": "none", "WARPGRADE_THREADS": "1"}
        outcome = sandbox.run_own([*command, "--results", str(folder / "results.jsonl")], environment, _RUN)
        if outcome.timed_out or outcome.flooded or outcome.status not in (0, 1):
            words = outcome.stderr.strip()[-300:] or f"exit code {outcome.status}"
            raise GraderError(f"the recording of {lab.name} broke off: {words}")
        return outcome.stdout
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- reading -----------------------------------------------------------------------------------


def _rows(printed: str) -> Iterator[tuple[int, int, int]]:
    """Site, thread, address."""
    for match in _PRINTED.finditer(printed):
        yield int(match[1]), int(match[2]), int(match[3], 16)


def _bases(printed: str) -> dict[str, int]:
    return {_ARRAYS[-1 - site]: address for site, _, address in _rows(printed) if site < 0}


def _accesses(printed: str, sites: tuple[Site, ...]) -> Iterator[Access]:
    """Lanes of a warp print one after the other; a lower or equal lane begins the next access."""
    lanes: dict[int, int] = {}
    now, last = (-1, -1), -1
    for site, thread, address in _rows(printed):
        if site < 0:
            continue
        here, lane = (site, thread // WARP), thread % WARP
        if lanes and (here != now or lane <= last):
            yield _access(sites[now[0]], now[1], lanes)
            lanes = {}
        now, last = here, lane
        lanes[lane] = address
    if lanes:
        yield _access(sites[now[0]], now[1], lanes)


def _access(site: Site, warp: int, lanes: dict[int, int]) -> Access:
    return Access(site.kind, site.line, site.bytes, warp, tuple(lanes.get(lane) for lane in range(WARP)))


def sectors(addresses: Iterable[int]) -> frozenset[int]:
    """The 32-byte sectors that hold these addresses, by number."""
    return frozenset(address // 32 for address in addresses)
