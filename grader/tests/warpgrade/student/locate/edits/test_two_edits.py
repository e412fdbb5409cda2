"""A second edit on top of a first one, with its place in the file as it was handed in."""

from __future__ import annotations

import pytest

from warpgrade.student.locate import schemata
from warpgrade.student.locate.edits import candidates, two_edits
from warpgrade.student.locate.edits.edit import Edit, Form

TEXT = """__global__ void f(const float* A, float* C, int m, int n) {
  int row = blockIdx.y * 16 + threadIdx.y, column = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += A[row * m + i];
  if (row < m && column <= n) C[row * n + column] = sum;
}
"""
ALL = list(candidates.of_file(TEXT))


@pytest.mark.parametrize("first", ALL[::17], ids=lambda edit: f"{edit.kind.name}-{edit.line}")
def test_the_place_of_a_second_edit(first: Edit) -> None:
    changed = schemata.applied(TEXT, first)
    for second in list(candidates.of_file(changed))[::23]:
        found = two_edits.before(second, first, TEXT)
        for made, there in zip(found.replacements, second.replacements, strict=True):
            assert 0 <= made.span.start <= made.span.end <= len(TEXT)
            apart = all(
                made.span.end <= each.span.start or each.span.end <= made.span.start
                for each in first.replacements
            )
            is_within = made.span.start == made.span.end  # what the first one has added
            if apart and not (is_within and any(each.form is Form.BEHIND for each in first.replacements)):
                assert TEXT[made.span.start : made.span.end] == changed[there.span.start : there.span.end]
        assert found.subject in TEXT
        assert found.line == second.line, "no edit here has lines of its own"
