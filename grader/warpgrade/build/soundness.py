"""Whether the CUDA compiler itself is damaged: then it fails even for a correct file.

Checked only after a build has failed. The correct file, the expensive part, is compiled only if the first
error is on no line of the submission.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.errors import GraderError
from ..core.paths import Repository
from ..core.scratch import scratch_folder
from ..records import Diagnostic
from ..sandbox import process
from ..sandbox.process import Box, Mount, ResourceLimits
from . import diagnostics
from .toolkit import Toolkit
from .toolkit_files import damaged_header

_FILE = "sound.cu"
# sinf needs the back end's library of device functions.
_SOURCE = """\
extern "C" __global__ void sound(float* x) { x[threadIdx.x] = sinf(x[threadIdx.x]); }
int main() { sound<<<1, 32>>>(nullptr); }
"""
_REMEDY = (
    "type `rm -r .deps/cuda` and `make tools`, which installs the compiler's wheels; "
    "a toolkit of the system must be installed again before that"
)


def is_first_error_placed(messages: Iterable[Diagnostic]) -> bool:
    """Whether the first error is on a line of the submission: then the compiler has read everything before it
    and is not to blame. After an error elsewhere, such as in a truncated header of the toolkit, correct lines
    have errors, too.
    """
    first = next((message for message in messages if message.severity == "error"), None)
    return first is not None and first.line is not None


def need_whole_headers(toolkit: Toolkit) -> None:
    """GraderError if a header of the toolkit is damaged, whether or not our own files include it."""
    header = damaged_header(toolkit.folder)
    if header is not None:
        raise GraderError(
            "the CUDA compiler is damaged: this header is not as it was installed",
            file=header,
            remedy=_REMEDY,
        )


def need_sound(
    toolkit: Toolkit, repository: Repository, flags: Sequence[str], architecture: str, limits: ResourceLimits,
    sandbox: str,
) -> None:  # fmt: skip
    """GraderError if nvcc with `flags` does not compile a correct file for `architecture`, such as
    "sm_90"."""
    virtual = f"compute_{architecture.removeprefix('sm_')}"
    target = f"arch={virtual},code=[{virtual},{architecture}]"
    command = ("/toolkit/bin/nvcc", *flags, "-gencode", target, "-o", "/box/sound", _FILE)
    with scratch_folder(repository) as work:
        (work / _FILE).write_text(_SOURCE, encoding="utf-8")
        box = Box(work, (Mount(toolkit.folder, "/toolkit"),), proc=False)
        outcome = process.run(command, box, limits, sandbox, "nvcc, a right file")
        made = (work / "sound").is_file()
    if outcome.status != 0 or not made:
        words = diagnostics.plain((outcome.stderr + outcome.stdout)[:300]) or f"exit code {outcome.status}"
        raise GraderError(
            f"the CUDA compiler is damaged: it does not compile a file that is right: {words}",
            file=toolkit.folder, remedy=_REMEDY,
        )  # fmt: skip
