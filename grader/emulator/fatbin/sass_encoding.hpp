// How an instruction of the machine is encoded, since sm_70.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::fatbin {

constexpr std::size_t kInstruction = 16;  // bytes
// Of the low word: the operation. The 3 bits above say where the operands come from.
constexpr std::uint64_t kOpcode = 0x1ff;
// The predicate that guards it, and in the highest bit whether that is negated. The last one always holds;
// no lane executes what it guards negated (@!PT), as ptxas emits three loads before asynchronous copies.
constexpr std::uint64_t kGuard = 0xf000, kAlways = 0x7000, kNever = 0xf000;

}  // namespace warpgrade::fatbin
