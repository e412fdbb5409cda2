"""What recording a block costs beside the checked run of it, and how large its page is.

    .venv/bin/python grader/bench/recording.py [PAGE.html]

One block of 256 threads over 8 phases of a tile 16 wide. One line of JSON: milliseconds of CPU time (least of
several runs) of a program's first launch, which parses the kernel, and of a later one: as it is judged
(optimised, all checks), with names of variables (-G), and recorded as `play` does (-G, written to a file);
how many times the recorded one costs of the judged one, and of the same build unrecorded; steps, and bytes
of the page, which is written to PAGE.html for player.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "grader"))

from warpgrade.core.paths import Repository  # noqa: E402
from warpgrade.player import page, program_scene  # noqa: E402

SOURCE = Path(__file__).with_name("recorded_tile.cu")
RUNS = 7
LATER = 5  # a launch before which the kernel has been decoded
REPOSITORY = Repository(ROOT)


def built(folder: Path, *flags: str) -> Path:
    target = folder / "-".join(("tile", *(flag.strip("-") for flag in flags)))
    nvcc = str(REPOSITORY.toolkit / "bin" / "nvcc")
    command = [nvcc, "-cudart", "shared", "-arch=compute_90", *flags, str(SOURCE), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def launches(program: Path, record: Path | None = None, launch: int = 1) -> list[float]:
    """Milliseconds of CPU time of each launch."""
    environment = os.environ | {"LD_LIBRARY_PATH": str(REPOSITORY.emulator.parent)}
    if record:
        record.unlink(missing_ok=True)
        environment |= {"WARPGRADE_RECORD": str(record), "WARPGRADE_RECORD_LAUNCH": str(launch)}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="warpgrade-bench-") as name:
        folder = Path(name)
        judged, named = built(folder, "-lineinfo"), built(folder, "-G")
        file = folder / "tile.recording"
        runs: dict[str, list[float]] = {}
        for _ in range(RUNS):
            for launch, which in ((1, "first"), (LATER, "later")):
                for how, times in (
                    ("checked", launches(judged)),
                    ("named", launches(named)),
                    ("recorded", launches(named, file, launch)),
                ):
                    runs.setdefault(f"{which}_{how}_ms", []).append(times[launch - 1])
        scene = program_scene.of_file(file)
        text = page.of_scene(scene, "tile")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    out: dict[str, float] = {key: min(times) for key, times in runs.items()}
    for which in ("first", "later"):
        for how in ("checked", "named"):
            ratio = out[f"{which}_recorded_ms"] / out[f"{which}_{how}_ms"]
            out[f"{which}_recorded_of_{how}"] = round(ratio, 2)
    print(json.dumps(out | {"steps": len(scene.recording.steps), "page_bytes": len(text.encode())}))


if __name__ == "__main__":
    main()
