// Functions that NVIDIA's library exports and the emulator does not support. A program that only links to one
// runs; a call returns cudaErrorNotSupported and, once, prints a line that names the function.
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

// The arguments are ignored: in the C calling convention the caller removes them.
#define MISSING(name)                                                    \
  extern "C" __attribute__((visibility("default"))) cudaError_t name() { \
    static std::atomic<bool> said{false};                                \
    return warpgrade::cudart::missing(#name, said);                      \
  }
#include "cudart/api/missing.def"
#undef MISSING
