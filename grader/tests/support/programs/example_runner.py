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
    "work": '"waits" or "continues": the kernel for no floats in a stream, and whether the host waits for it',
    "time": '"waits", "at once" or "exchanged": the time between two events, if the host waits first',
    "stream": '"destroys" or "keeps": a stream, and whether it is destroyed',
    "within": '"overlapping" or "apart": a copy within `out`, by one float or by half of its length',
    "fails": "true: last, a copy between the host's arrays that names the device; the exit code is then 1",
    "two_streams": '"ordered" or "unordered": a fill in each of two streams',
    "graph": '"ordered" or "unordered": two fills as nodes of a graph',
    "host": '"ordered" or "unordered": the host reads managed memory that is filled',
    "pool": '"ordered" or "unordered": memory of one stream, filled in another one',
}


class Dim3(ctypes.Structure):
    _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))


def main(library: str, fatbin: str, kernel: str, launch: dict[str, object]) -> str:
    """The name of the last launch's error."""
    unknown = sorted(launch.keys() - KEYS)
    assert not unknown, f"[launch] has no {unknown}; it has {sorted(KEYS)}"
    cuda = ctypes.CDLL(library)
    cuda.cudaGetErrorName.restype = ctypes.c_char_p
    cuda.warpgradeLabel(b"example")  # as a harness: what looks at the launch's error is this runner
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
    blocks, threads = (int(str(launch.get(key, usual))) for key, usual in (("blocks", 1), ("threads", 64)))
    shared = ctypes.c_size_t(int(str(launch.get("shared", 0))))
    error = cuda.cudaLaunchKernel(entry, Dim3(blocks, 1, 1), Dim3(threads, 1, 1), arguments, shared, None)
    error = error or cuda.cudaDeviceSynchronize()
    if launch.get("back"):
        _need(cuda.cudaMemcpy(numbers, target, ctypes.c_size_t(4 * FLOATS), 2))
    if "within" in launch:
        floats, by = (FLOATS - 1, 1) if launch["within"] == "overlapping" else (FLOATS // 2, FLOATS // 2)
        further = ctypes.c_void_p((target.value or 0) + 4 * by)
        _need(cuda.cudaMemcpy(further, target, ctypes.c_size_t(4 * floats), 3))
    if launch.get("touch"):
        ctypes.cast(target, ctypes.POINTER(ctypes.c_float))[0]  # as out[0] in C: ends the process
    use_two_streams(cuda, launch, target)
    use_graph(cuda, launch, target)
    use_managed(cuda, launch)
    if not launch.get("leak"):
        for pointer in (source, target) if kind == "device" else (target,):
            cuda.cudaFree(pointer)
    use_stream(cuda, launch, entry)
    if launch.get("fails"):
        size = ctypes.c_size_t(4 * FLOATS)
        assert cuda.cudaMemcpy((ctypes.c_float * FLOATS)(), numbers, size, 1) != 0
    return str(cuda.cudaGetErrorName(error).decode())


def use_stream(cuda: ctypes.CDLL, launch: dict[str, object], entry: ctypes.c_void_p) -> None:
    """A stream with the kernel once more, for no floats ("work"), and its time ("time"), each with or without
    waiting; "stream" says whether the stream is destroyed."""
    if not {"stream", "work", "time"} & launch.keys():
        return
    stream, start, stop = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    _need(cuda.cudaStreamCreate(ctypes.byref(stream)))
    for event in (start, stop):
        _need(cuda.cudaEventCreate(ctypes.byref(event)))
    if "work" in launch:
        zero = ctypes.c_uint64(0)
        nothing = (ctypes.c_void_p * 3)(*[ctypes.addressof(zero)] * 3)
        grid, block = Dim3(1, 1, 1), Dim3(64, 1, 1)
        _need(cuda.cudaLaunchKernel(entry, grid, block, nothing, ctypes.c_size_t(0), stream))
        if launch["work"] == "waits":
            _need(cuda.cudaStreamSynchronize(stream))
    if "time" in launch:
        _need(cuda.cudaEventRecord(start, stream))
        _need(cuda.cudaEventRecord(stop, stream))
        if launch["time"] != "at once":
            _need(cuda.cudaEventSynchronize(stop))
        events = (stop, start) if launch["time"] == "exchanged" else (start, stop)
        cuda.cudaEventElapsedTime(ctypes.byref(ctypes.c_float()), *events)
    for event in (start, stop):
        _need(cuda.cudaEventDestroy(event))
    if launch.get("stream", "destroys") == "destroys":
        _need(cuda.cudaStreamDestroy(stream))


def use_two_streams(cuda: ctypes.CDLL, launch: dict[str, object], target: ctypes.c_void_p) -> None:
    """A fill in each of two streams ("two_streams"), or memory of one filled in the other ("pool")."""
    if not {"two_streams", "pool"} & launch.keys():
        return
    first, second, done, memory = (ctypes.c_void_p() for _ in range(4))
    size = ctypes.c_size_t(4 * FLOATS)
    for stream in (first, second):
        _need(cuda.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))
    _need(cuda.cudaEventCreate(ctypes.byref(done)))
    if "pool" in launch:
        _need(cuda.cudaMallocAsync(ctypes.byref(memory), size, first))
    else:
        _need(cuda.cudaMemsetAsync(target, 0, size, first))
    if "ordered" in launch.values():
        _need(cuda.cudaEventRecord(done, first))
        _need(cuda.cudaStreamWaitEvent(second, done, 0))
    _need(cuda.cudaMemsetAsync(memory if "pool" in launch else target, 0, size, second))
    _need(cuda.cudaDeviceSynchronize())
    if "pool" in launch:
        _need(cuda.cudaFreeAsync(memory, first))
    for stream in (first, second):
        _need(cuda.cudaStreamDestroy(stream))
    _need(cuda.cudaEventDestroy(done))


