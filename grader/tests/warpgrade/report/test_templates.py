"""The look is tested where it can be: contrast of every pair of text and ground (WCAG 2, 4.5:1)."""

import re

import pytest

from warpgrade.report import html

CSS = (html.TEMPLATES / "base.css").read_text()
GROUNDS = {
    "ink": (
        "ground",
        "surface",
        "sunken",
        "mark",
        "accent-ground",
        "good-ground",
        "bad-ground",
        "idle-ground",
    ),
    "soft": ("ground", "surface", "sunken", "accent-ground"),
    "accent": ("ground", "surface", "sunken", "accent-ground"),
    "good": ("surface", "good-ground"),
    "bad": ("surface", "sunken", "bad-ground"),
    "grader": ("surface", "sunken", "grader-ground"),
    "idle": ("surface", "idle-ground"),
}


def schemes() -> dict[str, dict[str, str]]:
    """Colours by name for light, dark and print; each later one starts from light."""
    roots = [
        dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]+)", root))
        for root in re.findall(r":root \{(.*?)\}", CSS, re.S)
    ]
    assert len(roots) == 3
    return {name: roots[0] | root for name, root in zip(("light", "dark", "print"), roots, strict=True)}


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("text", GROUNDS)
def test_text_can_be_read(scheme: str, text: str) -> None:
    colours = schemes()[scheme]
    for ground in GROUNDS[text]:
        assert contrast(colours[text], colours[ground]) >= 4.5, f"{text} on {ground}"


def test_the_measure_is_right() -> None:
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
