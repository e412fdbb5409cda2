// Runs a command that may see and do only what the options allow, where no namespaces can be made:
//
//   confine --work=FOLDER [--read=PATH]... [--write=PATH]... [--device=PATH]... [--user=NUMBER [--traverse]]
//           [--no-landlock] -- COMMAND...
//   confine --landlock-version
//   confine --print-filter
//
// Landlock limits files, a seccomp filter the system calls, a user of its own (if this is root) the rest. The
// parent stays outside: it decides where signals go, and kills what the command leaves behind. Devices are a
// GPU's. --print-filter writes the filter for a command that has namespaces of its own. Exit code: the
// command's, 128 + the signal that ended it, or 125 with "confine: ..." where it could not be confined.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "landlock.hpp"
#include "options.hpp"
#include "supervisor.hpp"
#include "system_calls.hpp"

using namespace warpgrade::confine;

namespace {

constexpr int kFailed = 125;
constexpr int kFirstInherited = 3;

struct Message {
  Message() {
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  char byte = 0;
  iovec content = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
};

void send_descriptor(int socket, int descriptor) {
  Message message;
  cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  if (sendmsg(socket, &message.header, 0) != 1) fail_with_errno("sendmsg");
}

// -1: the child has ended before it sent one.
int receive_descriptor(int socket) {
  Message message;
  if (recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC) != 1) return -1;
  int descriptor = -1;
  const cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  if (part != nullptr) std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
  return descriptor;
}

// Of the capabilities that let a process pass through closed folders, the weakest that this process has; -1:
// none.
int passing() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct mine[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, mine) != 0) fail_with_errno("capget");
  for (const int capability : {CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE})
    if ((mine[0].permitted & 1U << capability) != 0) return capability;
  return -1;
}

// Give up every capability but this one, and hand it on to the command.
void keep_only(int capability) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const std::uint32_t bit = 1U << capability;
  const __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {{bit, bit, bit}, {0, 0, 0}};
  if (syscall(SYS_capset, &header, kept) != 0 ||
      prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0)
    fail_with_errno("capset");
}

void become(uid_t user) {
  if (setgroups(0, nullptr) != 0) fail_with_errno("setgroups");
  if (setresgid(user, user, user) != 0) fail_with_errno("setresgid");
  if (setresuid(user, user, user) != 0) fail_with_errno("setresuid");
}

void close_inherited(int kept) {
  if (dup2(kept, kFirstInherited) < 0 || close_range(kFirstInherited + 1, ~0U, 0) != 0 ||
      fcntl(kFirstInherited, F_SETFD, FD_CLOEXEC) != 0)
    fail_with_errno("close_range");
}

void run(const Options& options) {
  std::vector<char*> words;
  for (const std::string& word : options.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  fail_with_errno(options.command[0]);
}

// The child: from here everything is given up, and nothing comes back.
[[noreturn]] void confine_and_run(const Options& options, int socket) {
  try {
    stop_supervising();
    close_inherited(socket);
    if (setsid() < 0) fail_with_errno("setsid");
    const int rules = options.landlock ? landlock_rules(options) : -1;
    const int kept = options.traverse && options.landlock ? passing() : -1;
    if (kept >= 0) prctl(PR_SET_KEEPCAPS, 1);
    if (options.user) become(*options.user);
    if (kept >= 0) keep_only(kept);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
      fail_with_errno("prctl");
    if (chdir(options.work.c_str()) != 0) fail_with_errno(options.work);
    if (options.landlock) obey_landlock(rules);
    const int listener = filter_system_calls(!options.devices.empty());
    send_descriptor(kFirstInherited, listener);
    close(listener);
    run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "confine: %s\n", error.what());
  }
  _exit(kFailed);
}

int supervise(const Options& options) {
  if (options.landlock && landlock_version() == 0) throw Failure("this kernel has no Landlock, or it is off");
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) fail_with_errno("socketpair");
  prepare_to_supervise(options.parent);
  const pid_t command = fork();
  if (command < 0) fail_with_errno("fork");
  if (command == 0) confine_and_run(options, sockets[1]);
  close(sockets[1]);
  // A rule of Landlock is about what the kernel knows of this folder now: while it is open, that stays.
  const int threads = open(folder_of_threads(command).c_str(), O_PATH | O_CLOEXEC);
  const int status = watch(command, receive_descriptor(sockets[0]));
  close(threads);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == "--landlock-version") {
      std::printf("%d\n", landlock_version());
      return 0;
    }
    if (argc == 2 && std::string_view(argv[1]) == "--print-filter") {
      print_filter();
      return 0;
    }
    return supervise(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "confine: %s\n", error.what());
    return kFailed;
  }
}
