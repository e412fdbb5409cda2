"""Select one lab's files from the contents of an entry, and decode them."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ..core.errors import GraderError, SubmissionError, UsageError
from ..core.paths import ORIGINAL, text_hash, typed
from ..core.unicode import ascii_letters
from ..records import Lab, LabKind, Problem, SourceFile, Submission
from . import archive
from .archive import Contents

_RESERVED = ("students",)  # folders of the grader beside those of the students
_MAIN_SUFFIXES = (".cu", ".toml")
_SOME = 4  # names that a message lists
# Files that operating systems leave in folders, apart from those whose names begin with a dot.
_LITTER = ("__MACOSX", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class SubmissionEntry:
    """One student's entry of the class folder, not read yet."""

    student: str  # a safe folder name and HTML id
    name: str  # of the entry, printable
    path: Path
    parts: tuple[tuple[str, Path], ...] = ()  # (name in the submission, path); empty: only `path`
    key: str = ""  # what the course system calls the entry, if the name of `path` does not identify it
    ids: tuple[str, ...] = ()  # of the person in the course system, the surest first
    notes: tuple[str, ...] = ()
    submitted: str = ""  # the time that the source gives: "2026-11-20T10:00:00+00:00", or without a zone
    by_sheet: bool = False  # that time is from a sheet, which may be corrected
    late: bool = False  # according to the source
    section: str = ""  # from the roster, as group and grader
    group: str = ""
    grader: str = ""
    names: tuple[str, ...] = ()  # by which roster and course system know the person
    is_shared: bool = False  # another member of the group handed it in


def entries(
    folder: Path, is_known: Callable[[Path], bool] = lambda path: False
) -> tuple[tuple[SubmissionEntry, ...], tuple[str, ...]]:
    """Every entry of the class folder by name, and notes on ignored files.

    `is_known`: whether a hidden file is a submission all the same, for a person's name may begin with a dot.
    """
    names = sorted((path.name for path in folder.iterdir()), key=printable)
    hidden = [name for name in names if name.startswith(".") or name in _LITTER]
    litter = [name for name in hidden if name.startswith("._") or not is_known(folder / name)]
    found = [
        SubmissionEntry(identity(name), printable(archive.stem(name)), folder / name)
        for name in names
        if name not in litter
    ]
    return with_distinct_identities(found), tuple(f"ignored {printable(name)}" for name in litter)


def read(entry: SubmissionEntry, sandbox: str = "bwrap") -> Contents | Problem:
    """The source files of the entry, or the problem that prevents reading them."""
    try:
        if entry.parts:
            return archive.read_parts(entry.parts, sandbox)
        return archive.read(entry.path, sandbox)
    except (SubmissionError, GraderError) as error:
        return replace(error.problem(), where=printable(entry.path.name))
    except OSError as error:
        return SubmissionError(
            f"cannot be read: {error.strerror}",
            file=printable(entry.path.name),
            remedy="look at its permissions",
        ).problem()


def admit(
    entry: SubmissionEntry, contents: Contents, lab: Lab, only_lab: bool, course: Collection[str] = ()
) -> Submission | None:
    """The entry's files for this lab; None if it has none.

    With `only_lab` the files may also lie outside a folder with the lab's name, and a single source file may
    have any name, but they may not lie in a folder with the name of another lab of the course.
    SubmissionError if two folders qualify, or if the lab's files cannot be read.
    """
    others = set(course) - {lab.name}
    place = _place(contents, lab, only_lab, others)
    if place is None:
        if of_lab := [name for name in contents.closed if lab.name in PurePosixPath(name).parts]:
            raise _no_permission(entry, of_lab)
        return None
    chosen = {name: contents.files[path] for name in lab.files if (path := place.get(name)) is not None}
    files = tuple(_source_file(name, content) for name, content in chosen.items())
    total = text_hash(*(part for file in files for part in (file.name, file.text)))
    unused = tuple(map(printable, _unused(contents, lab, place, _own(contents, lab, only_lab, others))))
    of_files = (f"{file.name}: {note}" for file in files for note in file.notes)
    notes = (*_which_counts(lab, place, unused), *contents.notes, *of_files)
    own = "" if entry.is_shared else printable(entry.path.name)
    names = entry.names if lab.kind is LabKind.ANSWERS and entry.names else None
    return Submission(entry.student, lab.name, own, files, total, notes, unused, names)


