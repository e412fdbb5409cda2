// Scalar video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset (manual 9.7.17).
#pragma once

#include "machine/decode_context.hpp"

namespace warpgrade::emulator {

// Returns true if `from` is one of them; `to` is then complete except for its guard.
bool decode_video(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to);

}  // namespace warpgrade::emulator
