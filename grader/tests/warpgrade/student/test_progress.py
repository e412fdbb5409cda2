"""What a check leaves for `list` and `hint`."""

from __future__ import annotations

from support import sample_results
from warpgrade.core.paths import Repository
from warpgrade.feedback import mistakes
from warpgrade.student import progress


def test_of_a_file_elsewhere_only_what_hints_follow_is_kept(repository: Repository) -> None:
    lab = sample_results.lab()
    own, other = (each.results[0] for each in (sample_results.right_student(), sample_results.racy_student()))
    done = progress.note_check(repository, lab, own)
    assert done.points and not done.named
    progress.note_named(repository, lab, other)
    then = progress.read(repository, lab.name)
    assert then.named == mistakes.causes(lab, other) != ()
    assert (then.points, then.passed, then.kernel) == (done.points, done.passed, done.kernel)
