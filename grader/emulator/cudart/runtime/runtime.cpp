#include "cudart/runtime/runtime.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "cudart/memory/host_access.hpp"

namespace warpgrade::cudart {
namespace {

// The limits that an H200 reports. Of these the emulator enforces the stack and the heap only.
const std::map<cudaLimit, std::size_t> kDefaultLimits = {
    {cudaLimitStackSize, 1024},
    {cudaLimitPrintfFifoSize, 8650752},
    {cudaLimitMallocHeapSize, emulator::DeviceMemory::kHeapBytes},
    {cudaLimitDevRuntimePendingLaunchCount, 2048},
    {cudaLimitMaxL2FetchGranularity, 64},
    {cudaLimitPersistingL2CacheSize, 0},
};

Config configuration() {
  return read_config([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace

Runtime::Runtime(Config read)
    : config(std::move(read)),
      step_limit(config.options.step_limit),
      gpu(*config.gpu),
      limits(cudart::limits(gpu)),
      memory(static_cast<std::size_t>(gpu.memory_bytes)),
      reporter(config),
      registry(Registry::instance()),
      pending(config),
      device_limits(kDefaultLimits) {}

namespace {

std::atomic<Runtime*> the_runtime{nullptr};
// Set in a forked child whose parent had made its runtime: locks and worker threads are the parent's.
std::atomic<bool> inherited{false};
std::atomic<bool> forks_with_runtime{false};  // during Runtime::fork()

[[noreturn]] void refuse_inherited() {
  static std::atomic<bool> said{false};
  throw Failure{cudaErrorInitializationError,
                said.exchange(true)
                    ? std::string()
                    : "fork() after the first CUDA call leaves the child without CUDA, as with a "
                      "GPU; fork first, or start the child with exec"};
}

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] {
    if (Runtime* parent = the_runtime.load()) {
      parent->order.open_all();
      inherited = !forks_with_runtime;
    }
  });
}

}  // namespace

Runtime* Runtime::made() { return inherited ? nullptr : the_runtime.load(); }

pid_t Runtime::fork() {
  instance();
  forks_with_runtime = true;
  const pid_t child = ::fork();
  forks_with_runtime = false;
  return child;
}

// If the environment is wrong, one message says so and every call fails.
Runtime& Runtime::instance() {
  if (inherited) refuse_inherited();
  static std::mutex making;
  static bool failed = false;
  std::lock_guard lock(making);
  if (Runtime* made = the_runtime.load()) return *made;
  if (failed) throw Failure{cudaErrorInitializationError, {}};
  try {
    the_runtime = new Runtime(configuration());
    watch_host_accesses();
    watch_exit_status();
    watch_forks();
    return *the_runtime.load();
  } catch (const ConfigError& error) {
    failed = true;
    throw Failure{cudaErrorInitializationError, error.what()};
  } catch (const std::bad_alloc&) {
    failed = true;
    throw Failure{cudaErrorInitializationError,
                  "no address space for device memory; raise the limit (ulimit -v unlimited)"};
  }
}

emulator::Program& Runtime::program(DeviceCode& code) {
  const bool fresh = !code.loaded();
  emulator::Program& program = code.program(memory, compute_capability());
  if (fresh) place_managed(code);
  if (fresh && config.options.count) code.use_machine_widths(compute_capability());
  return program;
}

RegisteredFunction& Runtime::function(const void* any) const {
  require(any != nullptr, cudaErrorInvalidDeviceFunction);
  RegisteredFunction* found = registry.find_function(any);
  // An H200 returns the same for a host function that is not a kernel.
  if (found == nullptr) fail(cudaErrorInvalidResourceHandle, "%p is not a kernel of this program", any);
  return *found;
}

const emulator::KernelInfo& Runtime::kernel(RegisteredFunction& function) {
  const emulator::KernelInfo* found = program(*function.code).find_kernel(function.name);
  if (found == nullptr)
    fail(cudaErrorInvalidDeviceFunction, "%s has no kernel %s", function.code->origin().c_str(),
         function.name.c_str());
  return *found;
}

emulator::Allocation& Runtime::variable(const void* symbol) {
  const RegisteredSymbol* found = registry.find_symbol(symbol);
  if (found == nullptr)
    fail(
        cudaErrorInvalidSymbol,
        "%p is no __device__ or __constant__ variable of this program: pass the variable itself, neither its "
        "address nor its name",
        symbol);
  emulator::Allocation* placed = program(*found->code).find_variable(found->name);
  require(placed != nullptr, cudaErrorInvalidSymbol);
  return *placed;
}

std::byte* Runtime::inside(const void* symbol, std::size_t offset, std::size_t bytes) {
  const emulator::Allocation& found = variable(symbol);
  if (offset > found.bytes || bytes > found.bytes - offset)
    fail(cudaErrorInvalidValue, "%zu bytes from byte %zu of %s, which has %zu bytes", bytes, offset,
         found.name.c_str(), found.bytes);
  return reinterpret_cast<std::byte*>(found.base) + offset;
}

void Runtime::place_managed(DeviceCode& code) {
  for (const RegisteredSymbol& each : registry.managed(code))
    if (emulator::Allocation* placed = code.program(memory, compute_capability()).find_variable(each.name))
      *each.host_pointer = reinterpret_cast<void*>(placed->base);
}

void Runtime::reset() {
  pending.clear();
  order.reset();
  registry.reset();
  for (void* each : graph_memory) memory.find(reinterpret_cast<std::uint64_t>(each))->freed = false;
  graph_memory.clear();
  for (const emulator::Allocation* each : memory.live()) memory.release(each->base);
  handles.clear();
  device_limits = kDefaultLimits;
  sticky = cudaSuccess;
}

void fail(cudaError_t code, const char* format, ...) {
  std::string why;
  if (format != nullptr) {
    va_list arguments;
    va_start(arguments, format);
    char text[512];
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    why = text;
  }
  throw Failure{code, why};
}

}  // namespace warpgrade::cudart
