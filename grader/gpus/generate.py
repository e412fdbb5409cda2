"""Writes gpus.inc, the C++ side of the *.toml in this folder.

Usage: python3 grader/gpus/generate.py build/generated/gpus.inc
"""

import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE / "compute_capability.toml"

# The members of Gpu (grader/emulator/cudart/device/gpu.hpp) in their order, which C++ asks for.
KEYS = (
    *("id", "major", "minor", "name", "sm_count", "clock_mhz", "memory_clock_mhz", "memory_bus_bits"),
    *("memory_bytes", "memory_bytes_per_second", "l2_bytes", "l1_bytes_per_sm"),
    *("warp_instructions", "fp32_lanes", "fp64_lanes", "special_lanes"),
    *("shared_bytes", "l1_bytes", "l2_bytes_per_clock"),
    *("shared_latency", "l1_latency", "l2_latency", "memory_latency"),
    *("launch_microseconds", "cycles_per_block", "calibrated"),
)

# What only Python asks for (the model of time, the roofline, times of programs): the first is a table.
MODEL_ALONE = ("fitted", "tensor_lanes", "mma_lanes", "host_bytes_per_second")


class BadTable(Exception):
    """A file of this folder that cannot be used; the text says which and why."""


def read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadTable(f"{path.name}: {error}") from error


def split_capability(text: object, where: str) -> tuple[int, int]:
    """ "9.0" → (9, 0)."""
    major, dot, minor = str(text).partition(".")
    if not (dot and major.isdigit() and minor.isdigit()):
        raise BadTable(f'{where}: compute capability {text!r}, expected a text like "9.0"')
    return int(major), int(minor)


def literal(value: object, where: str) -> str:
    """A C++ literal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, int | float):
        return repr(value)
    raise BadTable(f"{where}: expected a number, a text or true/false, not {value!r}")


def initialiser(row: Mapping[str, object], where: str) -> str:
    fields = (f".{key} = {literal(value, f'{where}: {key}')}" for key, value in row.items())
    return "    {" + ", ".join(fields) + "},"


def limits() -> dict[tuple[int, int], Mapping[str, object]]:
    rows = read(TABLE).get("limits")
    if not isinstance(rows, dict):
        raise BadTable(f"{TABLE.name}: no [limits]")
    return {split_capability(name, TABLE.name): row for name, row in rows.items()}


def gpu(path: Path, known: Mapping[tuple[int, int], object]) -> Mapping[str, object]:
    """The file's row, its capability split, with the id that WARPGRADE_GPU goes by."""
    row = {key: value for key, value in read(path).items() if key not in MODEL_ALONE}
    major, minor = split_capability(row.pop("compute_capability", None), path.name)
    if (major, minor) not in known:
        raise BadTable(f"{path.name}: {TABLE.name} has no row {major}.{minor}")
    row |= {"id": path.stem, "major": major, "minor": minor}
    if wrong := row.keys() ^ set(KEYS):
        raise BadTable(f"{path.name}: missing or unknown: {', '.join(sorted(wrong))}")
    return {key: row[key] for key in KEYS}


def render() -> str:
    table = limits()
    files = sorted(path for path in HERE.glob("*.toml") if path != TABLE)
    rows = [initialiser(gpu(path, table), path.name) for path in files]
    of_capability = [
        initialiser({"major": major, "minor": minor} | dict(row), TABLE.name)
        for (major, minor), row in sorted(table.items())
    ]
    return "\n".join(
        [
            "// Made by grader/gpus/generate.py from grader/gpus/*.toml. Do not edit.",
            "constexpr ComputeCapability kComputeCapabilities[] = {",
            *of_capability,
            "};",
            "constexpr Gpu kGpus[] = {",
            *rows,
            "};",
            "",
        ]
    )


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    out = Path(arguments[0])
    try:
        text = render()
    except BadTable as error:
        print(f"grader/gpus/{error}", file=sys.stderr)
        return 1
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
