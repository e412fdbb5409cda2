#include "cudart/memory/host_access.hpp"

#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "cudart/memory/host_errors.hpp"
#include "findings/fault.hpp"
#include "order/finding.hpp"
#include "symbols/host_call_site.hpp"

namespace warpgrade::cudart {
namespace {

struct sigaction before;

// A refused host access: the address, its direction and the instruction.
struct Refused {
  std::uint64_t address = 0;
  bool write = false;
  const void* at = nullptr;
};

Refused read(const siginfo_t& info, const void* context) {
  Refused out;
  out.address = reinterpret_cast<std::uint64_t>(info.si_addr);
#ifdef __x86_64__
  constexpr greg_t kWrite = 2;  // bit of a page fault's error code: the access was a write
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  out.write = (registers[REG_ERR] & kWrite) != 0;
  out.at = reinterpret_cast<const void*>(registers[REG_RIP]);
#endif
  return out;
}

// Does more than POSIX allows in a handler (it allocates and formats). The signal comes from an instruction
// of the program that accesses device memory, so this thread holds neither malloc's lock nor ours. The
// exception is a free() that reads a device pointer; it reads before it locks.
void report_refused(Runtime& runtime, const Refused& refused) {
  static std::atomic<bool> reported{false};
  if (!runtime.config.options.check_memory || reported.exchange(true)) return;
  runtime.reporter.found(host_access(runtime.memory, refused.address, refused.write, refused.at), {});
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0)
    raise(signal);  // sent by a process; else the access is repeated, and ends the program
}

// Whether the fault is one of a page that PageGuard closed; it is open then.
bool is_closed_page(Runtime& runtime, const Refused& refused) {
  const emulator::Allocation* in = runtime.memory.find(refused.address);
  const bool is_shared = in != nullptr && (in->kind == emulator::Allocation::Kind::managed ||
                                           in->kind == emulator::Allocation::Kind::pinned);
  if (!is_shared) return false;
  // A return address is the address after the call; here the instruction is the access itself.
  const void* own = emulator::call_in_program(refused.at);
  if (own == refused.at) own = static_cast<const char*>(refused.at) + 1;
  const std::lock_guard lock(runtime.mutex);
  return runtime.order.host_accessed(runtime, {refused.address, 1, refused.write, own});
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  Runtime* runtime = Runtime::made();
  if (runtime != nullptr && info->si_code > 0) {
    const Refused refused = read(*info, context);
    if (is_closed_page(*runtime, refused)) {
      errno = error;
      return;  // the access is repeated
    }
    if (runtime->memory.in_range(refused.address)) report_refused(*runtime, refused);
  }
  // The cause may be an error that the program ignored.
  if (runtime != nullptr && before.sa_handler == SIG_DFL) report_failed_calls(*runtime, 0);
  errno = error;
  pass_on(signal, info, context);
}

}  // namespace

bool watches_host_accesses() {
  struct sigaction now = {};
  return sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == on_fault;
}

void watch_host_accesses() {
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, &before);
}

emulator::Finding host_access(const emulator::DeviceMemory& memory, std::uint64_t address, bool write,
                              const void* at) {
  emulator::Finding finding;
  finding.kind = emulator::FindingKind::device_pointer;
  finding.on_device = false;
  const std::string verb = write ? "writes" : "reads";
  finding.memory = emulator::describe_global(memory, address, 0);
  finding.message = "the host " + verb + " device memory";
  const void* const own = at == nullptr ? nullptr : emulator::call_in_program(at);
  // A return address is the address after the call, whose line may be the one before; here the instruction is
  // the access itself.
  const void* const there = own == nullptr || own != at ? own : static_cast<const char*>(own) + 1;
  finding.site = emulator::host_site(there, "the host " + verb);
  const bool has_line = finding.site.line > 0;
  if (at != nullptr && !has_line) {
    finding.message += " at " + emulator::call_site(own);
    if (own != at) finding.message += ", in a call that leads to " + emulator::call_site(at);
  }
  if (!finding.memory.allocation.empty()) finding.message += ": " + emulator::distance_words(finding.memory);
  if (const emulator::Allocation* found = memory.nearest(address);
      found != nullptr && !finding.memory.allocation.empty())
    finding.message += emulator::provenance(*found);
  if (at != nullptr && !has_line && !emulator::calls_are_remote())
    finding.message += ". Built with -g, `" + emulator::line_command(static_cast<const char*>(there) - 1) +
                       "` says the line";
  return finding;
}

}  // namespace warpgrade::cudart
