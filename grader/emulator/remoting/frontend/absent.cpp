// Functions of the runtime that the front end does not send. A program that only links to one runs; a call
// returns cudaErrorNotSupported and, once, prints a line that names the function.
#include <driver_types.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "remoting/message.hpp"

namespace warpgrade::remoting {

// connection.hpp declares the functions of the runtime, which are defined here without their parameters.
cudaError_t ask(ApiFunction function, const void* caller, const MessageWriter& in, std::string& out,
                int* memory);
cudaError_t failed(cudaError_t code);

namespace {

cudaError_t absent(const char* name, const void* caller, std::atomic<bool>& said) {
  if (!said.exchange(true))
    std::fprintf(stderr, "warpgrade: %s: programs of labs cannot call it on the emulator\n", name);
  MessageWriter in;
  in.text(name);
  std::string none;
  ask(ApiFunction::absent, caller, in, none, nullptr);
  return failed(cudaErrorNotSupported);  // also where there is no back end
}

}  // namespace
}  // namespace warpgrade::remoting

// Weak: the front end's own functions take precedence. The arguments are ignored: in the C calling convention
// the caller removes them.
#define FUNCTION(name)                                                            \
  extern "C" __attribute__((weak, visibility("default"))) cudaError_t name() {    \
    static std::atomic<bool> said{false};                                         \
    return warpgrade::remoting::absent(#name, __builtin_return_address(0), said); \
  }
#include "runtime_functions.hpp"
#undef FUNCTION
