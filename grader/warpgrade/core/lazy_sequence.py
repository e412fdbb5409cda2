"""A sequence whose items are made each time they are asked for, as all of them do not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")
Other = TypeVar("Other")


class LazySequence(Sequence[T], Generic[T]):
    """`count` items; `make` gets an index from 0 to count - 1."""

    def __init__(self, count: int, make: Callable[[int], T]) -> None:
        self._count, self._make = count, make

    def map(self, function: Callable[[T], Other]) -> LazySequence[Other]:
        """The same items, with `function` applied to each."""
        return LazySequence(self._count, lambda at: function(self._make(at)))

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self._make(index) for index in range(*at.indices(self._count))]
        if not -self._count <= at < self._count:
            raise IndexError(at)
        return self._make(at % self._count)
