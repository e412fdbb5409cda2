"""The folders and tools of the repository."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from .errors import GraderError, InstructorError, MissingSoftware, UsageError

ORIGINAL = "original"  # labs/<lab>/original/: copies of the skeletons in a students' archive
_TICK = 1_000_000_000  # nanoseconds; more than the resolution of any file system's times but FAT's
_DIGESTS: dict[tuple[int, ...], bytes] = {}  # by what stat() tells of a file


@dataclass(frozen=True)
class Repository:
    """Paths below one root. None of them needs to exist."""

    root: Path

    @property
    def labs(self) -> Path:
        return self.root / "labs"

    @property
    def common(self) -> Path:
        """Headers that a submission may include."""
        return self.labs / "common"

    @property
    def toolkit(self) -> Path:
        return self.root / ".deps" / "cuda"

    @property
    def libraries(self) -> Path:
        """Debian's libraries that set-up unpacked because it could not install them."""
        return self.root / ".deps" / "debian" / "usr" / "lib" / "x86_64-linux-gnu"

    @property
    def emulator(self) -> Path:
        return self.root / "build" / "emulator" / "libcudart.so.13"

    @property
    def emu(self) -> Path:
        """The emulator's command line."""
        return self.root / "build" / "emulator" / "emu"

    @property
    def backend(self) -> Path:
        """Serves a program's calls of the CUDA runtime, from another process."""
        return self.root / "build" / "emulator" / "backend"

    @property
    def frontend(self) -> Path:
        """The program's CUDA runtime, which hands each call to the back end."""
        return self.root / "build" / "frontend" / "libcudart.so.13"

    @property
    def confine(self) -> Path:
        """Starts a command in a sandbox without namespaces."""
        return self.root / "build" / "confine"

    @property
    def datasets(self) -> Path:
        return self.root / "build" / "datasets"

    @property
    def references(self) -> Path:
        """Reference solutions, compiled."""
        return self.root / "build" / "references"

    @property
    def output(self) -> Path:
        """The folder for output that people read: build/, or the one that WARPGRADE_OUTPUT names."""
        return Path(os.environ.get("WARPGRADE_OUTPUT") or self.root / "build")

    @property
    def grades(self) -> Path:
        return self.output / "grades"

    @property
    def gpus(self) -> Path:
        return self.root / "grader" / "gpus"

    @property
    def salt(self) -> Path:
        return self.root / "datasets" / ".salt"

    def lab_names(self) -> list[str]:
        """Folders with a lab.toml. Where it is a link to a missing file, reading it says what is wrong."""
        files = (folder / "lab.toml" for folder in sorted(self.labs.glob("*")))
        return [file.parent.name for file in files if file.exists() or file.is_symlink()]

    def harness(self, lab: str) -> Path:
        return self.root / "build" / "harness" / lab

    def solution(self, lab: str) -> Path:
        return self.root / "solutions" / lab


def checkout() -> Path:
    """The checkout that this package lies in, else the one around the current folder.

    An installed package lies in no checkout. Raises UsageError if there is none around either.
    """
    current = Path.cwd()
    for folder in (Path(__file__).resolve().parents[3], current, *current.parents):
        if (folder / "labs").is_dir() and (folder / "grader" / "gpus").is_dir():
            return folder
    raise UsageError(
        f"{current} lies in no checkout of Warpgrade and in no students' archive",
        remedy="change into one, or set WARPGRADE_ROOT to its folder",
    )


def here() -> Repository:
    """The repository to work on: WARPGRADE_ROOT, else the checkout."""
    given = os.environ.get("WARPGRADE_ROOT")
    return Repository(Path(given) if given else checkout())


IN_A_CHECKOUT = "./warpgrade"  # what files of a checkout, or of the students' archive, tell people to type


def program() -> str:
    """The command that runs this program: "warpgrade" where the shell finds it, else the checkout's."""
    import shutil

    if shutil.which("warpgrade"):
        return "warpgrade"
    try:
        called = os.path.relpath(here().root / "warpgrade")
    except UsageError:  # an installed command, outside of a checkout
        return "warpgrade"
    return called if called.startswith("..") else f"./{called}"


def typed(words: str) -> str:
    """A remedy: "type `warpgrade WORDS`"."""
    return f"type `{program()} {words}`"


def need(path: Path, remedy: str) -> Path:
    """`path` if it is a file or a folder, else GraderError with the remedy."""
    if not path.exists():
        raise MissingSoftware("is missing", file=path, remedy=remedy)
    if not path.is_file() and not path.is_dir():  # reading a pipe would wait for ever
        raise GraderError("is not a regular file", file=path, remedy=f"remove it, and {remedy}")
    return path


def need_harness(repository: Repository, lab: str) -> Path:
    """The built harness. InstructorError where the lab has one that is not built: it may not compile."""
    source, made = repository.labs / lab / "harness.cpp", repository.harness(lab)
    if source.exists() and not made.exists():
        remedy = f"type `make {made.relative_to(repository.root)}`, which says where it is wrong"
        raise InstructorError("is not built", file=source, remedy=remedy)
    return need(made, "type `make tools`")


def file_hash(*paths: Path) -> str:
    """SHA-256 of the contents of these files in this order, as 64 hexadecimal digits."""
    import hashlib  # loads libcrypto, which doubles the start-up time of --help

    total = hashlib.sha256()
    for path in paths:
        total.update(_digest(path))
    return total.hexdigest()


def _digest(path: Path) -> bytes:
    """SHA-256 of the file's contents, computed once for as long as it stays the same file.

    A file that changed a moment ago may change again within one tick of the file system's clock, so that
    its status tells nothing: such a digest is not kept.
    """
    import hashlib

    status = path.stat()
    known = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if (digest := _DIGESTS.get(known)) is None:
        with path.open("rb", buffering=0) as file:  # the whole of a large one in memory takes twice as long
            digest = hashlib.file_digest(file, "sha256").digest()
        if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _TICK:
            _DIGESTS[known] = digest
    return digest


def text_hash(*parts: str) -> str:
    """SHA-256 of several texts. ("ab", "c") and ("a", "bc") differ."""
    import hashlib

    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest())
    return total.hexdigest()
