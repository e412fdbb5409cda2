"""Launch one kernel of a fat binary on the emulator, through its CUDA runtime. Runs in a process of its own.

    example_runner.py LIBRARY FATBIN KERNEL LAUNCH.json

Findings go where WARPGRADE_FINDINGS says. Kernels take (const float* in, float* out, int n). LAUNCH.json
holds the keys that differ from the usual launch: see KEYS.
"""

from __future__ import annotations

import ctypes
import json
import sys

FLOATS = 60
KEYS = {
    "blocks": "blocks of the grid, 1",
    "threads": "threads of a block, 64",
    "shared": "bytes of dynamic shared memory, 0",
    "in": '"freed", "host" or "null" in place of device memory',
    "leak": "true: memory is not freed",
    "touch": "true: the host reads device memory, which ends the process",
    "back": "true: the result is copied to the host",
    "copy": '"waits" or "continues": an asynchronous copy, and whether the host waits for it',
    "time": '"waits" or "at once": the time between two events, and whether the host waits for them',
    "stream": '"destroys" or "keeps": a stream, and whether it is destroyed',
}


def main(library: str, fatbin: str, kernel: str, launch: dict[str, object]) -> str:
    """The name of the last launch's error."""
    unknown = sorted(launch.keys() - KEYS)
    assert not unknown, f"[launch] has no {unknown}; it has {sorted(KEYS)}"
    cuda = ctypes.CDLL(library)
    cuda.cudaGetErrorName.restype = ctypes.c_char_p
    handle, entry = ctypes.c_void_p(), ctypes.c_void_p()
    _need(cuda.cudaLibraryLoadFromFile(ctypes.byref(handle), fatbin.encode(), None, None, 0, None, None, 0))
    _need(cuda.cudaLibraryGetKernel(ctypes.byref(entry), handle, kernel.encode()))
    numbers = (ctypes.c_float * FLOATS)(*map(float, range(FLOATS)))
    source, target = ctypes.c_void_p(), ctypes.c_void_p()
    for pointer in (source, target):
        _need(cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4 * FLOATS)))
    _need(cuda.cudaMemcpy(source, numbers, ctypes.c_size_t(4 * FLOATS), 1))
    kind = launch.get("in", "device")
    if kind == "freed":
        _need(cuda.cudaFree(source))
    elif kind == "host":
        source = ctypes.cast(numbers, ctypes.c_void_p)
    elif kind == "null":
        source = ctypes.c_void_p(None)
    count = ctypes.c_int(FLOATS)
    arguments = (ctypes.c_void_p * 3)(*(ctypes.addressof(each) for each in (source, target, count)))

    class Dim3(ctypes.Structure):
        _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))

    blocks, threads = (int(str(launch.get(key, usual))) for key, usual in (("blocks", 1), ("threads", 64)))
    shared = ctypes.c_size_t(int(str(launch.get("shared", 0))))
    error = cuda.cudaLaunchKernel(entry, Dim3(blocks, 1, 1), Dim3(threads, 1, 1), arguments, shared, None)
    error = error or cuda.cudaDeviceSynchronize()
    if launch.get("back"):
        _need(cuda.cudaMemcpy(numbers, target, ctypes.c_size_t(4 * FLOATS), 2))
    if launch.get("touch"):
        ctypes.cast(target, ctypes.POINTER(ctypes.c_float))[0]  # as out[0] in C: ends the process
    if not launch.get("leak"):
        for pointer in (source, target) if kind == "device" else (target,):
            cuda.cudaFree(pointer)
    use_stream(cuda, launch)
    return str(cuda.cudaGetErrorName(error).decode())


def use_stream(cuda: ctypes.CDLL, launch: dict[str, object]) -> None:
    """A stream with a copy of registered host memory ("copy") and its time ("time"), each with or without
    waiting; "stream" says whether the stream is destroyed."""
    if not {"stream", "copy", "time"} & launch.keys():
        return
    stream, start, stop = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    _need(cuda.cudaStreamCreate(ctypes.byref(stream)))
    for event in (start, stop):
        _need(cuda.cudaEventCreate(ctypes.byref(event)))
    if "copy" in launch:
        size = ctypes.c_size_t(4 * FLOATS)
        source, target = (ctypes.c_float * FLOATS)(), (ctypes.c_float * FLOATS)()
        for memory in (source, target):
            _need(cuda.cudaHostRegister(memory, size, 0))
        _need(cuda.cudaMemcpyAsync(target, source, size, 4, stream))
        if launch["copy"] == "waits":
            _need(cuda.cudaStreamSynchronize(stream))
    if "time" in launch:
        _need(cuda.cudaEventRecord(start, stream))
        _need(cuda.cudaEventRecord(stop, stream))
        if launch["time"] == "waits":
            _need(cuda.cudaEventSynchronize(stop))
        cuda.cudaEventElapsedTime(ctypes.byref(ctypes.c_float()), start, stop)
    for event in (start, stop):
        _need(cuda.cudaEventDestroy(event))
    if launch.get("stream", "destroys") == "destroys":
        _need(cuda.cudaStreamDestroy(stream))


def _need(error: int) -> None:
    if error:
        raise SystemExit(f"CUDA error {error}")


if __name__ == "__main__":
    print(main(*sys.argv[1:4], json.loads(sys.argv[4])))
