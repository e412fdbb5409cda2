// How an instruction of the machine is encoded, since sm_70.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::fatbin {

constexpr std::size_t kInstruction = 16;  // bytes
// Of the low word: the operation. The 3 bits above say where the operands come from.
constexpr std::uint64_t kOpcode = 0x1ff;
// The predicate that guards it, in bits 12 to 14. The last one always holds.
constexpr unsigned kGuardAt = 12;
constexpr std::uint64_t kGuard = 7, kAlways = 7;

}  // namespace warpgrade::fatbin
