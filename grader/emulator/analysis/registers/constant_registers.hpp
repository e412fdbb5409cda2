// Registers that always hold one value that is known before the kernel runs. The instruction that sets such a
// register is removed, and its slot is filled in at launch.
#pragma once

#include <vector>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct ConstantRegister {
  enum class Kind : std::uint8_t {
    none,
    operand,    // an immediate, a symbol's address or a special register: `source`
    parameter,  // `loaded` at `source`, an address operand that names a kernel parameter
  };
  Kind kind = Kind::none;
  const ptx::Operand* source = nullptr;
  ptx::Type loaded = ptx::Type::none;
};

struct ConstantRegisters {
  std::vector<ConstantRegister> registers;  // indexed by register
  std::vector<bool> removed;                // indexed by instruction: only sets such a register
};

// A register qualifies where its only write is an unguarded mov, ld.param or cvta of such a value.
ConstantRegisters find_constant_registers(const ptx::Function& function);

}  // namespace warpgrade::emulator
