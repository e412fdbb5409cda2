"""release as it is typed; staff/test_release.py looks into the archive."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from support.fake_repository import write
from warpgrade.cli import main
from warpgrade.core.paths import Repository
from warpgrade.staff import release


@pytest.mark.parametrize("secret", ["", "mine\n"])
def test_a_course_without_a_secret_is_told(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, secret: str
) -> None:
    monkeypatch.setenv("WARPGRADE_ROOT", str(repository.root))
    monkeypatch.delenv("WARPGRADE_SALT", raising=False)
    packed = write(tmp_path / "course.tar.gz", "an archive")
    monkeypatch.setattr(release, "make", lambda *_, **__: packed)
    if secret:
        write(repository.salt, secret)
    done = CliRunner().invoke(main.cli, ["release", "--no-pdf"], catch_exceptions=False)
    assert done.exit_code == 0 and ("datasets/.salt" in done.output) == (not secret)