def nothing_fits(entry: SubmissionEntry, contents: Contents, labs: Sequence[Lab]) -> SubmissionError:
    """The error for an entry without files for any of these labs: what it holds, and what was expected."""
    if contents.closed:
        return _no_permission(entry, contents.closed)
    held = ", ".join(printable(name) for name in sorted(contents.files)[:_SOME]) or "no source file"
    if contents.notes and not contents.files:
        held += f" ({'; '.join(contents.notes[:_SOME])})"
    wanted = " or ".join(f"{lab.name}/{lab.files[0]}" for lab in labs[:_SOME])
    more = ", …" if len(labs) > _SOME else ""
    alone = "" if len(labs) == 1 else "with one lab named (--lab) "
    return SubmissionError(
        f"nothing in it fits: it holds {held}",
        file=printable(entry.path.name),
        remedy=f"it should hold {wanted}{more}; {alone}{labs[0].files[0]} alone will do",
    )


def _no_permission(entry: SubmissionEntry, names: Sequence[str]) -> SubmissionError:
    return SubmissionError(
        f"the grader has no permission to read {', '.join(map(printable, names[:_SOME]))}",
        file=printable(entry.path.name),
        remedy=f"type `chmod -R u+rX {shlex.quote(printable(str(entry.path)))}`, and grade again",
    )


def from_file(path: Path, lab: Lab, student: str) -> Submission:
    """One file as a submission, for `check`."""
    _need_source(path, lab)
    others = [path.parent / name for name in lab.files[1:] if (path.parent / name).is_file()]
    contents = [(lab.files[0], path), *((other.name, other) for other in others)]
    files = tuple(_source_file(name, file.read_bytes()) for name, file in contents)
    total = text_hash(*(part for file in files for part in (file.name, file.text)))
    return Submission(student, lab.name, path.name, files, total)


def _need_source(path: Path, lab: Lab) -> None:
    """UsageError, with the command to type, if `path` is no source file."""
    inside = next(
        (path / name for name in (lab.files[0], f"{lab.name}/{lab.files[0]}") if (path / name).is_file()),
        "FILE",
    )
    remedy = typed(f"check {lab.name} {inside}")
    if path.is_dir():
        raise UsageError("is a folder, not a kernel", file=path, remedy=remedy)
    if not path.exists():
        raise UsageError("is not there", file=path, remedy=remedy)
    if archive.is_archive(path.name):
        raise UsageError("is an archive, not a kernel", file=path, remedy=f"unpack it, then {remedy}")
    if not path.is_file() or "\0" in _source_file("", path.read_bytes()).text:
        raise UsageError("is no source file", file=path, remedy=remedy)
    if path.name in lab.files[1:]:
        main = path.with_name(lab.files[0])
        raise UsageError(f"goes along with {main.name}", file=path, remedy=typed(f"check {lab.name} {main}"))
    wanted = Path(lab.files[0]).suffix
    if path.suffix in _MAIN_SUFFIXES and path.suffix != wanted:
        message = f"is no {wanted} file like {lab.files[0]}, which lab {lab.name} wants"
        raise UsageError(message, file=path, remedy=typed(f"check {shlex.quote(str(path))}"))


# --- selection of files --------------------------------------------------------------------------


def _place(contents: Contents, lab: Lab, only_lab: bool, others: Set[str]) -> dict[str, str] | None:
    """File name → path in the submission, for the folder that holds the lab."""
    main = lab.files[0]
    is_toml = PurePosixPath(main).suffix == ".toml"  # such a file does not make a kernel's entry ambiguous
    paths = [
        path for path in _own(contents, lab, only_lab, others) if (path.suffix.lower() == ".toml") == is_toml
    ]
    candidates = [path for path in paths if path.name == main and path.parent.name == lab.name]
    if not candidates and only_lab:
        candidates = [path for path in paths if path.name == main]
        if not candidates and len(paths) == 1 and paths[0].suffix.lower() == PurePosixPath(main).suffix:
            return {main: str(paths[0])}
    if not candidates:
        return None
    folder = _shallowest(candidates).parent
    return {name: str(folder / name) for name in lab.files if str(folder / name) in contents.files}


