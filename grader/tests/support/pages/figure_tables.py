"""The table that says the same as a figure, as rows of cells."""

from __future__ import annotations

import re


def rows(figure: str) -> list[list[str]]:
    body = re.findall(r"<tbody>(.*?)</tbody>", figure)[0]
    return [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
