"""Checks whether this machine has everything that grading needs, with a remedy for each missing part."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..build import toolkit
from ..build.compiler import Compiler, cuts_headers
from ..build.emu import why_not_here
from ..core.errors import WarpgradeError
from ..core.paths import Repository
from ..course import lab
from ..records import LabKind
from ..run import datasets
from ..sandbox import choice, process


@dataclass(frozen=True)
class MachineCheck:
    """One checked part. `ok`: None if grading works without it."""

    what: str
    ok: bool | None
    detail: str
    remedy: str = ""


def examine(repository: Repository) -> list[MachineCheck]:
    """All checks: first the parts that grading needs, then optional ones."""
    checks: tuple[Callable[[Repository], MachineCheck], ...] = (
        _python, _packages, _toolkit, _emulator, _harnesses, _sandbox, _headers, salt, _gpu
    )  # fmt: skip
    if not (repository.root / "solutions").is_dir():  # a students' copy, which has no hidden cases
        checks = tuple(check for check in checks if check is not salt)
    return [check(repository) for check in checks]


def _python(repository: Repository) -> MachineCheck:
    return MachineCheck("Python", True, platform.python_version())


def _packages(repository: Repository) -> MachineCheck:
    missing = []
    found = []
    for name in _required():
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    detail = f"missing: {', '.join(missing)}" if missing else ", ".join(found)
    return MachineCheck("Python packages", not missing, detail, "type `make` once" if missing else "")


def _required() -> list[str]:
    """The packages that grading imports: from the requirements file, or from the installed distribution."""
    file = Path(__file__).resolve().parents[2] / "requirements.txt"
    lines = (
        file.read_text("utf-8").splitlines() if file.exists() else importlib.metadata.requires("warpgrade")
    )
    return [line.partition("==")[0] for line in lines or () if "==" in line]


def _toolkit(repository: Repository) -> MachineCheck:
    try:
        found = toolkit.find(repository)
    except WarpgradeError as error:
        return MachineCheck("CUDA compiler", False, str(error), error.remedy)
    return MachineCheck("CUDA compiler", True, f"nvcc {found.version} in {found.folder}")


def _there(repository: Repository, what: str, path: Path) -> MachineCheck:
    name = path.relative_to(repository.root)
    if not path.is_file():
        return MachineCheck(what, False, f"{name} is missing", "type `make tools`")
    return MachineCheck(what, True, str(name))


def _emulator(repository: Repository) -> MachineCheck:
    found, emu = (_there(repository, "emulator", tool) for tool in (repository.emulator, repository.emu))
    if not (found.ok and emu.ok):
        return emu if found.ok else found
    if trouble := why_not_here(repository):
        return MachineCheck("emulator", False, trouble, "type `make tools LEVELS=all`")
    return found


def _harnesses(repository: Repository) -> MachineCheck:
    try:
        labs = lab.find(repository)
    except WarpgradeError as error:
        return MachineCheck("labs", False, str(error), error.remedy)
    run = [item.name for item in labs if item.kind is not LabKind.ANSWERS]
    missing = [name for name in run if not repository.harness(name).is_file()]
    if missing:
        return MachineCheck("labs", False, f"no harness for {', '.join(missing)}", "type `make tools`")
    return MachineCheck("labs", True, ", ".join(item.name for item in labs))


def _sandbox(repository: Repository) -> MachineCheck:
    troubles = {kind: process.why_unavailable(kind) for kind in choice.HIDING_FILES}
    works = [kind for kind, trouble in troubles.items() if trouble is None]
    detail = "; ".join(f"{kind}: {trouble or 'works'}" for kind, trouble in troubles.items())
    if works:
        return MachineCheck("sandbox", True, f"{works[0]} is used ({detail})")
    remedy = (
        "sudo apt-get install bubblewrap, and type `make tools`; bwrap needs user namespaces, landlock a "
        "kernel with Landlock"
    )
    return MachineCheck("sandbox", False, detail, f"{remedy}; --sandbox=none grades without a sandbox")


def _headers(repository: Repository) -> MachineCheck:
    """Whether nvcc's headers can be pruned. It changes the time of a class, but no result."""
    what = "nvcc's headers"
    try:
        compiler, labs = Compiler(repository, toolkit.find(repository)), lab.find(repository)
    except WarpgradeError:
        return MachineCheck(what, None, "unknown without a compiler and labs")
    boxed = process.why_unavailable("bwrap") is None
    whole = [item.name for item in labs if not boxed or not cuts_headers(item, compiler)]
    if whole:
        return MachineCheck(
            what, None, f"cannot be pruned for {', '.join(whole)}: a class takes twice as long"
        )
    return MachineCheck(what, True, "pruned to what each file uses, unless it does not compile then")


def salt(repository: Repository) -> MachineCheck:
    try:
        secret = datasets.secret(repository)
    except WarpgradeError as error:
        return MachineCheck("salt", False, str(error), error.remedy)
    if secret == datasets.DEFAULT_SALT:
        detail = "the default: students can compute the values of hidden cases"
        return MachineCheck("salt", None, detail, "write one secret line into datasets/.salt")
    return MachineCheck("salt", True, "your own")


def _gpu(repository: Repository) -> MachineCheck:
    gpus = sorted(path.name for path in Path("/dev").glob("nvidia[0-9]*"))
    if not gpus:
        return MachineCheck("GPU", None, "none; kernels run on the emulator and times are modelled")
    return MachineCheck("GPU", True, ", ".join(gpus))
