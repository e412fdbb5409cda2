"""Downloads from learning platforms as one entry a student: Canvas, Moodle, Blackboard, Gradescope, plain.

Each platform encodes the student, the attempt and its time in file names; Gradescope in a metadata file. The
latest of several attempts counts. Nothing is dropped: a file whose name does not match the platform's pattern
becomes an entry of its own, and the results give the reason.

People are who the platform says they are: the same user id with the same name, or one submitter of one
submission of Gradescope. A name, number or e-mail address that two entries share never makes them one
(collisions.py).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.errors import SubmissionError, UsageError
from ..core.paths import Repository, typed
from ..core.scratch import scratch_folder
from ..records import Student
from . import admit, archive, collisions, gradescope_metadata
from .admit import SubmissionEntry, identity, printable
from .download_names import PARSERS, Piece, Pieces, latest_uploads, valid_time, without_task
from .gradescope_metadata import SubmissionFolder, Submitter
from .roster import People, Person

SOURCES = ("auto", "canvas", "moodle", "blackboard", "gradescope", "plain")
_EXPECTED = ("name a folder with one entry for each student (alice/02-tiled/kernel.cu, bob.zip, …), "
             "or the archive that Canvas, Moodle, Blackboard or Gradescope gave")  # fmt: skip
_MOST_METADATA = 64 << 20  # bytes


@dataclass(frozen=True)
class Download:
    """The submissions of a class."""

    source: str
    entries: tuple[SubmissionEntry, ...]
    notes: tuple[str, ...] = ()
    missing: tuple[Student, ...] = ()  # students of the roster without an entry
    people: People | None = None  # the roster


def read(folder: Path, source: str = "auto", people: People | None = None) -> Download:
    """Every entry of the folder. UsageError if it has none, or does not match `source`."""
    if not folder.is_dir():
        what = "is neither a folder nor an archive" if folder.exists() else "is not there"
        alone = (
            f"; for one kernel {typed(f'check LAB {folder}')}" if folder.suffix in archive.SUFFIXES else ""
        )
        raise UsageError(what, file=folder, remedy=_EXPECTED + alone)
    export = _export(folder)
    if source == "auto":
        source = "gradescope" if export else _detected(folder)
    if source == "gradescope":
        if export is None:
            what = f"holds no {gradescope_metadata.FILE}"
            raise UsageError(what, file=folder, remedy="--source plain takes any folder")
        download = _gradescope(export)
    elif source == "plain":
        found, notes = admit.entries(folder)
        download = Download("plain", found, notes)
    else:
        download = _by_name(folder, source)
    if not download.entries:
        raise UsageError("holds no submission", file=folder, remedy=_EXPECTED)
    download = _mapped(download, people) if people else download
    return replace(download, notes=(*collisions.notes(download.entries), *download.notes))


@contextmanager
def opened(path: Path, repository: Repository, sandbox: str = "bwrap") -> Iterator[Path]:
    """The folder itself, or a temporary folder with the members of an archive of a whole class.

    A text file in that folder names each member that could not be unpacked, so that the results show it.
    """
    if path.is_dir() or not path.exists() or not archive.is_archive(path.name):
        yield path
        return
    with scratch_folder(repository) as work:
        notes = archive.unpack(path, work / "class", sandbox)
        place = work / "class"
        inner = list(place.iterdir()) if place.is_dir() else []
        if len(inner) == 1 and inner[0].is_dir() and _detected(place) == "plain":
            place = inner[0]
        place.mkdir(exist_ok=True)
        for number, note in enumerate(notes, 1):
            _note_beside(place, number, note)
        try:
            yield place
        except UsageError as error:
            if error.file != place:
                raise
            raise UsageError(error.message, file=path, remedy=error.remedy) from None


def _note_beside(place: Path, number: int, note: str) -> None:
    """A new file: a student's own may have the name already."""
    for more in itertools.count():
        file = place / f"not-unpacked-{number}{'-again' * more}.txt"
        if not file.exists():
            file.write_text(note, encoding="utf-8")
            return


def _detected(folder: Path) -> str:
    """The source whose pattern matches at least half of the names. The patterns exclude one another."""
    paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    for name, parse in reversed(PARSERS.items()):
        fitting = sum(parse(path) is not None for path in paths)
        if fitting and 2 * fitting >= len(paths):
            return name
    return "plain"


