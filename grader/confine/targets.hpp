#pragma once

#include <sys/types.h>

namespace warpgrade::confine {

// Whether the process or thread is a descendant of this process.
bool is_descendant(pid_t process);

// Answer one system call that waits at `listener`, by the process that it names. A signal may go to
// descendants of this process only, which alone may be moved to other processors; memory is read and written
// by this way in the caller's own process only.
void judge_call(int listener);

}  // namespace warpgrade::confine
