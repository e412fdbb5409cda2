// A finding as text, in the style of a compiler's message.
#pragma once

#include <string>

#include "machine/finding.hpp"

namespace warpgrade::emulator {

// Several lines, each ended by a newline. `colour`: with terminal colours; the caller
// decides (NO_COLOR, terminal or not). Precondition: the finding has been resolved.
std::string to_text(const Finding& finding, const std::string& kernel, bool colour);

}  // namespace warpgrade::emulator
