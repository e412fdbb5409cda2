#pragma once

#include <sys/types.h>

#include <optional>

namespace warpgrade::confine {

// Become the reaper of all descendants, and take signals from watch() instead of handlers. Before the fork.
// `parent`: this process ends with that one. Failure if that one has ended already.
void prepare_to_supervise(std::optional<pid_t> parent);

// Give back what prepare_to_supervise() took, in the child.
void stop_supervising();

// Wait for the command while judging its calls at `listener`. When it has ended, or this process gets a
// signal to end or loses its parent, every descendant is killed. Returns the exit code, or 128 + the signal.
int watch(pid_t command, int listener);

}  // namespace warpgrade::confine
