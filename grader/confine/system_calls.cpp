#include "system_calls.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "error.hpp"

namespace warpgrade::confine {
namespace {

constexpr std::uint32_t kX32 = 0x40000000;  // system calls of the x32 interface have this bit
constexpr std::uint32_t kNewest = 462;      // mseal, of Linux 6.10; later ones are answered as unknown
constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 0x80;  // CLONE_NEWTIME
constexpr std::uint32_t kPushInput = TIOCSTI, kSetOwnerIoctl = 0x8901, kSetGroupIoctl = 0x8902;
constexpr std::uint32_t kSocketType = 0xf;
constexpr std::uint32_t kStreamOrPackets =
    kSocketType & ~(SOCK_STREAM ^ SOCK_SEQPACKET);  // differ in one bit

constexpr std::uint32_t refuse(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA);
}

// A classic BPF program on seccomp_data. The accumulator holds the system call's number between two rules.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    unless(BPF_JEQ, AUDIT_ARCH_X86_64, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    when(BPF_JGE, kX32, refuse(ENOSYS));
    when(BPF_JGT, kNewest, refuse(ENOSYS));
  }

  void answer(std::uint32_t number, std::uint32_t result) { when(BPF_JEQ, number, result); }

  // Refuse the call if its argument, of which the lower half is compared, is one of `values`.
  void refuse_values(std::uint32_t number, int argument, std::initializer_list<std::uint32_t> values) {
    begin_rule(number, argument, 2 * values.size() + 1);
    for (const std::uint32_t value : values) when(BPF_JEQ, value, refuse(EPERM));
    end(SECCOMP_RET_ALLOW);
  }

  // Refuse the call unless its argument has this value.
  void allow_value(std::uint32_t number, int argument, std::uint32_t value) {
    begin_rule(number, argument, 3);
    when(BPF_JEQ, value, SECCOMP_RET_ALLOW);
    end(refuse(EPERM));
  }

  // For socket and socketpair: allow local streams of bytes or packets, which are sent to no address.
  void allow_local_streams(std::uint32_t number) {
    begin_rule(number, 0, 7);
    unless(BPF_JEQ, AF_UNIX, refuse(EACCES));
    load_argument(1);
    add(BPF_ALU | BPF_AND | BPF_K, kStreamOrPackets);
    when(BPF_JEQ, SOCK_STREAM, SECCOMP_RET_ALLOW);
    end(refuse(EACCES));
  }

  void refuse_bits(std::uint32_t number, int argument, std::uint32_t bits) {
    begin_rule(number, argument, 3);
    when(BPF_JSET, bits, refuse(EPERM));
    end(SECCOMP_RET_ALLOW);
  }

  // Refuse to open for reading with O_TRUNC: before version 3 Landlock takes that for reading.
  void refuse_cutting(std::uint32_t number, int argument) {
    begin_rule(number, argument, 4);
    add(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE);
    when(BPF_JEQ, O_TRUNC | O_RDONLY, refuse(EPERM));
    end(SECCOMP_RET_ALLOW);
  }

  void print() {
    end(SECCOMP_RET_ALLOW);
    if (std::fwrite(code_.data(), sizeof code_[0], code_.size(), stdout) != code_.size() ||
        std::fflush(stdout) != 0)
      fail_with_errno("standard output");
  }

  // Returns the descriptor that tells of calls with SECCOMP_RET_USER_NOTIF.
  int install() {
    end(SECCOMP_RET_ALLOW);
    const sock_fprog program = {static_cast<unsigned short>(code_.size()), code_.data()};
    const long listener =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0) fail_with_errno("seccomp");
    return static_cast<int>(listener);
  }

 private:
  void add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void end(std::uint32_t result) { add(BPF_RET | BPF_K, result); }
  void when(int test, std::uint32_t value, std::uint32_t result) {
    add(BPF_JMP | test | BPF_K, value, 0, 1);
    end(result);
  }
  void unless(int test, std::uint32_t value, std::uint32_t result) {
    add(BPF_JMP | test | BPF_K, value, 1, 0);
    end(result);
  }

  // The `length` steps after the load belong to this call alone, and end with a result.
  void begin_rule(std::uint32_t number, int argument, std::size_t length) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, static_cast<std::uint8_t>(length + 1));
    load_argument(argument);
  }
  void load_argument(int argument) {
    load(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(argument));
  }

  std::vector<sock_filter> code_;
};

// The rules for every command.
void refuse_what_none_needs(Filter& filter) {
#define REFUSED(name, number, error) filter.answer(number, refuse(error));
#define SOCKETS(name, number, error)
#include "system_calls.def"
#undef SOCKETS
#undef REFUSED
  filter.refuse_bits(SYS_clone, 0, kNamespaces);
  // Signals by way of a descriptor's owner, and input pushed into a terminal.
  filter.refuse_values(SYS_fcntl, 1, {F_SETOWN, F_SETOWN_EX, F_SETSIG});
  filter.refuse_values(SYS_ioctl, 1, {kPushInput, kSetOwnerIoctl, kSetGroupIoctl});
  // Limits of the own process only.
  filter.allow_value(SYS_prlimit64, 0, 0);
  filter.refuse_cutting(SYS_open, 1);
  filter.refuse_cutting(SYS_openat, 2);
}

// CUDA's driver listens on a local socket for processes that want to share memory: without it, no call of
// CUDA works. Nobody is accepted, and nobody can be connected to.
constexpr bool is_of_driver(std::uint32_t number) {
  return number == SYS_socket || number == SYS_bind || number == SYS_listen;
}

}  // namespace

int filter_system_calls(bool driver) {
  Filter filter;
  refuse_what_none_needs(filter);
#define REFUSED(name, number, error)
#define SOCKETS(name, number, error) \
  if (!driver || !is_of_driver(number)) filter.answer(number, refuse(error));
#include "system_calls.def"
#undef SOCKETS
#undef REFUSED
  if (driver) filter.allow_local_streams(SYS_socket);
  // A connected pair of streams takes no address: other sockets could still be sent to a server's.
  filter.allow_local_streams(SYS_socketpair);
  for (const std::uint32_t number :
       {SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo,
        SYS_rt_tgsigqueueinfo, SYS_sched_setaffinity})
    filter.answer(number, SECCOMP_RET_USER_NOTIF);
  return filter.install();
}

void print_filter() {
  Filter filter;
  refuse_what_none_needs(filter);
  filter.print();
}

}  // namespace warpgrade::confine
