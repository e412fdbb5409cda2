// State that the API functions share: the emulated GPU, its memory, and the objects that the program created.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cudart/device/gpu.hpp"
#include "cudart/module/registry.hpp"
#include "cudart/runtime/config.hpp"
#include "cudart/runtime/error.hpp"
#include "cudart/runtime/failed_calls.hpp"
#include "cudart/runtime/reporter.hpp"
#include "cudart/work/handles.hpp"
#include "cudart/work/order_check.hpp"
#include "cudart/work/pending.hpp"
#include "cudart/work/recorded_kernel.hpp"
#include "machine/memory/device_memory.hpp"
#include "order/computed_bytes.hpp"
#include "order/used_bytes.hpp"

namespace warpgrade::cudart {

class Runtime {
 public:
  // Made by the first call that needs it and never destroyed: programs call into it from destructors of
  // their own. Throws Failure (cudaErrorInitializationError) where the environment is wrong.
  static Runtime& instance();
  static Runtime* made();  // null if no call has needed it
  // fork() whose child keeps the runtime: for a process in which nothing else runs, neither a thread of its
  // own nor one of the emulator.
  static pid_t fork();

  const Config config;
  bool blocks_in_turns = false;  // of later launches
  std::uint64_t step_limit;      // of later launches: warp instructions of one block, 0 for none
  const Gpu& gpu;
  const emulator::DeviceLimits limits;
  emulator::DeviceMemory memory;
  Reporter reporter;
  Registry& registry;
  Handles handles;
  PendingWork pending;  // empty while WorkOrder::prompt
  OrderCheck order;
  emulator::UsedBytes uploads;  // of copies to the device, by kernels and other copies
  emulator::UsedBytes results;  // of kernels, by copies and the host
  emulator::ComputedBytes computed;
  emulator::ComputedBytes stored;  // bytes computed by kernels, unlike bytes that were copied
  RecordedKernel recorded_kernel;
  FailedCalls failed_calls;

  // Serialises calls. Not held while host functions of the program run.
  std::recursive_mutex mutex;

  // The error that ended the context, success while it lives.
  cudaError_t sticky = cudaSuccess;
  std::map<cudaLimit, std::size_t> device_limits;
  unsigned device_flags = 0;
  // Allocations of graphs keep their address when they are freed: each launch of the graph allocates them
  // again.
  std::set<void*> graph_memory;

  int compute_capability() const { return 10 * gpu.major + gpu.minor; }
  emulator::Program& program(DeviceCode& code);
  // The function that a stub, cudaKernel_t or cudaFunction_t stands for. Throws Failure.
  RegisteredFunction& function(const void* any) const;
  const emulator::KernelInfo& kernel(RegisteredFunction& function);
  // The placed variable that a symbol names. Throws Failure.
  emulator::Allocation& variable(const void* symbol);
  // A range within it. Throws Failure where it does not fit.
  std::byte* inside(const void* symbol, std::size_t offset, std::size_t bytes);
  void place_managed(DeviceCode& code);  // fills in the program's pointers to its managed variables
  void reset();                          // cudaDeviceReset

 private:
  explicit Runtime(Config read);
};

// Text in a Failure may use printf's formats.
[[noreturn, gnu::format(printf, 2, 3)]] void fail(cudaError_t code, const char* format = nullptr, ...);
inline void require(bool holds, cudaError_t otherwise) {
  if (!holds) throw Failure{otherwise, {}};
}

}  // namespace warpgrade::cudart
