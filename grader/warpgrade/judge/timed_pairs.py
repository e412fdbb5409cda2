"""Timed launches of student and reference, size by size, and the times that the model gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..course import work
from ..course.work import AmountOfWork
from ..gpu.spec import GpuSpec
from ..perfmodel.few_blocks import FEW_BLOCKS, slowdown
from ..perfmodel.fixed_grid import TimedPart, larger_sizes, time_of_part
from ..perfmodel.model import shares
from ..records import Lab, Launch, Occupancy, Run, Size, SizeTime


@dataclass(frozen=True)
class TimedPair:
    """The timed launches of student and reference at one size. If the grid of a side does not grow with the
    size, its launches are those of two larger sizes.
    """

    size: Size
    work: AmountOfWork
    whole: AmountOfWork  # the work of the size that a GPU is timed with
    student: tuple[TimedPart, ...]
    reference: tuple[TimedPart, ...]
    slowdown: float = 1.0  # factor on the student's time, for a grid that does not grow with the size

    @property
    def has_machine_code(self) -> bool:
        parts = (*self.student, *self.reference)
        return all(launch.mix for part in parts for launch in part.launches)

    @property
    def from_ptx(self) -> TimedPair:
        """The pair without counts of the machine code: its times are modelled from PTX alone."""

        def bare(parts: tuple[TimedPart, ...]) -> tuple[TimedPart, ...]:
            return tuple(
                replace(part, launches=tuple(replace(launch, mix=None) for launch in part.launches))
                for part in parts
            )

        return replace(self, student=bare(self.student), reference=bare(self.reference))

    def modelled(self, gpu: GpuSpec, student: Occupancy | None, reference: Occupancy | None) -> SizeTime:
        mine = time_of_part(self.student, self.work, self.whole, gpu, student)
        theirs = time_of_part(self.reference, self.work, self.whole, gpu, reference)
        time = mine.milliseconds * self.slowdown
        bound = FEW_BLOCKS if self.slowdown > 1 else mine.bound
        return SizeTime(self.size, time, theirs.milliseconds, theirs.milliseconds / time, bound, theirs.bound)


def timed_pairs(run: Run, lab: Lab, gpu: GpuSpec) -> tuple[TimedPair, ...]:
    """One pair for each size; empty if a launch is missing. If the machine code of one side is not known,
    that of the other side is not used either.
    """
    found = []
    for size in lab.performance.sizes:
        student, reference = _part(run, lab, size, "student"), _part(run, lab, size, "reference")
        if not student or not reference:
            return ()
        whole = work.of(lab, work.whole(lab))
        # The launch with the largest share of the traffic has the largest share of the time.
        (main, _), (beside, _) = largest(student.launches), largest(reference.launches)
        shape = run.shape_of(main.kernel)
        larger = larger_sizes(lab, size, shape, beside)
        mine = _parts(run, lab, larger, "student")
        theirs = _parts(run, lab, larger, "reference") or (reference,)
        slower = slowdown(shape, beside, student.work, whole, gpu) if shape and not mine else 1.0
        found.append(TimedPair(size, student.work, whole, mine or (student,), theirs, slower))
    exact = all(pair.has_machine_code for pair in found)
    return tuple(pair if exact else pair.from_ptx for pair in found)


def largest(launches: Sequence[Launch]) -> tuple[Launch, float]:
    """The launch with the largest share of the traffic, and that share."""
    return max(zip(launches, shares(launches), strict=True), key=lambda each: each[1])


def _parts(run: Run, lab: Lab, sizes: Sequence[Size], side: str) -> tuple[TimedPart, ...]:
    """The launches of one side at these sizes. Empty if a size is missing, or if the grid grows with the
    size.
    """
    found = [part for size in sizes if (part := _part(run, lab, size, side))]
    grids = {tuple(launch.grid for launch in part.launches) for part in found}
    return tuple(found) if len(found) == len(sizes) and len(grids) == 1 else ()


def _part(run: Run, lab: Lab, size: Size, side: str) -> TimedPart | None:
    label = f"time/{'x'.join(map(str, size))}/{side}"
    launches = tuple(launch for launch in run.launches if launch.label == label)
    return TimedPart(launches, work.of(lab, size)) if launches else None