def _by_name(folder: Path, source: str) -> Download:
    parse = PARSERS[source]
    others, notes = admit.entries(folder, lambda path: parse(path) is not None)
    pieces: Pieces = {}
    entries: list[SubmissionEntry] = []
    for other in others:
        piece = parse(other.path)
        if piece is None:
            note = f"its name does not look like a download from {source.title()}"
            entries.append(replace(other, notes=(note,)))
        else:
            pieces.setdefault((piece.user, piece.name), []).append(piece)
    if source == "blackboard":
        pieces = without_task(pieces)
    entries += [_entry(user, group, source) for (user, _), group in pieces.items()]
    if not pieces:
        raise UsageError(f"holds nothing from {source.title()}", file=folder, remedy="leave --source out")
    return Download(source, _sorted(entries), notes)


def _entry(user: str, group: Sequence[Piece], source: str) -> SubmissionEntry:
    """One student's entry: the latest attempt, with notes on the files that do not count."""
    group = sorted(group, key=lambda piece: (piece.stamp, piece.path.name))
    latest = latest_uploads(group) if source == "canvas" else [p for p in group if p.stamp == group[-1].stamp]
    notes = [
        f"{printable(piece.path.name)}: an earlier attempt, a later one counts"
        for piece in group
        if piece.path not in {each.path for each in latest} and not piece.excluded
    ]
    notes += [f"{printable(p.path.name)}: {p.excluded}" for p in latest if p.excluded not in ("", "manifest")]
    parts = [piece for piece in latest if not piece.excluded]
    last = group[-1]
    whole = parts[0] if len(parts) == 1 and not parts[0].file else None
    return SubmissionEntry(
        student=identity(last.name),
        name=printable(last.name),
        path=(parts or group)[-1].path,
        parts=() if whole else tuple((part.file or part.path.name, part.path) for part in parts),
        key=f"{source} {user}",
        ids=(user,),
        notes=tuple(notes),
        submitted=last.submitted,
        late=any(piece.late for piece in latest),
    )


# --- Gradescope --------------------------------------------------------------------------------


def _export(folder: Path) -> Path | None:
    """The folder of the export: this one, or its only subfolder."""
    inner = [path for path in folder.iterdir() if not path.name.startswith((".", "__"))]
    places = [folder, *(inner if len(inner) == 1 else [])]
    return next((place for place in places if (place / gradescope_metadata.FILE).is_file()), None)


def _gradescope(export: Path) -> Download:
    file = export / gradescope_metadata.FILE
    if file.stat().st_size > _MOST_METADATA:
        raise UsageError("is too large to be what it should be", file=file)
    rows = gradescope_metadata.read(file.read_text(encoding="utf-8", errors="replace"))
    entries: list[SubmissionEntry] = []
    lost: list[Student] = []
    listed: set[str] = set()
    for number, row in enumerate(rows):
        for person in row.submitters or (Submitter(row.folder),):
            if Path(row.folder).name == row.folder:
                key = f"gradescope {row.folder} {number} {len(entries)}"
                entries.append(_exported(row, person, export / row.folder, key))
            else:
                lost.append(_without_folder(row, person))
        listed.add(row.folder)
    others, notes = admit.entries(export)
    if not rows:
        unread = (
            f"{gradescope_metadata.FILE} cannot be read: each folder is one entry, whoever is in its group"
        )
        notes = (unread, *notes)
    unlisted = f"{gradescope_metadata.FILE} does not name it"
    entries += [
        replace(other, notes=(unlisted,))
        for other in others
        if other.path.name not in listed and other.path.name != gradescope_metadata.FILE
    ]
    found = _sorted(entries)
    return Download("gradescope", found, notes, _distinct(lost, found))


def _exported(row: SubmissionFolder, person: Submitter, path: Path, key: str) -> SubmissionEntry:
    ids = tuple(filter(None, (person.sid, person.email)))
    name = person.name or next(iter(ids), row.folder)
    return SubmissionEntry(
        identity(name), printable(name), path, key=key, ids=ids, submitted=_iso(row.created_at)
    )


def _without_folder(row: SubmissionFolder, person: Submitter) -> Student:
    what = f"{gradescope_metadata.FILE} names {printable(row.folder)!r}, which is no folder beside it"
    name = person.name or person.sid or person.email or row.folder
    return Student(identity(name), printable(name), "", (), SubmissionError(what).problem())


