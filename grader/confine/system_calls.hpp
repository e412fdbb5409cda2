#pragma once

namespace warpgrade::confine {

// From now on this thread and what it starts may not make the system calls of system_calls.def. Those that
// name another process wait for an answer from the returned descriptor (targets.hpp). `driver`: a GPU's
// driver runs in the command, which listens on a local socket. Needs no_new_privs.
int filter_system_calls(bool driver);

// Writes the same filter to standard output, as bubblewrap reads one, for a command in namespaces of its own:
// its sockets and signals reach nobody outside.
void print_filter();

}  // namespace warpgrade::confine
