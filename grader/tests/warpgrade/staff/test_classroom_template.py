"""Templates for classroom services: made from listed folders, and what they run works on a push."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.fake_repository import LAB, write
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import here
from warpgrade.export import classrooms
from warpgrade.staff import classroom_template, release

# Stands for the archive's command: writes down how it was called.
COMMAND = """#!/usr/bin/env python3
import json, os, sys
out = sys.argv[sys.argv.index("--out") + 1]
open(out, "w").write(json.dumps([sys.argv[1:], os.environ.get("SUBMITTED_AT")]))
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / f"{release.FOLDER}.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        for name, text in (("warpgrade", COMMAND), (f"labs/{LAB}/kernel.cu", "// TODO")):
            about = tarfile.TarInfo(f"{release.FOLDER}/{name}")
            about.size, about.mode = len(text), 0o755
            packed.addfile(about, io.BytesIO(text.encode()))
    return path


def made(service: str, archive: Path) -> Path:
    out = archive.parent / "made" / service
    classroom_template.write(archive, classroom_template.folder_of(here(), service), out)
    return out


def test_each_service_has_a_template_and_each_template_a_service() -> None:
    folders = {path.name for path in (here().root / "grader" / "release" / "classrooms").iterdir()}
    assert folders == {name.replace("-", "_") for name in classrooms.names()} and folders


@pytest.mark.parametrize("service", classrooms.names())
def test_a_students_repository_is_the_archive_and_more(service: str, archive: Path) -> None:
    student = made(service, archive) / "student"
    assert (student / "labs" / LAB / "kernel.cu").is_file() and os.access(student / "warpgrade", os.X_OK)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    write(tmp_path / "mine" / "file", "")
    with pytest.raises(UsageError, match="not empty"):
        classroom_template.make(here(), classrooms.names()[0], tmp_path / "mine", [])


def git(folder: Path, *words: str) -> None:
    environment = dict(os.environ, GIT_COMMITTER_DATE="2026-11-24T11:00:00+01:00", TZ="America/New_York")
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *names, *words], cwd=folder, env=environment, check=True, capture_output=True)


def test_classroom50_grades_the_checkout_with_the_staffs_archive(archive: Path) -> None:
    out = made("classroom50", archive)
    student = out / "student"
    write(student / "warpgrade", "#!/bin/sh\nexit 1\n")  # a student's own grader is never asked
    git(student, "init", "-q")
    git(student, "add", "-A")
    git(student, "commit", "-qm", "try")
    environment = dict(os.environ, ASSIGNMENT=LAB, OWNER="alice")
    script = out / "staff" / "autograder.py"
    for _ in range(2):
        subprocess.run([sys.executable, str(script)], cwd=student, env=environment, check=True)
    words, submitted = json.loads((student / "result.json").read_text())
    assert words[:3] == ["classroom", "classroom50", LAB] and words[3] == str(student / "labs" / LAB)
    assert words[words.index("--by") + 1] == "alice" and submitted == "2026-11-24T10:00:00Z"


# --- GitHub ------------------------------------------------------------------------------------


def workflow(archive: Path) -> dict[str, Any]:
    folder = made("github-classroom", archive) / "student" / ".github" / "workflows"
    (file,) = folder.iterdir()
    found: dict[str, Any] = yaml.safe_load(file.read_text())
    return found


def steps(archive: Path) -> list[dict[str, Any]]:
    job = workflow(archive)["jobs"]["run-autograding-tests"]
    return list(job["steps"])


def test_github_finds_the_workflow_by_its_names(archive: Path) -> None:
    found = workflow(archive)
    assert found["name"] == "Autograding Tests" and list(found["jobs"]) == ["run-autograding-tests"]
    assert "push" in found[True], "YAML reads `on` as true"
    (report,) = [step for step in steps(archive) if "grading-reporter" in step.get("uses", "")]
    (runner,) = report["with"]["runners"].split(",")
    assert list(report["env"]) == [f"{runner.upper()}_RESULTS"]


@pytest.mark.parametrize("course", ["", "the course's"])
def test_github_grades_the_lab_that_was_pushed(course: str, archive: Path, tmp_path: Path) -> None:
    student = made("github-classroom", archive) / "student"
    write(student / "labs" / "01-other" / "kernel.cu", "")
    git(student, "init", "-q")
    git(student, "add", "-A")
    git(student, "commit", "-qm", "template")
    write(student / "labs" / LAB / "kernel.cu", "// mine")
    git(student, "commit", "-qam", "try")
    runner = tmp_path / "runner"
    runner.mkdir()
    # GitHub's machines have curl, this one may lack it.
    curl = write(tmp_path / "bin" / "curl", '#!/bin/sh\nexec cat "${2#file://}"\n')
    curl.chmod(0o755)
    path = f"{curl.parent}:{os.environ['PATH']}"
    values = {"vars.LAB": "", "vars.ARCHIVE": archive.as_uri() if course else ""}
    for step in (each for each in steps(archive) if "run" in each):
        output = write(runner / "output", "")
        environment = dict(os.environ, RUNNER_TEMP=str(runner), GITHUB_OUTPUT=str(output),
                           GITHUB_REPOSITORY_OWNER="org", PATH=path)  # fmt: skip
        for name, value in step.get("env", {}).items():
            key = re.sub(r"^\$\{\{ *| *\}\}$", "", value)
            environment[name] = values[key]
        subprocess.run(["bash", "-e", "-c", step["run"]], cwd=student, env=environment, check=True)
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            values[f"steps.{step.get('id')}.outputs.{name}"] = value
    words, _ = json.loads(values["steps.warpgrade.outputs.result"])
    assert words[:4] == ["classroom", "github-classroom", LAB, f"labs/{LAB}"]
