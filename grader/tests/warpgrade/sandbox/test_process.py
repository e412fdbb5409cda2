"""What a box keeps in, and that nothing outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from support.fake_repository import write
from support.sandboxed import QUICK, command_lines, each_confined, each_kind, needs_sandbox, shell
from warpgrade.core.errors import GraderError
from warpgrade.sandbox import confine, process
from warpgrade.sandbox.process import Box, Mount


@needs_sandbox
def test_inside_is_nobody_with_a_clean_environment(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", "secret")
    outcome = shell("id -u; env; cat /proc/self/environ", work, environment={"SEEN": "yes"})
    assert outcome.status == 0
    assert outcome.stdout.splitlines()[0] != "0"
    assert "SEEN=yes" in outcome.stdout and "secret" not in outcome.stdout


@needs_sandbox
def test_only_the_mounts_are_visible(work: Path, tmp_path: Path) -> None:
    shown = write(tmp_path / "shown" / "a.txt", "seen").parent
    hidden = write(tmp_path / "hidden" / "b.txt", "secret")
    script = f"cat /shown/a.txt; cat {hidden}; cat {__file__}; ls /root /home /etc/shadow; echo x > /shown/c"
    outcome = shell(script, work, mounts=(Mount(shown, "/shown"),))
    assert outcome.stdout == "seen"
    assert not (shown / "c").exists()


@needs_sandbox
def test_sources_below_a_closed_folder(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    shown = write(closed / "shown" / "a.txt", "seen").parent
    (closed / "work").mkdir()
    closed.chmod(0o700)
    outcome = shell("cat /shown/a.txt; echo out > result", closed / "work", mounts=(Mount(shown, "/shown"),))
    assert (outcome.status, outcome.stdout) == (0, "seen"), outcome.stderr
    assert (closed / "work" / "result").read_text() == "out\n"


@pytest.mark.needs_sandbox("landlock")
def test_a_compiler_finds_its_temporary_folder_below_a_closed_one(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "work").mkdir(parents=True)
    closed.chmod(0o700)
    outcome = shell("echo 'int main() {}' | gcc -x c - -o main", closed / "work", kind="landlock")
    assert outcome.status == 0, outcome.stderr


@needs_sandbox
@pytest.mark.optional
@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes to another user")
def test_sources_that_nobody_may_read_are_reported(work: Path, tmp_path: Path) -> None:
    shown = write(tmp_path / "shown" / "a.txt", "seen")
    shown.chmod(0o600)
    for source in (shown, shown.parent):
        with pytest.raises(GraderError, match="not readable") as caught:
            shell("true", work, mounts=(Mount(source, "/shown"),))
        assert "chmod -R a+rX" in caught.value.remedy


@needs_sandbox
def test_no_network_and_no_other_processes(work: Path) -> None:
    outcome = shell("cat /proc/net/dev | grep -v lo: | grep -c :; ls -d /proc/[0-9]* | wc -l", work)
    links, processes = map(int, outcome.stdout.split())
    assert links == 0 and processes < 8


@needs_sandbox
def test_nothing_can_be_written_but_the_box_and_tmp(work: Path) -> None:
    places = "/ /usr /usr/lib /etc /dev /dev/shm /course /proc/sys/kernel"
    tried = f"for p in {places}; do echo x > $p/file && echo wrote $p; done"
    script = f"{tried}; echo x > /tmp/file && echo x > file"
    outcome = shell(script, work, mounts=(Mount(work, "/course/mounted"),))
    assert outcome.status == 0 and outcome.stdout == ""
    assert (work / "file").read_text() == "x\n"


@needs_sandbox
def test_no_namespaces_inside_and_another_host_name(work: Path) -> None:
    outcome = shell("unshare -Ur id -u; cat /proc/sys/kernel/hostname; grep CapBnd /proc/self/status", work)
    assert outcome.stdout.split() == ["box", "CapBnd:", "0000000000000000"]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=needs_sandbox(kind)) for kind in process.KINDS[:-1]]
)
def test_inherited_descriptors_are_closed(work: Path, tmp_path: Path, kind: str) -> None:
    descriptor = os.open(write(tmp_path / "secret", "secret"), os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    outcome = shell(f"cat <&{descriptor}", work, kind=kind)
    os.close(descriptor)
    assert "secret" not in outcome.stdout and outcome.status != 0


@each_confined
def test_a_confined_command_has_a_user_of_its_own_and_a_clean_environment(
    work: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", "secret")
    outcome = shell(
        "id -u; env; pwd; echo $(</proc/self/status)", work, kind=kind, environment={"SEEN": "yes"}
    )
    others = shell("id -u", work, kind=kind)
    assert "SEEN=yes" in outcome.stdout and "secret" not in outcome.stdout
    assert str(work) in outcome.stdout.splitlines()
    if os.geteuid() == 0:
        users = [outcome.stdout.split()[0], others.stdout.split()[0]]
        assert "0" not in users and users[0] != users[1]


@pytest.mark.needs_sandbox("landlock")
def test_landlock_allows_only_the_files_of_the_box(work: Path) -> None:
    """Reading what is mounted, writing the working folder and nothing else."""
    shown = write(work.parent / "shown" / "a.txt", "seen").parent
    hidden = write(work.parent / "hidden" / "b.txt", "secret")
    script = f"cat {shown}/a.txt; cat {hidden} /etc/passwd; ls /root /home; echo x > {shown}/c"
    outcome = shell(
        f"{script}; echo x > /tmp/d; echo x > file", work, kind="landlock", mounts=(Mount(shown, "/shown"),)
    )
    assert outcome.stdout == "seen"
    assert (work / "file").read_text() == "x\n" and list(shown.iterdir()) == [shown / "a.txt"]


@pytest.mark.needs_sandbox("landlock")
def test_landlock_without_proc(work: Path) -> None:
    command = ["/bin/sh", "-c", "ls /proc; cat /proc/self/status"]
    assert process.run(command, Box(work, proc=False), QUICK, "landlock").stdout == ""


@each_confined
def test_signals_go_to_the_own_processes(work: Path, kind: str) -> None:
    script = "sleep 100 & kill $!; wait $!; echo $?; kill -9 1 2>/dev/null || echo refused"
    assert shell(script, work, kind=kind).stdout.split() == ["143", "refused"]


@each_confined
def test_a_stopped_command_leaves_no_process(work: Path, kind: str) -> None:
    """stop_all() ends processes that have left the group as well."""
    mark = f"6{os.getpid()}"
    script = f"setsid sh -c 'sleep {mark}; :' & echo begun > begun; wait"

    def stop() -> None:
        while not (work / "begun").exists():
            time.sleep(0.02)
        process.stop_all()

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        with pytest.raises(process.Stopped):
            shell(script, work, kind=kind)
    finally:
        stopper.join()
        process.resume()
    assert not any(mark in line for line in command_lines())


@each_confined
def test_a_command_ends_with_its_grader(work: Path, kind: str) -> None:
    """Also where the grader is killed: the supervisor then loses its parent."""
    mark = f"7{os.getpid()}"
    grader = os.fork()
    if grader == 0:
        shell(f"setsid sleep {mark} & sleep {mark}", work, kind=kind)
        os._exit(0)
    try:
        _wait_for(lambda: any(mark in line for line in command_lines()))
    finally:
        os.kill(grader, signal.SIGKILL)
        os.waitpid(grader, 0)
    _wait_for(lambda: not any(mark in line for line in command_lines()))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
@pytest.mark.needs_sandbox("landlock")
def test_a_closed_folder_is_no_hindrance_to_landlock(work: Path) -> None:
    """A checkout in /root. All other rights are gone, and files outside stay closed."""
    hidden = write(work.parent / "b.txt", "secret")
    work.parent.chmod(0o700)
    outcome = shell(
        f"cat {hidden} /etc/shadow; grep CapEff /proc/self/status; echo x > file", work, kind="landlock"
    )
    assert (work / "file").read_text() == "x\n" and "secret" not in outcome.stdout
    assert int(outcome.stdout.split()[1], 16).bit_count() == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
@pytest.mark.needs_sandbox("seccomp")
def test_a_closed_folder_is_named(work: Path) -> None:
    work.parent.chmod(0o700)
    with pytest.raises(GraderError) as caught:
        shell("true", work, kind="seccomp")
    assert caught.value.file == work.parent and str(work.parent) in caught.value.remedy


# What CUDA's driver does when it starts: it fails without one of these.
_DRIVER = """
import socket, threading
def names(thread): open(f"/proc/self/task/{thread}/comm", "w").write("named")
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
    listening.bind("\\0cuda-uvmfd-{0}".format(threading.get_native_id()))
    listening.listen()
