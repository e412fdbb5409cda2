#include "remoting/frontend/connection.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>

namespace warpgrade::remoting {
namespace {

thread_local cudaError_t last = cudaSuccess;

struct Connection {
  std::mutex mutex;
  int socket = -1;
  std::uint64_t begin = 0, bytes = 0;             // range of the device's addresses
  std::map<std::uint64_t, std::uint64_t> shared;  // mapped memory: address → bytes
  std::map<std::uint64_t, std::uint64_t> registered;
};

// Never destroyed: a program's own destructors may call the runtime.
Connection& connection();

bool exchange(Connection& to, MessageHeader header, const std::string& in, MessageHeader& answer,
              std::string& out, int* memory) {
  return send_message(to.socket, header, in) && receive_message(to.socket, answer, out, memory);
}

// Device memory is not mapped in this process: an access ends the process after a message to the back end.
void on_fault(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  Connection& to = connection();
  if (info->si_code > 0 && address - to.begin < to.bytes && to.mutex.try_lock()) {
    bool write = false;
    std::uint64_t at = 0;
#ifdef __x86_64__
    constexpr greg_t kWrite = 2;  // bit of a page fault's error code: the access was a write
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    write = (registers[REG_ERR] & kWrite) != 0;
    at = static_cast<std::uint64_t>(registers[REG_RIP]);
#endif
    MessageHeader header{static_cast<std::uint32_t>(ApiFunction::host_access), 0, at, 0}, answer;
    std::string out;
    exchange(to, header, arguments(address, write).bytes(), answer, out, nullptr);
    to.mutex.unlock();
  }
  std::signal(signal, SIG_DFL);  // the access is repeated, and ends the program
}

void attach(Connection& to) {
  const char* number = std::getenv(kSocketVariable);
  if (number == nullptr) return;
  to.socket = std::atoi(number);
  MessageHeader header{static_cast<std::uint32_t>(ApiFunction::attach), 0, 0, 0}, answer;
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
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, nullptr);
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
  MessageHeader header{static_cast<std::uint32_t>(function), 0, reinterpret_cast<std::uint64_t>(caller), 0},
      answer;
  const std::lock_guard lock(to.mutex);
  if (to.socket < 0 || in.bytes().size() > kMostBytes) return failed(cudaErrorInitializationError);
  if (!exchange(to, header, in.bytes(), answer, out, memory)) return failed(cudaErrorInitializationError);
  const auto code = static_cast<cudaError_t>(answer.code);
  if (code != cudaSuccess && code != cudaErrorNotReady) last = code;
  return code;
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
