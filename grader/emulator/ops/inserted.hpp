// Instructions that the decoder inserts, without a counterpart in PTX.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

// `handler`: what the instruction executes; a trace may have put its own in its place.
bool is_inserted(const DecodedInstruction& at, Handler handler);

}  // namespace warpgrade::emulator
