"""Attacks on what lies outside a sandbox, under each backend: files, network, processes, kernel.

An attack is a script in fixtures/sandbox/. It prints GOT THROUGH where it succeeds; its first line says what
it tries. The table in SECURITY.md has a row for each, with what each backend holds off; these tests compare.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from warpgrade.sandbox import process
from warpgrade.sandbox.process import Box, ResourceLimits

HERE = Path(__file__).resolve().parent
SCRIPTS = sorted((HERE.parent / "fixtures" / "sandbox").glob("*.py"))
SECURITY = HERE.parents[2] / "SECURITY.md"
BACKENDS = tuple(kind for kind in process.KINDS if kind != "none")
SUCCESS = "GOT THROUGH"
_LATER = 0.5  # seconds after which a process that outlived its run acts
_ROW = re.compile(r"\| (.*?) \| (yes|no) \| (yes|no) \| (yes|no) \|")
# Of root's, where the tests run as root.
_WITHOUT_RIGHTS = ("/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
_NODE = Path("/dev/zero")  # stands for a GPU's device: with one, a backend allows what the driver needs
# Waits for signals in the background of an attack, and notes them.
_VICTIM = """
import ctypes, pathlib, signal, sys
word = ctypes.create_string_buffer(sys.argv[2].encode())
def note(*_): pathlib.Path(sys.argv[3]).write_text("signalled")
signal.signal(signal.SIGURG, note)
print(ctypes.addressof(word), flush=True)
while True: signal.pause()
"""


@dataclass(frozen=True)
class Outside:
    """What lies outside the box: `about` is what an attacker may know of it."""

    about: dict[str, object]
    folder: Path


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    """Files, servers and a process that attacks aim at. Everybody may use the files and sockets."""
    word = secrets.token_hex(8)
    with tempfile.TemporaryDirectory(prefix="outside-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "secret").write_text(word)
        (folder / "secret").chmod(0o644)
        servers = _servers(folder, word, stack)
        victim, address = _victim(folder, word, stack)
        about = {
            "word": word, "secret": str(folder / "secret"), "open": str(folder / "open"),
            "mark": "signal.pause",
            "signalled": str(folder / "signalled"), "pid": victim, "address": address, "later": _LATER,
            "key": _shared_memory(stack), **servers,
        }  # fmt: skip
        yield Outside(about, folder)


def _servers(folder: Path, word: str, stack: contextlib.ExitStack) -> dict[str, object]:
    tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=100))
    file = stack.enter_context(socket.socket(socket.AF_UNIX))
    abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
    datagrams = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    for server, address in ((file, str(folder / "stream")), (abstract, f"\0{word}")):
        server.bind(address)
        server.listen(100)
    datagrams.bind(str(folder / "datagrams"))
    for path in ("stream", "datagrams"):
        (folder / path).chmod(0o777)

    def echo() -> None:
        with contextlib.suppress(OSError):
            while True:
                udp.sendto(*udp.recvfrom(1))

    threading.Thread(target=echo, daemon=True).start()
    return {
        "tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1], "file": str(folder / "stream"),
        "abstract": word, "datagrams": str(folder / "datagrams"),
    }  # fmt: skip


def _victim(folder: Path, word: str, stack: contextlib.ExitStack) -> tuple[int, int]:
    """The number of a process, and the address of the word in its memory."""
    command = [*_WITHOUT_RIGHTS, sys.executable, "-c", _VICTIM, "victim", word, str(folder / "signalled")]
    victim = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"SECRET": word})
    stack.callback(victim.wait)
    stack.callback(victim.kill)
    assert victim.stdout
    return victim.pid, int(victim.stdout.readline())


def _shared_memory(stack: contextlib.ExitStack) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    key = secrets.randbits(30)
    segment = libc.shmget(key, 4096, 0o1666)  # IPC_CREAT, for everybody
    assert segment >= 0
    stack.callback(libc.shmctl, segment, 0, None)
    return key


def attack(
    script: Path,
    outside: Outside,
    kind: str,
    *,
    is_open: bool = True,
    devices: tuple[Path, ...] = (),
    under: tuple[str, ...] = (),
) -> str:
    """What the attack wrote, and what it left in its folder after its run. `is_open`: whether all users may
    pass through the folder above. `under`: the command that starts it."""
    for name in ("open", "signalled"):
        (outside.folder / name).write_text("" if name == "signalled" else "open")
        (outside.folder / name).chmod(0o666)
    with tempfile.TemporaryDirectory(prefix="box-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755 if is_open else 0o700)
        work = Path(name) / "work"
        work.mkdir()
        shutil.copyfile(script, work / "attack.py")
        python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
        command = [*under, python, "-S", "/box/attack.py", json.dumps(outside.about)]
        outcome = process.run(command, Box(work, devices=devices), ResourceLimits(20), kind)
        if "later" in script.read_text():
            time.sleep(2 * _LATER)
        late = work / "late"
        return outcome.stdout + outcome.stderr + (late.read_text() if late.exists() else "")


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """Attack → backend → "yes": it is held off, or "no"."""
    rows = _ROW.findall(SECURITY.read_text(encoding="utf-8"))
    assert BACKENDS == ("bwrap", "landlock", "seccomp"), "the table's columns"
    return {title: dict(zip(BACKENDS, cells, strict=True)) for title, *cells in rows}


def title(script: Path) -> str:
    return script.read_text(encoding="utf-8").split('"""')[1]


