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

// The number of the calling thread: 0 for the first one, and for those that no pthread_create() has made.
std::int32_t own_thread();

// Whether a pointer is in the range of the device's addresses; managed and pinned memory is.
bool is_remote(const void* pointer);

// Tells the back end of an access to these bytes. Closed pages among them are open then.
enum class HostAccessKind { shared, device, other };  // managed or pinned memory; memory of the device only
HostAccessKind tell_host_access(const void* pointer, std::uint64_t bytes, bool write, const void* call);
bool is_closed(const void* pointer, std::uint64_t bytes);

// Managed and pinned memory: maps what the back end shares at the same address, and takes it away again.
bool map_shared(void* pointer, std::uint64_t bytes, int memory);
void unmap_shared(void* pointer);

// The program's own memory that it has registered as pinned. False where it overlaps another, or is none.
bool register_own(void* pointer, std::uint64_t bytes);
bool unregister_own(void* pointer);
bool is_registered(const void* pointer);

}  // namespace warpgrade::remoting

#define CALLER __builtin_return_address(0)
