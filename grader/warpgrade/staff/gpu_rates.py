"""Rates and latencies of a GPU, measured by grader/gpus/microbenchmarks.cu, for its data sheet."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..build import toolkit
from ..core import store
from ..core.errors import GraderError, UsageError
from ..core.paths import Repository
from ..gpu import devices
from ..gpu.devices import Device
from ..gpu.spec import GpuSpec
from ..sandbox import process
from ..tables.hardware import WARP

Rates = Mapping[tuple[str, int], float]  # by name and parameter of the microbenchmark

_SECONDS = 600.0
_MOVED = 64  # bytes that device memory moves for one scattered word
_L1_RING, _L2_RING, _GATHERED, _READ = 16, 8192, 2048, 1024  # KiB, KiB, MiB, MiB
_THREADS = 256  # of a block
_PRODUCT = 16 * 8 * 16  # multiply-adds of one mma.sync


def measure(repository: Repository, gpu: GpuSpec) -> str:
    """Compile the microbenchmarks for this machine's GPU and run them: the lines for read().

    GraderError if either fails, or if there is no GPU of this model.
    """
    found = toolkit.find(repository)
    card = devices.environment(of_model(gpu, devices.find()))
    number = gpu.architecture.removeprefix("sm_")
    with tempfile.TemporaryDirectory(prefix="warpgrade-") as folder:
        program = Path(folder) / "microbenchmarks"
        source = repository.gpus / "microbenchmarks.cu"
        command = [
            str(found.folder / "bin" / "nvcc"),
            "-O3",
            "-std=c++17",
            "-cudart",
            "shared",
            "-arch",
            f"sm_{number}",
        ]
        environment = {**os.environ, **card, "TMPDIR": folder, "LD_LIBRARY_PATH": str(found.runtime or "")}
        _run([*command, "-o", str(program), str(source)], environment, source)
        return _run([str(program)], environment, source)


def of_model(gpu: GpuSpec, here: Sequence[Device]) -> Device | None:
    """The first GPU of this model. None if the driver names no GPU: then CUDA chooses one.

    GraderError if there are only GPUs of other models: their rates do not belong into this data sheet.
    """
    named = [device for device in here if device.name]
    for device in named:
        if device.name == gpu.name:
            return device
    if named:
        there = ", ".join(sorted({device.name for device in named}))
        raise GraderError(
            f"{gpu.model} is the data sheet of {gpu.name}, and this machine has {there}",
            remedy="name the model that is here; CONTRIBUTING.md says how to add one",
        )
    return None


def _run(command: list[str], environment: dict[str, str], source: Path) -> str:
    outcome = process.run_trusted(command, environment, process.ResourceLimits(_SECONDS, None, None))
    if outcome.status != 0:
        words = f"{Path(command[0]).name} ended with {outcome.status}: {outcome.stderr.strip()[-300:]}"
        raise GraderError(words, file=source, remedy="is there a GPU of this model, and a driver?")
    return outcome.stdout


def read(text: str) -> Rates:
    """The rates that the microbenchmarks wrote. UsageError if a line is not theirs."""
    try:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        return {(row["name"], row["at"]): float(row["value"]) for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"is not what the microbenchmarks write: {error}") from None


def constants(rates: Rates, gpu: GpuSpec) -> dict[str, float]:
    """Values of the data sheet that the rates determine, by key. UsageError if a rate is missing.

    A step of a ring of addresses takes longer than its load. The additional time is measured in L1, where the
    latency is known (l1_latency), and subtracted from the time in L2.
    """
    try:
        clock = rates["clock", 0]  # MHz: cycles a microsecond
        ring = rates["latency", _L1_RING] - gpu.l1_latency
        l2_latency = rates["latency", _L2_RING] - ring
        mma = rates.get(("mma", 0))  # not before compute capability 8.0
        return ({"mma_lanes": round(_PRODUCT / mma)} if mma else {}) | {
            "shared_latency": round(rates["shared latency", 0]),
            "l2_latency": round(l2_latency),
            "fp64_lanes": round(WARP / (rates["fp64", 0] * clock), 1),
            "special_lanes": round(WARP / (rates["special", 0] * clock), 1),
            "cycles_per_block": round(rates["empty blocks", _THREADS] * clock, 2),
            "memory_reached": round(rates["read", _READ] * 1e9 / gpu.memory_bytes_per_second, 2),
            "scattered_reached": round(
                rates["gather", _GATHERED] * 1e9 * _MOVED / gpu.memory_bytes_per_second, 2
            ),
            # Each of these blocks waits for one load from L2.
            "block_start": round(rates["block start", _THREADS] * clock - l2_latency),
        }
    except KeyError as error:
        name, at = error.args[0]
        raise UsageError(f"lacks the rate {name!r} at {at}") from None


def with_constants(sheet: str, found: Mapping[str, float]) -> str:
    """The text of a data sheet with these values in place of its own. Values for keys that the text lacks are
    ignored.
    """
    for key, value in found.items():
        sheet = re.sub(rf"(?m)^({key} *= *)[\d._e+-]+", rf"\g<1>{value:g}", sheet)
    return sheet


def keep(repository: Repository, gpu: GpuSpec, text: str) -> Path:
    """Save what the microbenchmarks wrote, for a later read()."""
    path = repository.output / "rates" / f"{gpu.model}.jsonl"
    store.write_bytes(path, text.encode(), 0o644)
    return path


def write(repository: Repository, gpu: GpuSpec, found: Mapping[str, float]) -> Path:
    """Write the values into the GPU's data sheet."""
    path = repository.gpus / f"{gpu.model}.toml"
    store.write_bytes(path, with_constants(path.read_text(encoding="utf-8"), found).encode(), 0o644)
    return path