ready = threading.Event()
other = threading.Thread(target=ready.wait)
other.start()
names(other.native_id)
ready.set()
print("started")
"""


@each_kind
def test_a_gpus_driver_can_start_where_there_is_a_gpu(work: Path, kind: str) -> None:
    write(work / "driver.py", _DRIVER)
    command = ["/usr/bin/python3", "-S", "/box/driver.py"]
    devices = (Path("/dev/zero"),)
    outcome = process.run(command, Box(work, devices=devices), QUICK, kind)
    assert outcome.stdout == "started\n", outcome.stderr
    if kind in confine.KINDS:
        outcome = process.run(command, Box(work), QUICK, kind)
        assert outcome.status == 1 and "PermissionError" in outcome.stderr


@each_confined
def test_only_local_sockets_that_are_sent_to_no_address(work: Path, kind: str) -> None:
    """Where a GPU's driver may have sockets."""
    sockets = ["AF_INET,SOCK_STREAM", "AF_UNIX,SOCK_DGRAM", "AF_INET,SOCK_DGRAM", "AF_NETLINK,SOCK_RAW"]
    tried = "\n".join(
        f"try: socket.socket(socket.{family}, socket.{type}); print('{family} {type}')\nexcept OSError: pass"
        for family, type in (each.split(",") for each in sockets)
    )
    write(work / "tries.py", f"import socket\n{tried}\n")
    command = ["/usr/bin/python3", "-S", "/box/tries.py"]
    outcome = process.run(command, Box(work, devices=(Path("/dev/zero"),)), QUICK, kind)
    assert (outcome.status, outcome.stdout) == (0, ""), outcome.stderr


