// Which registers an instruction reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct RegistersUsed {
  std::vector<std::int32_t> read;     // the guard among them
  std::vector<std::int32_t> written;  // under the guard where there is one
};

RegistersUsed registers_used(const ptx::Instruction& instruction);

// True where operand 0 (and what stands behind a bar in it) is written.
bool writes_first_operand(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
