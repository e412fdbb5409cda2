// Whether a program looks at the result of a call, by its machine code behind the call.
#pragma once

#include <vector>

namespace warpgrade::host_code {

// Whether the integer that a call returned is thrown away on every path behind it: overwritten, or left in
// its register when the next call is made. `calls`: the return addresses on the stack, the call's own first,
// then those of the functions around it, to which the value is handed on where a function returns with it.
//
// A value that is stored counts as looked at, and so does every value where an instruction is not known, the
// paths are too long, or the processor is none with x86-64's instructions.
bool drops_result(const std::vector<const void*>& calls);

}  // namespace warpgrade::host_code