@each_kind
def test_a_full_disk_is_a_fault_of_ours(work: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the command says of it."""
    free = os.statvfs(work)
    fields = dict(zip(("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree",
                       "f_favail", "f_flag", "f_namemax"), free, strict=True))  # fmt: skip
    for gone in ("f_bavail", "f_favail"):
        there = SimpleNamespace(**{**fields, "f_files": 100_000, gone: 0})
        with monkeypatch.context() as patch:
            patch.setattr(os, "statvfs", lambda _, there=there: there)
            with pytest.raises(GraderError, match="disk is full"):
                shell("exit 1", work, QUICK, kind)
    assert shell("exit 1", work, QUICK, kind).status == 1


@needs_sandbox
def test_a_box_without_proc(work: Path) -> None:
    outcome = process.run(["/bin/sh", "-c", "ls /proc /dev/fd/"], Box(work, proc=False), QUICK)
    assert outcome.stdout == ""


@each_kind
def test_status_and_streams(work: Path, kind: str) -> None:
    outcome = shell("echo out; echo err >&2; exit 7", work, QUICK, kind)
    assert (outcome.status, outcome.stdout, outcome.stderr, outcome.signal) == (7, "out\n", "err\n", None)
    assert shell("kill -SEGV $$", work, QUICK, kind).signal == 11


@each_confined
def test_a_command_never_begins_without_its_grader(work: Path, kind: str) -> None:
    """A grader that was killed before its launcher could ask for the signal of its end."""
    words = confine.command(process.need_launcher(), Box(work), kind, confine.another_user())
    command = [*words, "/bin/sh", "-c", "echo begun"]
    of_another = subprocess.run(
        ["/bin/sh", "-c", '"$@"; exit $?', "sh", *command], capture_output=True, text=True
    )
    assert of_another.returncode != 0 and of_another.stdout == "", of_another
    of_this = subprocess.run(command, capture_output=True, text=True)
    assert of_this.stdout == "begun\n", of_this.stderr


def test_without_a_sandbox_the_paths_are_the_real_ones(work: Path, tmp_path: Path) -> None:
    shown = write(tmp_path / "shown" / "a.txt", "seen").parent
    box = Box(work, (Mount(shown, "/shown"),), environment={"LIST": "/shown:/box:/usr"})
    outcome = process.run(
        ["/bin/sh", "-c", 'cat "$0"; echo "$LIST" > result', "/shown/a.txt"], box, QUICK, "none"
    )
    assert outcome.stdout == "seen"
    assert (work / "result").read_text() == f"{shown}:{work}:/usr\n"


@each_kind
def test_a_program_that_may_not_be_started_is_named(work: Path, kind: str) -> None:
    tool = write(work.parent / "tool", "#!/bin/sh\n")
    with pytest.raises(GraderError, match="could not be started") as caught:
        process.run(["/in/tool"], Box(work, (Mount(tool, "/in/tool"),)), QUICK, kind)
    assert caught.value.file == tool and caught.value.remedy


@each_kind
def test_a_missing_program_is_a_fault_of_ours(work: Path, kind: str) -> None:
    with pytest.raises(GraderError, match="could not be started"):
        process.run(["/nowhere/tool"], Box(work), QUICK, kind)
    with pytest.raises(GraderError, match="could not be started"):
        process.run_trusted(["/nowhere/tool"], {}, QUICK)


@each_kind
@pytest.mark.parametrize("launcher", process._LAUNCHERS)
def test_a_command_that_writes_as_a_launcher_does(work: Path, kind: str, launcher: str) -> None:
    """A line mark in a source decides how an error of the compiler begins."""
    outcome = shell(f"echo '{launcher}x(1): error' >&2; exit 1", work, QUICK, kind)
    assert outcome.status == 1 and outcome.stderr.startswith(launcher)


def test_a_missing_bubblewrap_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_tool", lambda name: None)
    assert "not installed" in (process.why_unavailable("bwrap") or "")
    assert process.why_unavailable("none") is None


def test_a_missing_launcher_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(process, "checkout", lambda: tmp_path)
    assert "make tools" in (process.why_unavailable("landlock") or "")


@pytest.mark.parametrize("kind", ["bwrap", "landlock"])
@pytest.mark.parametrize("text", ["", "hello\n", "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 139\n"])
def test_a_damaged_launcher_makes_no_sandbox(
    text: str, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A shell takes an empty file for a program that succeeds: no command would run, and none would fail."""
    monkeypatch.setattr(process, "checkout", lambda: tmp_path)
    (tmp_path / "build").mkdir()
    launcher = tmp_path / "build" / "confine"
    launcher.write_text(text)
    launcher.chmod(0o755)
    reason = process.why_unavailable(kind) or ""
    assert str(launcher) in reason and "make clean tools" in reason


def _wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)