def use_managed(cuda: ctypes.CDLL, launch: dict[str, object]) -> None:
    """The host reads managed memory that a stream fills, with or without waiting."""
    if "host" not in launch:
        return
    stream, memory = ctypes.c_void_p(), ctypes.c_void_p()
    size = ctypes.c_size_t(4 * FLOATS)
    _need(cuda.cudaStreamCreate(ctypes.byref(stream)))
    _need(cuda.cudaMallocManaged(ctypes.byref(memory), size, 1))
    _need(cuda.cudaMemsetAsync(memory, 0, size, stream))
    if launch["host"] == "ordered":
        _need(cuda.cudaStreamSynchronize(stream))
    ctypes.cast(memory, ctypes.POINTER(ctypes.c_float))[0]  # as out[0] in C
    _need(cuda.cudaFree(memory))
    _need(cuda.cudaStreamDestroy(stream))


def use_graph(cuda: ctypes.CDLL, launch: dict[str, object], target: ctypes.c_void_p) -> None:
    """Two nodes that fill the same memory, with or without an edge."""
    if "graph" not in launch:
        return

    class MemsetParams(ctypes.Structure):
        _fields_ = (
            ("dst", ctypes.c_void_p), ("pitch", ctypes.c_size_t), ("value", ctypes.c_uint),
            ("elementSize", ctypes.c_uint), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t),
        )  # fmt: skip

    graph, execution, first, second = (ctypes.c_void_p() for _ in range(4))
    fill = MemsetParams(target, 0, 0, 4, FLOATS, 1)
    _need(cuda.cudaGraphCreate(ctypes.byref(graph), 0))
    _need(
        cuda.cudaGraphAddMemsetNode(ctypes.byref(first), graph, None, ctypes.c_size_t(0), ctypes.byref(fill))
    )
    edges = 1 if launch["graph"] == "ordered" else 0
    before = ctypes.byref(first) if edges else None
    _need(
        cuda.cudaGraphAddMemsetNode(
            ctypes.byref(second), graph, before, ctypes.c_size_t(edges), ctypes.byref(fill)
        )
    )
    _need(cuda.cudaGraphInstantiate(ctypes.byref(execution), graph, ctypes.c_ulonglong(0)))
    _need(cuda.cudaGraphLaunch(execution, None))
    _need(cuda.cudaDeviceSynchronize())
    _need(cuda.cudaGraphExecDestroy(execution))
    _need(cuda.cudaGraphDestroy(graph))


def _need(error: int) -> None:
    if error:
        raise SystemExit(f"CUDA error {error}")


if __name__ == "__main__":
    wanted = json.loads(sys.argv[4])
    print(main(*sys.argv[1:4], wanted))
    sys.exit(1 if wanted.get("fails") else 0)
