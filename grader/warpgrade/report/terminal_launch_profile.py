"""What `warpgrade profile` prints of one launch of a program, and the same as data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.markup import escape

from ..course import evidence
from ..gpu.spec import GpuSpec
from ..perfmodel.launch_profile import LaunchProfile, LineAccess
from .terminal import occupancy_words, plain
from .terminal_profile import TERMS

_MOST_LINES = 5  # that the time goes to


def as_data(found: LaunchProfile, gpu: GpuSpec) -> dict[str, Any]:
    """The profile as JSON's types (docs/json-formats.md)."""
    launch = found.launch
    return {
        "gpu": gpu.name,
        "peak_gflops": gpu.peak_gflops,
        "l2_gigabytes_per_second": gpu.l2_gigabytes_per_second,
        "memory_gigabytes_per_second": gpu.memory_bytes_per_second / 1e9,
        "grid": launch.grid,
        "block": launch.block,
        "registers": found.registers,
        "shared_bytes": found.shared_bytes,
        "occupancy": asdict(found.occupancy) if found.occupancy else None,
        "milliseconds": found.time.milliseconds,
        "busy": found.busy,
        "lines": [{"line": row.line, "share": row.share, "resource": row.resource} for row in found.shares],
        "accesses": [asdict(access) for access in found.accesses],
        "counters": launch.counters,
    }


def lines(found: LaunchProfile, gpu: GpuSpec, title: str, width: int) -> Iterator[str]:
    """Markup, in the order in which a profile is read: the launch, lines, resources, accesses, counters."""
    yield from _head(found, gpu, title)
    yield from _shares(found, width)
    yield from _accesses(found, width)
    yield "\n[bold]counters[/] [dim](of all warps together)[/]"
    for name in evidence.ALIASES.values():
        if count := found.launch.counters.get(name, 0):
            yield f"{count:>17,}  {escape(name)}"


def _head(found: LaunchProfile, gpu: GpuSpec, title: str) -> Iterator[str]:
    launch = found.launch
    yield f"[bold]{escape(title)}[/]: {found.time.milliseconds:,.4f} ms, modelled for {escape(gpu.name)}"
    resources = f"{found.registers} registers a thread, {found.shared_bytes:,} bytes of shared memory a block"
    yield f"{_sides(launch.grid)} blocks of {_sides(launch.block)} threads, {resources}"
    if found.occupancy:
        yield f"occupancy {occupancy_words(found.occupancy)}"
    rates = (
        f"{gpu.peak_gflops:,.0f} GFLOP/s",
        f"{gpu.l2_gigabytes_per_second:,.0f} GB/s from L2",
        f"{gpu.memory_bytes_per_second / 1e9:,.0f} GB/s from device memory",
    )
    yield f"the GPU's limits: {', '.join(rates)}"


def _shares(found: LaunchProfile, width: int) -> Iterator[str]:
    yield "\n[bold]where the time goes[/] [dim](share of the modelled time)[/]"
    sources = {access.line: access.source for access in found.accesses}
    for row in found.shares[:_MOST_LINES]:
        code = _cut(sources.get(row.line, ""), width - 16 - len(row.resource))
        yield f"{row.share:>5.0%}  [blue]{row.line:>4} │[/] {code}  [dim]{escape(row.resource)}[/]"
    yield "\n[bold]how busy an SM's resources are[/] [dim](share of the time)[/]"
    for name, share in found.busy.items():
        yield f"{share:>5.0%}  {escape(name)}"
    yield "[dim]shared memory and L1 cache are one data pipe: their shares add up[/]"


def _accesses(found: LaunchProfile, width: int) -> Iterator[str]:
    yield "\n[bold]what the accesses of each line cost[/] [dim](of all warps together)[/]"
    for words in ("a request: an instruction that a warp executes", *TERMS.values()):
        yield from (f"[dim]{escape(part)}[/]" for part in textwrap.wrap(words, width))
    line = 0
    for access in found.accesses:
        if access.line != line:
            line = access.line
            mark = f"  [cyan]{escape(f'[{access.mark}]')}[/]" if access.mark else ""
            yield f"[blue]{line:>4} │[/] {_cut(access.source, width - 19)}{mark}"
        yield f"     [blue]│[/] {_cost(access)}"


def _cost(access: LineAccess) -> str:
    unit = "sectors" if access.sectors else "wavefronts"
    moved, ideal = getattr(access, unit), getattr(access, f"ideal_{unit}")
    words = f"{access.kind}: {access.requests:,} requests by {access.lanes:,} lanes, {moved:,} {unit}"
    return escape(words if moved == ideal else f"{words}; {ideal:,} would suffice")


def _cut(source: str, columns: int) -> str:
    text = plain(source)
    return escape(text if len(text) <= columns else text[: columns - 1] + "…")


def _sides(sides: tuple[int, ...]) -> str:
    while len(sides) > 1 and sides[-1] == 1:
        sides = sides[:-1]
    return "×".join(f"{side:,}" for side in sides)
