"""Threads of a program: the front end says which thread makes a call, which one begins and which one ended.

The test is the back end: it answers each message of a process that calls the library.
"""

from __future__ import annotations

import re
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from warpgrade.core.paths import here

ROOT = here().root
LIBRARY = ROOT / "build" / "frontend" / "libcudart.so.13"
DEFINITIONS = (ROOT / "grader/emulator/remoting/functions.def").read_text(encoding="utf-8")
FUNCTIONS = re.findall(r"^FUNCTION\((\w+)", DEFINITIONS, re.MULTILINE)
HEAD = struct.Struct("=IiQQq")  # MessageHeader: function, code or thread, caller, bytes, closed pages
RANGE = struct.pack("=QQ", 0x7E00_0000_0000, 1 << 20)  # of the device's addresses
ERROR = 700  # cudaErrorIllegalAddress

pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="needs the front end: make tools")

BEGIN = f"""
import ctypes
library = ctypes.CDLL({str(LIBRARY)!r})
Function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
synchronize = Function(lambda _: library.cudaDeviceSynchronize() and None)
nothing = Function(lambda _: None)
def begin(function):
    thread = ctypes.c_ulong()
    assert library.pthread_create(ctypes.byref(thread), None, function, None) == 0
    return thread
"""


@dataclass(frozen=True)
class ReceivedCall:
    function: str
    thread: int  # that calls
    about: int = 0  # the thread that begins or has ended


def received_of(program: str) -> tuple[list[ReceivedCall], str]:
    """The calls of a program, and what it prints. Synchronising fails."""
    mine, theirs = socket.socketpair()
    with mine, theirs:
        number = theirs.fileno()
        process = subprocess.Popen(
            [sys.executable, "-c", BEGIN + program], stdout=subprocess.PIPE, text=True, pass_fds=[number],
            env={"WARPGRADE_BACKEND": str(number)},
        )  # fmt: skip
        theirs.close()
        mine.settimeout(60)
        calls = list(answered(mine))
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 0
    return calls, printed


def answered(end: socket.socket) -> Iterator[ReceivedCall]:
    while head := end.recv(HEAD.size, socket.MSG_WAITALL):
        number, thread, caller, size, _ = HEAD.unpack(head)
        content = end.recv(size, socket.MSG_WAITALL) if size else b""
        if number >= len(FUNCTIONS):  # attach
            end.sendall(HEAD.pack(number, 0, caller, len(RANGE), -1) + RANGE)
            continue
        name = FUNCTIONS[number]
        code = ERROR if name == "cudaDeviceSynchronize" else 0
        end.sendall(HEAD.pack(number, code, caller, 0, -1))
        yield ReceivedCall(name, thread, struct.unpack("=i", content)[0] if name.startswith("pthread") else 0)


def test_a_thread_has_a_number_from_its_beginning_to_its_end() -> None:
    program = """
first, second = begin(synchronize), begin(nothing)
for thread in (second, first):
    assert library.pthread_join(thread, None) == 0
library.cudaDeviceSynchronize()
"""
    calls, _ = received_of(program)
    begun = [ReceivedCall("pthread_create", 0, 1), ReceivedCall("pthread_create", 0, 2)]
    assert [call for call in calls if call.function == "pthread_create"] == begun
    joined = [ReceivedCall("pthread_join", 0, 2), ReceivedCall("pthread_join", 0, 1)]
    assert [call for call in calls if call.function == "pthread_join"] == joined
    asked = ReceivedCall("cudaDeviceSynchronize", 1)
    assert calls.index(begun[0]) < calls.index(asked) < calls.index(joined[1])
    assert calls[-1] == ReceivedCall("cudaDeviceSynchronize", 0)


def test_beginning_and_joining_a_thread_leave_the_last_error() -> None:
    program = """
library.cudaDeviceSynchronize()
library.pthread_join(begin(nothing), None)
print(library.cudaPeekAtLastError())
"""
    calls, printed = received_of(program)
    assert [call.function for call in calls] == ["cudaDeviceSynchronize", "pthread_create", "pthread_join"]
    assert int(printed) == ERROR


def test_a_thread_that_cannot_be_joined_has_not_ended() -> None:
    program = """
thread = begin(nothing)
assert library.pthread_join(thread, None) == 0
own = ctypes.CDLL(None).pthread_self
own.restype = ctypes.c_ulong
assert library.pthread_join(ctypes.c_ulong(own()), None) != 0
"""
    calls, _ = received_of(program)
    assert [call for call in calls if call.function == "pthread_join"] == [ReceivedCall("pthread_join", 0, 1)]
