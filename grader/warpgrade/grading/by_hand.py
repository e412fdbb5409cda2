"""Files that people write for a term: policy.toml, roster.csv, the folder reviews/.

Each is searched for in the term's folder first, then in the top folder. Pseudonyms for anonymous pages are
computed from the course's secret, so they stay the same for a term and reveal no name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..core import formatting, handwritten
from ..core.paths import Repository, text_hash
from ..course import policy, reviews
from ..course.lab import full_name
from ..course.policy import Policy
from ..course.reviews import Reviews
from ..judge import late_policy
from ..judge.reviews import reviewed, unmatched
from ..records import Grades, Student
from ..run import datasets
from ..submission import admit, roster
from ..submission.roster import People

POLICY, ROSTER, REVIEWS = "policy.toml", "roster.csv", "reviews"
NAMES = (POLICY, ROSTER, REVIEWS)
_DIGITS = 6


@dataclass(frozen=True)
class ByHand:
    """Policy and reviews of a term. Calling it with a student returns the student after these are applied."""

    policy: Policy
    reviews: Reviews
    salt: str
    labs: tuple[str, ...]  # of the course
    people: People | None = None  # the roster

    def __call__(self, student: Student) -> Student:
        names = {student.id: pseudonym(student.id, self.salt)}
        return late_policy.adjusted(reviewed(student, self.reviews, names), self.policy)

    def _who(self, name: str) -> str:
        if self.people and (members := self.people.members(name)):
            ids = formatting.listed([person.student for person in members])
            return f"a group of the roster: write an entry for each of its members, {ids}"
        return "nobody in the class"

    def unmatched(self, grades: Grades) -> list[str]:
        """A sentence for each entry of policy or reviews to which nothing in the class belongs."""
        known = {student.id for student in grades.students}
        found = [
            f"{entry.place}: {entry.student} is {self._who(entry.student)}"
            for entry in self.policy.exceptions
            if entry.student not in known
        ]
        found += self.policy.unknown_labs(self.labs)
        if any(True for _ in self.reviews.entries()):
            names = pseudonyms(known, self.salt)
            found += [f"{REVIEWS}/{sentence}" for sentence in unmatched(self.reviews, grades, names)]
        return found


def find(repository: Repository, out: Path, rules: Path | None = None) -> ByHand:
    """Policy and reviews of a term. `rules`: another file in place of policy.toml. InstructorError with the
    line of a mistake.
    """
    file, listed = rules or place(repository, out, POLICY), place(repository, out, ROSTER)
    people = roster.load(listed) if handwritten.is_there(listed) else None

    def called(name: str) -> str:
        """The id of the student whom the roster lists under this name."""
        person = people.find([name]) if people else None
        return admit.identity(person.student if person else name)

    labs = tuple(repository.lab_names())
    whole = partial(full_name, names=labs)
    time = policy.load(file) if rules or handwritten.is_there(file) else Policy()
    return ByHand(
        time.renamed(called).with_labs(whole),
        reviews.load(place(repository, out, REVIEWS)).renamed(called).with_labs(whole),
        datasets.secret(repository),
        labs,
        people,
    )


def place(repository: Repository, out: Path, name: str) -> Path:
    """The file or folder of that name in the term's folder if it is there, else in the top folder."""
    own = out / name
    return own if handwritten.is_there(own) else repository.root / name


def pseudonyms(ids: Iterable[str], salt: str) -> dict[str, str]:
    return {id: pseudonym(id, salt) for id in ids}


def pseudonym(id: str, salt: str) -> str:
    """A name such as "anon-3f2a91", from which only the secret's owner can find the student."""
    return f"anon-{text_hash('pseudonym', salt, id)[:_DIGITS]}"
