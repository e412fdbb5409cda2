// A finding as people read it, in the manner of a compiler's message.
#pragma once

#include <string>

#include "machine/finding.hpp"

namespace warpgrade::emulator {

// Several lines, each ended by a newline. `colour`: with terminal colours; whether they are wanted
// (NO_COLOR, is it a terminal) is the caller's to find out. The finding must have been resolved.
std::string to_text(const Finding& finding, const std::string& kernel, bool colour);

}  // namespace warpgrade::emulator
