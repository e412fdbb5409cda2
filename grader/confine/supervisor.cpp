#include "supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <vector>

#include "error.hpp"
#include "targets.hpp"

namespace warpgrade::confine {
namespace {

constexpr int kPause = 1000;  // microseconds between two rounds of killing

sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

void kill_below(pid_t process) {
  std::vector<pid_t> children;
  const std::string number = std::to_string(process);
  std::ifstream list("/proc/" + number + "/task/" + number + "/children");
  for (pid_t child = 0; list >> child;) children.push_back(child);
  for (const pid_t child : children) {
    kill_below(child);
    kill(child, SIGKILL);
  }
}

// Until none is left: children of killed processes become ours.
void kill_descendants() {
  for (;;) {
    kill_below(getpid());
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    usleep(kPause);
  }
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

void prepare_to_supervise(std::optional<pid_t> parent) {
  const sigset_t set = awaited();
  if (sigprocmask(SIG_BLOCK, &set, nullptr) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
      prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0)
    fail_with_errno("prctl");
  if (parent && getppid() != *parent) throw Failure("the grader has ended");
}

void stop_supervising() {
  const sigset_t set = awaited();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

int watch(pid_t command, int listener) {
  const sigset_t set = awaited();
  pollfd sources[] = {{signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0}, {listener, POLLIN, 0}};
  int status = 128 + SIGTERM;
  for (bool ended = false; !ended;) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR) fail_with_errno("poll");
    if ((sources[1].revents & POLLIN) != 0) judge_call(listener);
    if ((sources[1].revents & ~POLLIN) != 0) sources[1].fd = -1;  // nobody is left who could call
    signalfd_siginfo arrived;
    while (read(sources[0].fd, &arrived, sizeof arrived) == sizeof arrived)
      ended = ended || arrived.ssi_signo != SIGCHLD;
    int how = 0;
    for (pid_t child; (child = waitpid(-1, &how, WNOHANG)) > 0;)
      if (child == command) {
        status = code_of(how);
        ended = true;
      }
  }
  close(listener);
  kill_descendants();
  return status;
}

}  // namespace warpgrade::confine
