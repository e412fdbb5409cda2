// alloca, stacksave, stackrestore (PTX ISA 9.7.15). Each thread has a stack for alloca at the end of its
// local memory. When a function returns, the decoder's stackrestore frees what the function has allocated.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

// Size of a thread's stack for alloca, in kernels that use alloca.
constexpr std::uint32_t kAllocaBytes = 16 * 1024;

// Operands: [0] address in local memory, [1] bytes; both 64-bit. immediate: alignment.
const DecodedInstruction* allocate_on_stack(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* save_stack(Warp& warp, const DecodedInstruction* at);     // [0]
const DecodedInstruction* restore_stack(Warp& warp, const DecodedInstruction* at);  // [0]

}  // namespace warpgrade::emulator
