// Registers that hold one value known before the kernel runs: they need no instruction and no slot of
// their own, only a slot that is filled in beforehand.
#pragma once

#include <vector>

#include "ptx/module.hpp"

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
  std::vector<ConstantRegister> registers;  // by register
  std::vector<bool> removed;                // by instruction: only sets such a register
};

// A register qualifies where its one write is an unguarded mov, ld.param or cvta of such a value.
ConstantRegisters find_constant_registers(const ptx::Function& function);

}  // namespace warpgrade::emulator