def _iso(stamp: str) -> str:
    """2026-11-20 10:00:00.123456000 Z → 2026-11-20T10:00:00+00:00; "" if it is no time."""
    match = re.match(r"^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?$", stamp)
    if match is None:
        return ""
    zone = (match[3] or "").replace("Z", "+00:00")
    return valid_time(f"{match[1]}T{match[2]}{zone}")


# --- the roster --------------------------------------------------------------------------------


def _mapped(download: Download, people: People) -> Download:
    """Entries under the roster's names, noted if it lacks the person, and one for each missing student.

    What one member of a group hands in is also of those members that hand in nothing.
    """
    entries, present = [], set[str]()
    for entry, person in zip(download.entries, _persons(download.entries, people), strict=True):
        members = () if person else people.members(entry.name)
        if person is None and not members:
            entries.append(replace(entry, notes=(*entry.notes, "not in the roster")))
        for each in (person,) if person else members:
            present.add(each.student)
            own = replace(entry, names=(*entry.ids, entry.name)) if person else replace(entry, ids=())
            entries.append(_of_person(own, each))
    for person in people.everyone:
        theirs = [each for each in entries if each.group == person.group != "" and not each.is_shared]
        if person.student not in present and theirs:
            shared = max(theirs, key=lambda entry: (entry.submitted, entry.student))
            note = f"handed in by {shared.name} for the group {printable(person.group)}"
            present.add(person.student)
            # The ids of the course system are those of whoever handed it in.
            copy = replace(shared, notes=(*shared.notes, note), ids=(), names=(), is_shared=True)
            entries.append(_of_person(copy, person))
    found = _sorted(entries)
    nothing = SubmissionError("nothing was handed in").problem()
    missing = [
        Student(identity(person.student), printable(person.name), "", (), nothing,
                section=person.section, group=person.group, grader=person.grader)
        for person in people.everyone
        if person.student not in present
    ]  # fmt: skip
    everyone = _distinct((*download.missing, *missing), found)
    return replace(download, entries=found, missing=everyone, people=people)


def _persons(entries: Sequence[SubmissionEntry], people: People) -> list[Person | None]:
    """Whom the roster names by each entry. An archive that is not read, such as ann.rar, is Ann's as well, if
    nothing else is.
    """
    found = [people.find(_names(entry)) for entry in entries]
    known = set(filter(None, found))
    for at, entry in enumerate(entries):
        person = None if found[at] else people.find([archive.bare(entry.path.name)])
        found[at] = found[at] or (None if person in known else person)
    return found


def _of_person(entry: SubmissionEntry, person: Person) -> SubmissionEntry:
    return replace(
        entry,
        student=identity(person.student),
        name=printable(person.name),
        ids=(*entry.ids, person.student),
        names=(*entry.names, *person.names),
        section=person.section,
        group=person.group,
        grader=person.grader,
    )


def _names(entry: SubmissionEntry) -> Iterable[str]:
    """The names by which the roster is searched: first the platform's ids, for names may be shared."""
    yield from entry.ids
    for own in entry.ids if entry.key.startswith("blackboard ") else ():
        while "_" in own:  # try each boundary between task and user
            own = own.partition("_")[2]
            yield own
    yield entry.name
    yield archive.stem(entry.path.name)


def _distinct(students: Iterable[Student], entries: Iterable[SubmissionEntry]) -> tuple[Student, ...]:
    """Students without an entry, under ids that no other has, also on a disk that ignores case."""
    taken = {entry.student.casefold() for entry in entries}
    found = []
    for student in students:
        tries = itertools.chain((student.id,), (f"{student.id}-{number}" for number in itertools.count(2)))
        id = next(name for name in tries if name.casefold() not in taken)
        taken.add(id.casefold())
        found.append(replace(student, id=id))
    return tuple(found)


def _sorted(entries: Iterable[SubmissionEntry]) -> tuple[SubmissionEntry, ...]:
    """The entries in a fixed order, with distinct identities."""
    ordered = sorted(entries, key=lambda entry: (entry.name, entry.key, str(entry.path)))
    distinct = admit.with_distinct_identities(ordered)
    return tuple(sorted(distinct, key=lambda entry: entry.student))
