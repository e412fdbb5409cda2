#pragma once

#include <sys/types.h>

namespace warpgrade::confine {

// Whether the process or thread is a descendant of this process.
bool is_descendant(pid_t process);

// Answer one system call that waits at `listener`: a signal may go to descendants of this process only.
void judge_signal(int listener);

}  // namespace warpgrade::confine
