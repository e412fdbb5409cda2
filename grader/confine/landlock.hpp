#pragma once

#include <sys/types.h>

#include <string>

#include "options.hpp"

namespace warpgrade::confine {

// The version of Landlock's interface that the kernel has, from 1; 0: it has none, or it is turned off.
int landlock_version();

// Where the threads of a process have their files.
std::string folder_of_threads(pid_t process);

// A set of rules for landlock_restrict_self(2), as a descriptor: the files of `options`, and no TCP port.
// For this process: where it may write files of its threads, another process may not.
// Failure if a path cannot be opened.
int landlock_rules(const Options& options);

// From now on this thread and what it starts obey `rules`. Needs no_new_privs.
void obey_landlock(int rules);

}  // namespace warpgrade::confine
