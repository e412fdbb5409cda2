"""Results for services that grade each push: one module for each service, with a function `text`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping

from ...core.errors import GraderError
from ...core.paths import typed
from ...records import Lab, Result
from ..checks import Check, checks

# The result as the service reads it. The mapping holds the environment variables that the service sets.
Text = Callable[[Lab, Result, Mapping[str, str]], str]


def names() -> list[str]:
    """The services, as they are typed: classroom50, github-classroom."""
    return [module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)]


def text_of(name: str) -> Text:
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    function: Text = module.text
    return function


def given_checks(lab: Lab, result: Result) -> list[Check]:
    """The checks of a graded result. GraderError where the score is withheld: nobody gets a zero then."""
    if result.score is None or result.score.total is None:
        words = result.problem.message if result.problem else "the grader failed"
        raise GraderError(f"no points for {lab.name}: {words}", remedy=typed("doctor"))
    return checks(lab, result)


def title(check: Check) -> str:
    return check.name if check.kind in ("case", "build", "performance") else f"{check.kind}: {check.name}"
