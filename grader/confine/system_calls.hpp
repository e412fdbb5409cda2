#pragma once

namespace warpgrade::confine {

// From now on this thread and what it starts may not make the system calls of system_calls.def. Those that
// name another process wait for an answer from the returned descriptor (targets.hpp). Needs no_new_privs.
int filter_system_calls();

}  // namespace warpgrade::confine
