// The frame of every API function: lock, error handling, the thread's last error.
#pragma once

// The definitions take over the prototypes' visibility; all else in the library is hidden.
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include <cstdint>
#include <new>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// Whether a call is refused after the context is lost (Runtime::sticky).
enum class Needs : std::uint8_t {
  nothing,  // queries of the device or the library: always possible
  context,
};

// Runs `body(runtime)` under the lock. An exception becomes the returned error and the thread's last error:
// none crosses the C boundary.
template <Needs needs = Needs::context, class Body>
cudaError_t call(const char* function, Body&& body) noexcept {
  Failure failed{cudaSuccess, {}};
  try {
    Runtime& runtime = Runtime::instance();
    std::lock_guard lock(runtime.mutex);
    // Runtime API, cudaLaunchHostFunc(): "must not make any CUDA API calls".
    if (needs == Needs::context && OrderCheck::in_function())
      throw Failure{cudaErrorNotPermitted, "a host function in a stream must not call CUDA"};
    if (needs == Needs::context && runtime.sticky != cudaSuccess)
      failed.code = runtime.sticky;
    else
      body(runtime);
    if (needs == Needs::context && failed.code == cudaSuccess) runtime.failed_calls.succeeded();
  } catch (const Failure& failure) {
    failed = failure;
    if (!failure.why.empty()) complain(function, failure.why);
  } catch (const std::bad_alloc&) {
    failed.code = cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    failed.code = cudaErrorUnknown;
    complain(function, std::string(error.what()) + " (an error of the emulator)");
  } catch (...) {
    failed.code = cudaErrorUnknown;
  }
  if (failed.code == cudaSuccess || failed.code == cudaErrorNotReady) return failed.code;
  set_last_error(failed.code);
  if (Runtime* runtime = Runtime::made()) runtime->failed_calls.add(function, failed);
  return failed.code;
}

// The next launch of this thread is that of a <<<>>> at this return address.
void announce_launch(const void* call);

// Stores a result through a pointer of the program.
template <class T>
void give(T* where, T value) {
  require(where != nullptr, cudaErrorInvalidValue);
  *where = value;
}

}  // namespace warpgrade::cudart

namespace warpgrade::cudart {

template <class Signature, Signature* function>
struct PerThread;

// The same function, with the thread's own default stream for a null handle.
template <class... Arguments, cudaError_t (*function)(Arguments...)>
struct PerThread<cudaError_t(Arguments...), function> {
  static cudaError_t call(Arguments... arguments) {
    const PerThreadDefault scope;
    return function(arguments...);
  }
};

}  // namespace warpgrade::cudart

// Programs compiled with --default-stream per-thread call the functions under these names. The loader asks
// the resolver for the address (ifunc), as a template has no C name; it runs before a sanitizer has begun.
#define PER_THREAD(function, name)                                                         \
  extern "C" {                                                                             \
  [[gnu::no_sanitize("address", "undefined", "thread"),                                    \
    gnu::used]] static decltype(function)* resolve_##name() {                              \
    return &warpgrade::cudart::PerThread<decltype(function), function>::call;              \
  }                                                                                        \
  decltype(function) name __attribute__((ifunc("resolve_" #name), visibility("default"))); \
  }
#define PER_THREAD_STREAM(function) PER_THREAD(function, function##_ptsz)
#define PER_THREAD_DEFAULT(function) PER_THREAD(function, function##_ptds)
