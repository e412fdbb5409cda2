// Scalar video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset (manual 9.7.17).
#pragma once

#include "machine/decode_context.hpp"

namespace warpgrade::emulator {

// True if `from` is one of them; then `to` is complete but for its guard.
bool decode_video(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to);

}  // namespace warpgrade::emulator
