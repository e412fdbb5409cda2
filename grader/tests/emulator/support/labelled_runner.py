"""Launch kernels of a fat binary one after the other on the emulator, in one process.

    labelled_runner.py LIBRARY FATBIN PLAN.json

The plan: {"name", "kernel", "grid", "block", "shared", "launches", "cooperative"} for each. Kernels take
(const int* in, int* out, int* zero, int n): 0 to n-1, n integers that nothing has written, 64 zeros. Findings
go where WARPGRADE_FINDINGS says, labelled with the name; each one's last error is printed.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

COUNT, ZEROS = 1000, 64


class Dim3(ctypes.Structure):
    _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))


class Device:
    """The runtime with one library loaded; loaded again after an error that ends the context."""

    def __init__(self, library: str, fatbin: str) -> None:
        self.cuda = ctypes.CDLL(library)
        self.cuda.cudaGetErrorName.restype = ctypes.c_char_p
        self.fatbin = fatbin
        self.load()

    def load(self) -> None:
        self.module = ctypes.c_void_p()
        self.need(
            self.cuda.cudaLibraryLoadFromFile(
                ctypes.byref(self.module), self.fatbin.encode(), None, None, 0, None, None, 0
            )
        )

    def need(self, error: int) -> None:
        if error:
            raise SystemExit(f"CUDA error {self.cuda.cudaGetErrorName(error).decode()}")

    def memory(self, count: int, content: list[int] | None) -> ctypes.c_void_p:
        pointer = ctypes.c_void_p()
        self.need(self.cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4 * count)))
        if content is not None:
            data = (ctypes.c_int * count)(*content)
            self.need(self.cuda.cudaMemcpy(pointer, data, ctypes.c_size_t(4 * count), 1))
        return pointer

    def run(self, one: dict[str, Any]) -> str:
        """The name of the last launch's error."""
        self.cuda.warpgradeLabel(one["name"].encode())
        entry = ctypes.c_void_p()
        self.need(self.cuda.cudaLibraryGetKernel(ctypes.byref(entry), self.module, one["kernel"].encode()))
        buffers = [
            self.memory(COUNT, list(range(COUNT))),
            self.memory(COUNT, None),
            self.memory(ZEROS, [0] * ZEROS),
        ]
        values = [*buffers, ctypes.c_int(COUNT)]
        arguments = (ctypes.c_void_p * 4)(*(ctypes.addressof(each) for each in values))
        launch = self.cuda.cudaLaunchCooperativeKernel if one["cooperative"] else self.cuda.cudaLaunchKernel
        error = 0
        for _ in range(one["launches"]):
            error = launch(
                entry,
                Dim3(*one["grid"]),
                Dim3(*one["block"]),
                arguments,
                ctypes.c_size_t(one["shared"]),
                None,
            )
            error = error or self.cuda.cudaDeviceSynchronize()
        if error:
            self.cuda.cudaDeviceReset()
            self.load()
        else:
            for buffer in buffers:
                self.cuda.cudaFree(buffer)
        return str(self.cuda.cudaGetErrorName(error).decode())


def main(library: str, fatbin: str, plan: str) -> None:
    device = Device(library, fatbin)
    for one in json.loads(Path(plan).read_text()):
        print(one["name"], device.run(one))


if __name__ == "__main__":
    main(*sys.argv[1:])
