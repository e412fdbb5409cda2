// The kinds of work that a stream or a graph executes.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cudart/module/device_code.hpp"
#include "machine/warp.hpp"
#include "order/operation.hpp"

namespace warpgrade::cudart {

class Runtime;
struct Event;
struct Stream;
struct Graph;
using Operation = std::shared_ptr<emulator::StreamOperation>;

struct KernelWork {
  RegisteredFunction* function = nullptr;
  emulator::Dim3 grid, block;
  std::size_t dynamic_shared = 0;     // bytes
  std::vector<std::byte> parameters;  // laid out as KernelInfo::parameters says
  bool cooperative = false;
  bool may_begin_early = false;  // before the stream's last kernel has ended (programmatic dependent launch)
  std::uint64_t number = 0;      // of this process's launches, from 1
};

// A box of bytes: `width` in a row, `height` rows, `depth` slices.
struct CopyWork {
  void* to = nullptr;
  std::size_t to_pitch = 0, to_slice = 0;  // bytes from row to row, slice to slice
  const void* from = nullptr;
  std::size_t from_pitch = 0, from_slice = 0;
  std::size_t width = 0, height = 1, depth = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  std::uint64_t number = 0;  // of this process's copies, from 1
};

struct FillWork {
  void* to = nullptr;
  std::size_t pitch = 0, slice = 0;
  std::size_t width = 0, height = 1, depth = 1;  // bytes, rows, slices
  unsigned value = 0;
  unsigned element = 1;  // bytes: 1, 2 or 4
};

// Whether the box is empty; the pointers are then irrelevant.
template <class Box>
bool empty(const Box& box) {
  return box.width == 0 || box.height == 0 || box.depth == 0;
}

struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

struct EmptyWork {};
struct RecordWork {
  Event* event = nullptr;
};
struct WaitWork {
  Event* event = nullptr;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct AllocateWork {
  cudaMemAllocNodeParams parameters{};
};
struct FreeWork {
  void* pointer = nullptr;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork,
                          ChildWork, AllocateWork, FreeWork>;

// Runs the work now. Throws Failure. `operation`: its place in the order of streams, null if it has none.
void run(Runtime& runtime, const Work& work, const Operation& operation = nullptr);

// Runs the work now or when the program waits for the stream (WARPGRADE_ORDER), or adds it to the graph
// that the stream is capturing: then the result is null. Throws Failure.
Operation submit(Runtime& runtime, cudaStream_t stream, Work work);

// "kernel scale", "a copy of 400 bytes to the host"; empty for work whose delay a program cannot observe.
std::string describe(const Work& work);

// Run the pending work that the stream depends on, or all of it. Throw Failure.
void wait_for(Runtime& runtime, const Stream& stream);
void wait_for_all(Runtime& runtime);
// The same for a call by which the program waits: from now on the host knows that the work is over.
void host_waits_for(Runtime& runtime, const Stream& stream);
void host_waits_for_all(Runtime& runtime);

// Whether the host may access the memory: pageable, pinned or managed.
bool is_host_memory(const Runtime& runtime, const void* pointer);
bool is_pageable(const Runtime& runtime, const void* pointer);

// Whether the kernel waits for the previous one (griddepcontrol.wait). True if it calls any function.
bool waits_for_last_kernel(Runtime& runtime, const KernelWork& work);
// Whether it has a fence or a release of system scope. True if it calls any function.
bool has_system_fence(Runtime& runtime, const KernelWork& work);
// A kernel call with its arguments packed. Throws Failure for an impossible one.
KernelWork kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block, void** arguments,
                       std::size_t dynamic_shared, bool cooperative);

// The memory shared with the host that a kernel may access, by its arguments and its code.
emulator::TouchedMemory may_access(Runtime& runtime, const KernelWork& work);

// Copies of `bytes` in a row, of rows, and as cudaMemcpy3D describes them. Throws Failure where that is not
// possible.
CopyWork line_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
CopyWork plane_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind);
CopyWork box_copy(const cudaMemcpy3DParms* parameters);

// The numbers of the last copy and of the last launch that were made.
std::uint64_t last_copy();
std::uint64_t last_launch();

// Throw Failure for a range that is not in the memory that the copy's kind names.
void check(Runtime& runtime, const CopyWork& copy);
void check(Runtime& runtime, const FillWork& fill);

}  // namespace warpgrade::cudart
