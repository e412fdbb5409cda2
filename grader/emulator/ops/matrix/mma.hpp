// mma, wmma, ldmatrix, stmatrix, movmatrix: all lanes of a warp do them together, on fragments of matrices.
#pragma once

#include "machine/decode_context.hpp"

namespace warpgrade::emulator {

// True if `from` is one of them; then `to` is complete but for its guard.
bool decode_matrix(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to);

}  // namespace warpgrade::emulator
