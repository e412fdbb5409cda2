// Accesses by the program to device memory, and accesses to memory shared with the device that come too
// early.
#pragma once

namespace warpgrade::remoting {

// Installs a SIGSEGV handler.
void watch_host_accesses();
// False once the program has installed a handler of its own.
bool watches_host_accesses();

// The place in the program, as a return address, from which an instruction was reached: the innermost call of
// the program's own code.
const void* call_in_program(const void* return_address);

}  // namespace warpgrade::remoting
