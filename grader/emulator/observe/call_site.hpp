// Where in the host program a call of ours was made.
#pragma once

#include <string>

namespace warpgrade::observe {

// "main+0x2f in saxpy", or "saxpy+0x1234" where the program exports no names: an offset that addr2line -e
// saxpy turns into a line.
std::string call_site(const void* return_address);

}  // namespace warpgrade::observe
