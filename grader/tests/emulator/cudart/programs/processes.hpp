// For cases that end their process: each is a child, forked before anything of CUDA was called.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include "check.hpp"

// Prints how it ended. A child that hangs is ended by SIGALRM.
template <class Case>
void process(const char* what, Case act) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    act();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::printf("%s: signal %d\n", what, WTERMSIG(status));
  else
    std::printf("%s: exit %d\n", what, WEXITSTATUS(status));
}