def test_the_table_has_a_row_for_each_attack() -> None:
    assert list(table()) == [title(script) for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.needs_sandbox(kind)) for kind in BACKENDS]
)
@pytest.mark.parametrize("devices", [(), (_NODE,)], ids=["", "gpu"])
def test_an_attack_ends_as_the_table_says(
    script: Path, kind: str, devices: tuple[Path, ...], outside: Outside
) -> None:
    printed = attack(script, outside, kind, devices=devices)
    assert table()[title(script)][kind] == ("no" if SUCCESS in printed else "yes"), printed


@pytest.mark.needs_sandbox("landlock")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_passing_through_closed_folders_opens_nothing_else(script: Path, outside: Outside) -> None:
    """As root, where the checkout lies in /root: then the command keeps one right of root's."""
    printed = attack(script, outside, "landlock", is_open=False)
    assert table()[title(script)]["landlock"] == ("no" if SUCCESS in printed else "yes"), printed


@pytest.mark.needs_sandbox("landlock")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_command_of_the_graders_own_user_gets_no_further(
    script: Path, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the grader is not root: then the kernel lets a user's processes do much to one another."""
    monkeypatch.setattr(process.confine, "another_user", lambda: None)
    printed = attack(script, outside, "landlock", under=_WITHOUT_RIGHTS)
    assert table()[title(script)]["landlock"] == ("no" if SUCCESS in printed else "yes"), printed


def in_a_chroot() -> bool:
    """Whether process 1 has another root. Who may not look there lacks what such an attack needs."""
    try:
        return not Path("/").samefile("/proc/1/root")
    except PermissionError:
        return True


@pytest.mark.optional
@pytest.mark.skipif(os.geteuid() != 0, reason="some attacks succeed for root only")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_without_a_sandbox_the_attack_succeeds(
    script: Path, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would prove nothing. Without control groups, too, which end what outlives its run."""
    monkeypatch.setattr(process, "_delegated_group", lambda: None)
    printed = attack(script, outside, "none")
    if "Function not implemented" in printed or "No such device" in printed:
        pytest.skip(f"this kernel lacks what the attack is about: {printed}")
    if "Operation not permitted" in printed and in_a_chroot():
        pytest.skip(f"a chroot is no place for the attack: {printed}")
    assert SUCCESS in printed, printed
