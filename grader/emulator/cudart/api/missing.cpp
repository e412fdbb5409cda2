// What NVIDIA's library exports and ours cannot do. A program that only links to such a function runs; one
// that calls it gets cudaErrorNotSupported and, once, a line that names it.
#include <driver_types.h>

#include <atomic>
#include <string>

#include "cudart/runtime/error.hpp"

namespace warpgrade::cudart {
namespace {

cudaError_t missing(const char* name, std::atomic<bool>& said) {
  if (!said.exchange(true)) complain(name, "the emulator does not have it");
  set_last_error(cudaErrorNotSupported);
  return cudaErrorNotSupported;
}

}  // namespace
}  // namespace warpgrade::cudart

// The arguments are left alone; in C's calling convention the caller takes them away.
#define MISSING(name)                                                    \
  extern "C" __attribute__((visibility("default"))) cudaError_t name() { \
    static std::atomic<bool> said{false};                                \
    return warpgrade::cudart::missing(#name, said);                      \
  }
#include "cudart/api/missing.def"
#undef MISSING
