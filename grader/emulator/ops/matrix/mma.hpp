// mma, wmma, ldmatrix, stmatrix, movmatrix: all lanes of a warp execute them together on fragments of
// matrices.
#pragma once

#include "machine/decode_context.hpp"

namespace warpgrade::emulator {

// Returns true if `from` is one of them; `to` is then complete except for its guard.
bool decode_matrix(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to);

}  // namespace warpgrade::emulator
