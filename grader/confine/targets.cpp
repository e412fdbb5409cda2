#include "targets.hpp"

#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <limits>
#include <string>

namespace warpgrade::confine {
namespace {

constexpr int kDeepest = 4096;  // generations of processes
constexpr char kParent[] = "PPid:", kProcess[] = "Tgid:";

// A number from /proc/<thread>/status; 0 if the thread has ended.
pid_t field(pid_t thread, const char* name) {
  std::ifstream status("/proc/" + std::to_string(thread) + "/status");
  for (std::string word; status >> word;) {
    pid_t found = 0;
    if (word == name && status >> found) return found;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

// `target`: a process, or a group of processes where it is 0 or negative. The command's session is its own,
// so its groups hold nobody else; -1 would be every process of the user.
bool may_reach(pid_t target) {
  if (target == 0) return true;
  if (target == -1 || target == std::numeric_limits<pid_t>::min()) return false;
  return is_descendant(target < 0 ? -target : target);
}

// The process is the first argument of each call that is judged.
bool is_allowed(const seccomp_notif& request) {
  const pid_t target = static_cast<pid_t>(request.data.args[0]);
  const bool is_memory = request.data.nr == SYS_process_vm_readv || request.data.nr == SYS_process_vm_writev;
  return is_memory ? field(static_cast<pid_t>(request.pid), kProcess) == target : may_reach(target);
}

}  // namespace

bool is_descendant(pid_t process) {
  const pid_t self = getpid();
  for (int generation = 0; process > 1 && process != self && generation < kDeepest; ++generation) {
    process = field(process, kParent);
    if (process == self) return true;
  }
  return false;
}

void judge_call(int listener) {
  seccomp_notif request = {};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return;  // the caller was interrupted
  seccomp_notif_resp answer = {};
  answer.id = request.id;
  if (is_allowed(request))
    answer.flags =
        SECCOMP_USER_NOTIF_FLAG_CONTINUE;  // the process is a number, which no thread can change now
  else
    answer.error = -EPERM;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);  // fails where the caller has ended meanwhile
}

}  // namespace warpgrade::confine
