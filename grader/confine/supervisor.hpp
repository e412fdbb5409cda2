#pragma once

#include <sys/types.h>

namespace warpgrade::confine {

// Become the reaper of all descendants, and take signals from watch() instead of handlers. Before the fork.
void prepare_to_supervise();

// Give back what prepare_to_supervise() took, in the child.
void stop_supervising();

// Wait for the command while judging its calls at `listener`. When it has ended, or this process is told to
// end or loses its parent, every descendant is killed. Returns the exit code, or 128 + the signal.
int watch(pid_t command, int listener);

}  // namespace warpgrade::confine
