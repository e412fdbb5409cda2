"""Questions of the course's labs, checked once for all tests of a process: that takes a while."""

from __future__ import annotations

import functools

from warpgrade.answers import questions

of_lab = functools.cache(questions.of_lab)
