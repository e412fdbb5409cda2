// alloca, stacksave, stackrestore (manual 9.7.15): a part of each thread's local memory that grows while it
// runs. What a function takes is given back when it returns.
#pragma once

#include "machine/warp.hpp"

namespace warpgrade::emulator {

// Stack bytes for alloca of each thread of a kernel that uses it, after the thread's frames.
constexpr std::uint32_t kAllocaRoom = 16 * 1024;

// Operands: [0] address in local memory, [1] bytes; both 64-bit. immediate: alignment.
const DecodedInstruction* allocate_on_stack(Warp& warp, const DecodedInstruction* at);
const DecodedInstruction* save_stack(Warp& warp, const DecodedInstruction* at);     // [0]
const DecodedInstruction* restore_stack(Warp& warp, const DecodedInstruction* at);  // [0]

}  // namespace warpgrade::emulator
