// The registers that an instruction reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct RegistersUsed {
  std::vector<std::int32_t> read;     // includes the guard
  std::vector<std::int32_t> written;  // under the guard if there is one
};

RegistersUsed registers_used(const ptx::Instruction& instruction);

// True if operand 0 is written, with its second register (`%r1|%p1`).
bool writes_first_operand(const ptx::Instruction& instruction);

// The first operand that is an address; null if there is none.
const ptx::Operand* address_operand(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
