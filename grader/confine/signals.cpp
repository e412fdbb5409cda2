#include "signals.hpp"

#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <limits>
#include <string>

namespace warpgrade::confine {
namespace {

constexpr int kDeepest = 4096;  // generations of processes
constexpr char kParent[] = "PPid:";

pid_t parent(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    pid_t found = 0;
    if (word == kParent && status >> found) return found;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

// The first argument of each call that is judged: a process, or a group where it is 0 or negative. The
// command's session is its own, so its groups hold nobody else; -1 would be every process of the user.
bool is_allowed(pid_t target) {
  if (target == 0) return true;
  if (target == -1 || target == std::numeric_limits<pid_t>::min()) return false;
  return is_descendant(target < 0 ? -target : target);
}

}  // namespace

bool is_descendant(pid_t process) {
  const pid_t self = getpid();
  for (int generation = 0; process > 1 && process != self && generation < kDeepest; ++generation) {
    process = parent(process);
    if (process == self) return true;
  }
  return false;
}

void judge_signal(int listener) {
  seccomp_notif request = {};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return;  // the caller was interrupted
  seccomp_notif_resp answer = {};
  answer.id = request.id;
  if (is_allowed(static_cast<pid_t>(request.data.args[0])))
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;  // the arguments that count are no pointers
  else
    answer.error = -EPERM;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);  // fails where the caller has ended meanwhile
}

}  // namespace warpgrade::confine
