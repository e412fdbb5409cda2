// Integer divisions by zero, which no GPU reports.
#pragma once

#include "machine/decode_context.hpp"

namespace warpgrade::emulator {

// Whether `from` divides integers by what is no constant, or by 0. `to` is then complete except for its
// guard: it comes before the division and reports lanes whose divisor is 0.
bool decode_divisor_check(const ptx::Instruction& from, DecodeContext& context, DecodedInstruction& to);
bool is_divisor_check(Handler handler);

}  // namespace warpgrade::emulator
