#include "remoting/frontend/host_access.hpp"

#include <execinfo.h>
#include <link.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "remoting/frontend/connection.hpp"

namespace warpgrade::remoting {
namespace {

struct ProgramRange {
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
};

// Where the program's own file is mapped: the first that the loader lists.
const ProgramRange& program_range() {
  static const ProgramRange range = [] {
    ProgramRange found;
    dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* data) {
          auto& to = *static_cast<ProgramRange*>(data);
          for (int i = 0; i < file->dlpi_phnum; ++i) {
            const auto& each = file->dlpi_phdr[i];
            if (each.p_type != PT_LOAD) continue;
            to.begin = std::min(to.begin, file->dlpi_addr + each.p_vaddr);
            to.end = std::max(to.end, file->dlpi_addr + each.p_vaddr + each.p_memsz);
          }
          return 1;
        },
        &found);
    return found;
  }();
  return range;
}

bool in_program(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= program_range().begin && at < program_range().end;
}

// Device memory is not mapped in this process: an access ends the process after a message to the back end.
// An access to a closed page is repeated.
void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code > 0) {
    bool write = false;
    const char* at = nullptr;
#ifdef __x86_64__
    constexpr greg_t kWrite = 2;  // bit of a page fault's error code: the access was a write
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    write = (registers[REG_ERR] & kWrite) != 0;
    at = reinterpret_cast<const char*>(registers[REG_RIP]) + 1;
#endif
    if (tell_host_access(info->si_addr, 1, write, call_in_program(at)) == HostAccessKind::shared) {
      errno = error;
      return;
    }
  }
  std::signal(signal, SIG_DFL);  // the access is repeated, and ends the program
}

}  // namespace

const void* call_in_program(const void* return_address) {
  if (in_program(return_address)) return return_address;
  constexpr int kMostCalls = 64;
  void* calls[kMostCalls];
  void** const end = calls + backtrace(calls, kMostCalls);
  void** const own = std::find_if(calls, end, in_program);
  return own == end ? return_address : *own;
}

void watch_host_accesses() {
  void* first = nullptr;
  backtrace(&first, 1);  // loads what it needs, which a signal handler must not
  program_range();
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, nullptr);
}

bool watches_host_accesses() {
  struct sigaction now = {};
  return sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == on_fault;
}

}  // namespace warpgrade::remoting