def _own(contents: Contents, lab: Lab, only_lab: bool, others: Set[str]) -> list[PurePosixPath]:
    """The files that may be of this lab: below its folder, or with `only_lab` below no other lab's."""
    paths = (path for path in map(PurePosixPath, contents.files) if others.isdisjoint(path.parts[:-1]))
    return [path for path in paths if only_lab or lab.name in path.parts[:-1]]


def _unused(
    contents: Contents, lab: Lab, place: dict[str, str], paths: Sequence[PurePosixPath]
) -> Iterator[str]:
    """The other files of the main file's kind, but for copies of one that counts and of the skeletons."""
    counting = {contents.files[path] for path in place.values()}
    kind = PurePosixPath(lab.files[0]).suffix
    for path in sorted(paths):
        is_original = path.parent.name == ORIGINAL
        if path.suffix.lower() == kind and not is_original and contents.files[str(path)] not in counting:
            yield str(path)


def _which_counts(lab: Lab, place: dict[str, str], unused: Sequence[str]) -> Iterator[str]:
    """A note, where there was a choice."""
    if unused:
        kind = PurePosixPath(lab.files[0]).suffix
        counts = ", ".join(printable(path) for path in place.values() if path.endswith(kind))
        more = f" and {len(unused) - _SOME} more" if len(unused) > _SOME else ""
        yield f"graded {counts}; left out {', '.join(unused[:_SOME])}{more}"


def _shallowest(candidates: Sequence[PurePosixPath]) -> PurePosixPath:
    depth = min(len(path.parts) for path in candidates)
    nearest = [path for path in candidates if len(path.parts) == depth]
    if len(nearest) > 1:
        names = " or ".join(printable(str(path)) for path in sorted(nearest)[:3])
        raise SubmissionError(f"which one is meant: {names}?", remedy="hand in one file for each lab")
    return nearest[0]


# --- text --------------------------------------------------------------------------------------


def _source_file(name: str, content: bytes) -> SourceFile:
    text, notes = _decode(content)
    if "\r" in text:
        notes.append("Windows line ends were read as plain ones")
        text = text.replace("\r\n", "\n")
        if "\n" not in text:
            text = text.replace("\r", "\n")
    return SourceFile(name, text, tuple(notes))


# UTF-32's byte-order mark begins like that of UTF-16.
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"),
          (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))  # fmt: skip
_MOSTLY = 0.9  # share of ASCII letters in a program


def _decode(content: bytes) -> tuple[str, list[str]]:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace"), ["a byte-order mark was left out"]
    for zeros, encoding in ((content[1::2], "utf-16-le"), (content[::2], "utf-16-be")):
        if zeros and zeros.count(0) > _MOSTLY * len(zeros) and content.count(0) < 1.1 * len(zeros):
            return content.decode(encoding, "replace"), ["read as UTF-16, though no mark says so"]
    try:
        return content.decode("utf-8"), []
    except UnicodeDecodeError:
        return content.decode("latin-1"), ["not UTF-8: read as Latin-1"]


# --- names -------------------------------------------------------------------------------------


def printable(name: str) -> str:
    """A name from a submission, without control characters and lone surrogates, of bounded length."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)[:120]


def identity(name: str) -> str:
    """The name reduced to letters, digits, "-" and "_": a safe folder name."""
    safe = re.sub(r"[^A-Za-z0-9_]+", "-", ascii_letters(archive.stem(name))).strip("-")[:60]
    return f"student-{safe}" if safe.casefold() in _RESERVED else safe or "student"


def with_distinct_identities(found: Sequence[SubmissionEntry]) -> tuple[SubmissionEntry, ...]:
    """Give entries with equal identities suffixes until all differ, also on a disk that ignores case."""
    entries = tuple(found)
    for round in range(len(entries) + 1):
        times = Counter(entry.student.casefold() for entry in entries)
        if max(times.values(), default=1) == 1:
            break
        entries = tuple(
            entry if times[entry.student.casefold()] == 1 else _suffixed(entry, number, round)
            for number, entry in enumerate(entries)
        )
    return entries


def _suffixed(entry: SubmissionEntry, number: int, round: int) -> SubmissionEntry:
    """The suffix is a hash of the entry's key; from the second round on also of its position in the class."""
    about = f"{entry.key or entry.path.name}{f'|{round}|{number}' if round else ''}"
    digest = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(entry, student=f"{entry.student}-{digest[:8]}")
