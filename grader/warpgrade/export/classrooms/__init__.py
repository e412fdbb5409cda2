"""Results for services that grade each push: one module for each service, with a function `text`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # the help lists the services, and shall load nothing else
    from ...records import Lab, Result

# The result as the service reads it. The mapping holds the environment variables that the service sets.
Text: TypeAlias = "Callable[[Lab, Result, Mapping[str, str]], str]"


def names() -> list[str]:
    """The services, as they are typed: classroom50, github-classroom."""
    return [module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)]


def text_of(name: str) -> Text:
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    function: Text = module.text
    return function
