// The program's side: calls go to the back end over the socket that the environment names.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include <string>
#include <utility>

#include "remoting/message.hpp"

namespace warpgrade::remoting {

// Sends the call and waits for its answer, which is left in `out`. Sets this thread's last error.
cudaError_t ask(ApiFunction function, const void* caller, const MessageWriter& in, std::string& out,
                int* memory = nullptr);

cudaError_t last_error();
void set_last_error(cudaError_t code);
cudaError_t failed(cudaError_t code);  // sets the last error and returns it

template <class... In>
MessageWriter arguments(const In&... in) {
  MessageWriter writer;
  (writer.put(in), ...);
  return writer;
}

// Sends the call and stores the results.
template <class... Out>
cudaError_t remote(ApiFunction function, const void* caller, const MessageWriter& in, Out*... out) {
  if (((out == nullptr) || ...)) return failed(cudaErrorInvalidValue);
  std::string bytes;
  const cudaError_t code = ask(function, caller, in, bytes);
  MessageReader reader(bytes);
  if (code == cudaSuccess) ((*out = reader.get<Out>()), ...);
  return code;
}

// The number of the calling thread: 0 for the first one, and for threads that were not made by
// pthread_create().
std::int32_t own_thread();

// Whether a pointer is in the range of device addresses, which includes managed and pinned memory.
bool is_remote(const void* pointer);

// Reports an access to these bytes to the back end. Afterwards closed pages among them are open.
enum class HostAccessKind { shared, device, other };  // managed or pinned memory; memory of the device only
HostAccessKind tell_host_access(const void* pointer, std::uint64_t bytes, bool write, const void* call);
bool is_closed(const void* pointer, std::uint64_t bytes);

// Managed and pinned memory: maps the back end's shared memory at the same address, or unmaps it.
bool map_shared(void* pointer, std::uint64_t bytes, int memory);
void unmap_shared(void* pointer);

// Registers the program's own memory as pinned. False if it overlaps registered memory, or is not mapped.
bool register_own(void* pointer, std::uint64_t bytes);
bool unregister_own(void* pointer);
bool is_registered(const void* pointer);

}  // namespace warpgrade::remoting

#define CALLER __builtin_return_address(0)
