#include "remoting/frontend/connection.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>

#include "remoting/frontend/host_access.hpp"
#include "remoting/frontend/page_closure.hpp"
#include "remoting/frontend/program_memory.hpp"

namespace warpgrade::remoting {
namespace {

thread_local cudaError_t last = cudaSuccess;
thread_local bool is_in_function = false;  // of the program, which a graph calls

struct Connection {
  std::recursive_mutex mutex;  // a function that a graph calls may touch closed pages
  int socket = -1;
  std::uint64_t begin = 0, bytes = 0;             // range of the device's addresses
  std::map<std::uint64_t, std::uint64_t> shared;  // mapped memory: address → bytes
  std::map<std::uint64_t, std::uint64_t> registered;
  PageClosure closed;
};

// Never destroyed: a program's own destructors may call the runtime.
Connection& connection();

// A function of the program that a graph calls in the middle of a call of the runtime.
bool run_function(const Connection& to, const std::string& message) {
  MessageReader reader(message);
  const auto function = reader.get<cudaHostFn_t>();
  auto* const data = reader.get<void*>();
  while (reader.left() != 0) {
    const auto rows = reader.get<ProgramRows>();
    if (!rows.write(reader)) return false;
  }
  is_in_function = true;
  function(data);
  is_in_function = false;
  return send_message(to.socket, {static_cast<std::uint32_t>(ApiFunction::function_done)}, {});
}

bool exchange(Connection& to, MessageHeader header, const std::string& in, MessageHeader& answer,
              std::string& out, int* memory) {
  if (!send_message(to.socket, header, in) || !receive_message(to.socket, answer, out, memory)) return false;
  while (answer.function == static_cast<std::uint32_t>(ApiFunction::run_function))
    if (!run_function(to, out) || !receive_message(to.socket, answer, out, memory)) return false;
  const std::uint64_t tail = answer.closed < 0 ? 0 : static_cast<std::uint64_t>(answer.closed);
  if (tail > out.size() / sizeof(ClosedPages)) return false;
  const std::size_t size = out.size() - tail * sizeof(ClosedPages);
  if (answer.closed >= 0) to.closed.change(out.substr(size));
  out.resize(size);
  return true;
}

// A forked child has no CUDA, as with a GPU.
void leave_to_the_parent() {
  connection().socket = -1;
  connection().closed.clear();
}

void attach(Connection& to) {
  const char* number = std::getenv(kSocketVariable);
  if (number == nullptr) return;
  to.socket = std::atoi(number);
  MessageHeader header{static_cast<std::uint32_t>(ApiFunction::attach)}, answer;
  std::string out;
  if (!exchange(to, header, {}, answer, out, nullptr)) {
    to.socket = -1;
    return;
  }
  MessageReader reader(out);
  to.begin = reader.get<std::uint64_t>();
  to.bytes = reader.get<std::uint64_t>();
  mmap(reinterpret_cast<void*>(to.begin), to.bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  watch_host_accesses();
  pthread_atfork(nullptr, nullptr, leave_to_the_parent);
}

Connection& connection() {
  static auto* made = [] {
    auto* fresh = new Connection;
    attach(*fresh);
    return fresh;
  }();
  return *made;
}

// `ranges`: address → bytes, disjoint.
bool contains(const std::map<std::uint64_t, std::uint64_t>& ranges, std::uint64_t at) {
  const auto above = ranges.upper_bound(at);
  return above != ranges.begin() && at - std::prev(above)->first < std::prev(above)->second;
}

}  // namespace

cudaError_t last_error() { return last; }
void set_last_error(cudaError_t code) { last = code; }
cudaError_t failed(cudaError_t code) { return last = code; }

cudaError_t ask(ApiFunction function, const void* caller, const MessageWriter& in, std::string& out,
                int* memory) {
  Connection& to = connection();
  MessageHeader header{static_cast<std::uint32_t>(function), own_thread(),
                       reinterpret_cast<std::uint64_t>(caller)},
      answer;
  if (is_in_function) return failed(cudaErrorNotPermitted);
  const std::lock_guard lock(to.mutex);
  if (to.socket < 0 || in.bytes().size() > kMostBytes) return failed(cudaErrorInitializationError);
  if (!exchange(to, header, in.bytes(), answer, out, memory)) return failed(cudaErrorInitializationError);
  to.closed.close_again();
  const auto code = static_cast<cudaError_t>(answer.code);
  if (code != cudaSuccess && code != cudaErrorNotReady) last = code;
  return code;
}

HostAccessKind tell_host_access(const void* pointer, std::uint64_t bytes, bool write, const void* call) {
  Connection& to = connection();
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::lock_guard lock(to.mutex);
  if (to.socket < 0 || address - to.begin >= to.bytes) return HostAccessKind::other;
  const bool is_shared = contains(to.shared, address);
  if (is_shared && !to.closed.has(address, bytes)) return HostAccessKind::shared;
  MessageHeader header{static_cast<std::uint32_t>(ApiFunction::host_access), 0,
                       reinterpret_cast<std::uint64_t>(call)},
      answer;
  std::string out;
  exchange(to, header, arguments(pointer, bytes, write).bytes(), answer, out, nullptr);
  if (is_shared) to.closed.open(address, bytes);
  return is_shared ? HostAccessKind::shared : HostAccessKind::device;
}

bool is_closed(const void* pointer, std::uint64_t bytes) {
  Connection& to = connection();
  if (to.closed.empty()) return false;
  const std::lock_guard lock(to.mutex);
  return to.closed.has(reinterpret_cast<std::uint64_t>(pointer), bytes);
}

bool is_remote(const void* pointer) {
  const Connection& to = connection();
  return reinterpret_cast<std::uint64_t>(pointer) - to.begin < to.bytes;
}

bool map_shared(void* pointer, std::uint64_t bytes, int memory) {
  Connection& to = connection();
  void* got = mmap(pointer, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0);
  close(memory);
  const std::lock_guard lock(to.mutex);
  if (got == pointer) to.shared[reinterpret_cast<std::uint64_t>(pointer)] = bytes;
  return got == pointer;
}

bool register_own(void* pointer, std::uint64_t bytes) {
  Connection& to = connection();
  const std::lock_guard lock(to.mutex);
  const auto begin = reinterpret_cast<std::uint64_t>(pointer);
  const auto above = to.registered.lower_bound(begin);
  if (above != to.registered.end() && above->first - begin < bytes) return false;
  if (contains(to.registered, begin)) return false;
  to.registered[begin] = bytes;
  return true;
}

bool unregister_own(void* pointer) {
  Connection& to = connection();
  const std::lock_guard lock(to.mutex);
  return to.registered.erase(reinterpret_cast<std::uint64_t>(pointer)) != 0;
}

bool is_registered(const void* pointer) {
  Connection& to = connection();
  const std::lock_guard lock(to.mutex);
  return contains(to.registered, reinterpret_cast<std::uint64_t>(pointer));
}

void unmap_shared(void* pointer) {
  Connection& to = connection();
  const std::lock_guard lock(to.mutex);
  const auto found = to.shared.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found == to.shared.end()) return;
  mmap(pointer, found->second, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  to.shared.erase(found);
}

}  // namespace warpgrade::remoting
