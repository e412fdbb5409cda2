// The place in the host program from which an API function was called.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::emulator {

// "main+0x2f in program", or "program+0x1234" where the program has been stripped of its names: an offset
// that addr2line -e program turns into a line.
std::string call_site(const void* return_address);

// The next calls of this thread come from another process, at this address of its program: call_in_program()
// gives it, and call_site() calls it "program+0x1234". Null: from this process.
void set_remote_call(const void* address);

// Whether a call of another process was ever announced: call sites are then addresses in its program.
bool calls_are_remote();

// The command that shows the source line of an instruction, for a program that was built with -g:
// "addr2line -e ./program 0x1234". Empty if it is in no file.
std::string line_command(const void* instruction);

// The innermost call on this thread's stack, from `innermost` outwards, that the program's own code made:
// neither the C library nor the toolkit's templates (cudaMalloc<float>, thrust::sort). `innermost` itself if
// there is no such call.
const void* call_in_program(const void* innermost);

// The same for the call that runs now: what AnnouncedCall says, else the innermost call of the program's own
// code. Takes a few microseconds. Null if there is none.
const void* current_call();

// The return addresses on this thread's stack from current_call() outwards. For an announced call or one of
// another process, that address alone.
std::vector<const void*> current_calls();

// While one exists, current_call() of this thread gives its address, if that lies in the program's own code:
// a launch's <<<>>>, which is not on the stack.
class AnnouncedCall {
 public:
  explicit AnnouncedCall(const void* address);
  ~AnnouncedCall();
  AnnouncedCall(const AnnouncedCall&) = delete;
};

// Whether such an announced call runs in this thread.
bool is_announced();

}  // namespace warpgrade::emulator
