// Whether a program uses the result of a call, by the machine code after the call.
#pragma once

#include <vector>

namespace warpgrade::host_code {

// Whether the integer that a call returned is dropped on every path after it: overwritten, or left in its
// register when the next call is made. `calls`: the return addresses on the stack, the call's own first, then
// those of its callers, because a function may return the value to its caller.
//
// A value that is stored counts as used. So does every value if an instruction is unknown, if the paths are
// too long, or if the processor is not x86-64.
bool drops_result(const std::vector<const void*>& calls);

}  // namespace warpgrade::host_code
