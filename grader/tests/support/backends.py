"""Backends of the sandbox that work on this machine."""

from __future__ import annotations

import functools

from warpgrade.sandbox import choice


@functools.cache
def strongest() -> str:
    """The strongest backend that works here; SandboxError if none does."""
    return choice.chosen(choice.AUTO)
