"""The statements of a function's body, and the expressions in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .source import KernelSource

_TYPES = """
auto bool char const constexpr double extern float int long short signed static unsigned void volatile
__shared__ __constant__ __restrict__ register size_t half __half half2 __half2 float2 float3 float4 int2
int3 int4 uint2 uint4 double2 dim3 uint3 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
"""
TYPE_WORDS = frozenset(_TYPES.split())
# With one of these words, no value may depend on an edit.
_FIXED = frozenset(("constexpr", "static", "extern", "__shared__", "__constant__"))
_JUMPS = ("return", "break", "continue", "goto", "asm")


@dataclass(frozen=True)
class Region:
    """An expression without a lambda: its first and last token. `is_condition`: of an `if`; `is_loop`: in the
    head of a `for`."""

    first: int
    last: int
    is_condition: bool = False
    is_loop: bool = False


@dataclass(frozen=True)
class Statement:
    """An expression statement: the numbers of its first token and of its semicolon."""

    first: int
    last: int


@dataclass
class Body:
    """What may be edited in one function."""

    regions: list[Region] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    jumps: list[Statement] = field(default_factory=list)  # `return;`, without a value
    points: list[int] = field(default_factory=list)  # tokens behind which a statement may stand
    outer: list[int] = field(default_factory=list)  # those of the points that stand in no inner block
    is_kernel: bool = False

    def barrier_points(self, source: KernelSource) -> list[int]:
        """The points for a barrier: of a function that is called, none in the line of its head."""
        if self.is_kernel or not self.points:
            return self.points
        return [at for at in self.points if source.line(at + 1) != source.line(self.points[0])]


def bodies(source: KernelSource, braces: Iterable[tuple[int, int]]) -> Iterator[Body]:
    """Of the functions with these braces."""
    for first, last in braces:
        body = Body(is_kernel=_is_kernel(source, first))
        _StatementReader(source, body).block(first, last)
        inner = [(at, source.partner[at]) for at in range(first + 1, last) if source.word(at) == "{"
                 and at in source.partner]  # fmt: skip
        body.outer += (at for at in body.points if not any(begin <= at < end for begin, end in inner))
        yield body


def _is_kernel(source: KernelSource, first: int) -> bool:
    """Whether the function whose body begins there is launched."""
    at = first - 1
    while at >= 0 and source.word(at) not in (";", "}"):
        if source.word(at) == "__global__":
            return True
        at -= 1
    return False


@dataclass
class _StatementReader:
    source: KernelSource
    body: Body

    def block(self, first: int, last: int) -> None:
        """The statements between two braces."""
        at = first + 1
        self.body.points.append(first)
        while at < last:
            begun = self.source.word(at)
            at = self.statement(at, last)
            if begun not in _JUMPS:
                self.body.points.append(at - 1)

    def statement(self, at: int, limit: int) -> int:
        """Read the statement that begins with token `at`; returns the token behind it."""
        word = self.source.word(at)
        if word == "{" and at in self.source.partner:
            self.block(at, self.source.partner[at])
            return self.source.partner[at] + 1
        if word in ("if", "while", "for", "switch"):
            return self._headed(at, limit)
        if word == "do":
            return self._end_of(self.statement(at + 1, limit), limit) + 1
        if word == "else":
            return self.statement(at + 1, limit)
        end = self._end_of(at, limit)
        self._simple(at, end)
        return end + 1

    def _headed(self, at: int, limit: int) -> int:
        """`if (…) …`, also with else; `for (…) …`; `while (…) …`."""
        open_ = at + 1
        while self.source.word(open_) != "(" and open_ < min(at + 3, limit):  # if constexpr
            open_ += 1
        close = self.source.partner.get(open_, limit)
        if close >= limit:
            return limit
        word = self.source.word(at)
        if word == "for":
            self._parts_of_for(open_, close)
        elif self.source.word(at + 1) == "(":
            self._region(open_ + 1, close - 1, is_condition=word == "if")
        behind = self.statement(close + 1, limit)
        if word == "if" and self.source.word(behind) == "else":
            return self.statement(behind + 1, limit)
        return behind

    def _parts_of_for(self, open_: int, close: int) -> None:
        start = open_ + 1
        if self._end_of(start, close) == close:
            return  # over the elements of an array
        for part in range(3):
            end = self._end_of(start, close) if part < 2 else close
            if start < end:
                if part == 0 and self._declares(start):
                    self._initialisers(start, end)
                else:
                    self._region(start, end - 1, is_loop=True)
            start = end + 1

    def _simple(self, first: int, end: int) -> None:
        """A declaration, a jump or an expression; `end` is its semicolon."""
        if first >= end:
            return
        word = self.source.word(first)
        if word in _JUMPS:
            if word == "return" and first + 1 < end:
                self._region(first + 1, end - 1)
            elif first + 1 == end:
                self.body.jumps.append(Statement(first, end))
        elif self._declares(first):
            self._initialisers(first, end)
        elif word not in ("case", "default", "using", "typedef", "template"):
            self._region(first, end - 1)
            self.body.statements.append(Statement(first, end))

    def _declares(self, first: int) -> bool:
        word, following = self.source.tokens[first], self.source.tokens[first + 1 : first + 2]
        if word.text in TYPE_WORDS:
            return self.source.word(first + 1) != "("
        return word.kind == "word" and bool(following) and following[0].kind == "word"

    def _initialisers(self, first: int, end: int) -> None:
        """The values that a declaration gives, unless the compiler must know them."""
        words = {self.source.word(number) for number in range(first, min(first + 4, end))}
        if words & _FIXED:
            return
        at, begun = first, 0
        while at < end:
            word = self.source.word(at)
            if word in ("(", "[", "{") and at in self.source.partner:
                at = self.source.partner[at]
            elif word == "=":
                begun = at + 1
            elif word == "," and begun:
                self._value(begun, at - 1)
                begun = 0
            at += 1
        if begun:
            self._value(begun, end - 1)

    def _value(self, first: int, last: int) -> None:
        if first <= last and self.source.word(first) != "{":
            self._region(first, last)

    def _region(self, first: int, last: int, is_condition: bool = False, is_loop: bool = False) -> None:
        if self.source.lambdas.isdisjoint(range(first, last + 1)):
            self.body.regions.append(Region(first, last, is_condition, is_loop))

    def _end_of(self, at: int, limit: int) -> int:
        """The semicolon that ends the statement, or `limit`."""
        while at < limit and self.source.word(at) != ";":
            at = self.source.partner.get(at, at) if self.source.word(at) in ("(", "[", "{") else at
            at += 1
        return at
