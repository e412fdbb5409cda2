// Attributes of operations: what they read, write, order or split.
#pragma once

#include <cstdint>

#include "ptx/tree/module.hpp"

namespace warpgrade::isa {

enum class Attribute : std::uint16_t {
  none = 0,
  load = 1 << 0,             // each lane reads memory at its address into registers
  store = 1 << 1,            // each lane writes registers to memory at its address
  atomic = 1 << 2,           // each lane reads, changes and writes memory at its address
  matrix_load = 1 << 3,      // the warp reads a matrix from memory
  writes_global = 1 << 4,    // may write global memory, at its address operand only
  no_global_write = 1 << 5,  // has an address operand, and never writes global memory
  no_result = 1 << 6,        // operand 0 is read, not written
  repeatable = 1 << 7,       // idempotent: depends on registers and memory only, and writes no memory
  fence = 1 << 8,            // orders accesses of memory
  barrier = 1 << 9,          // waits for other lanes of the warp, warps of the block or blocks of the cluster
  collective = 1 << 10,      // its effect depends on the lanes that execute it together
  member_mask = 1 << 11,     // an operand names the lanes of the warp that take part
  exchange = 1 << 12,        // each lane's result may depend on the operands of all lanes
  branch = 1 << 13,          // may jump to a label
  ends_block = 1 << 14,      // control may go elsewhere than to the next instruction
};

class Attributes {
 public:
  constexpr Attributes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one attribute is a set of attributes
  constexpr Attributes(Attribute one) : bits_(static_cast<std::uint16_t>(one)) {}
  constexpr bool has(Attribute one) const { return (bits_ & static_cast<std::uint16_t>(one)) != 0; }
  constexpr bool intersects(Attributes other) const { return (bits_ & other.bits_) != 0; }
  constexpr Attributes operator|(Attributes other) const {
    Attributes both;
    both.bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return both;
  }

 private:
  std::uint16_t bits_ = 0;
};
constexpr Attributes operator|(Attribute one, Attribute other) { return Attributes(one) | other; }

// The attributes of the instruction's row in the operation table. If the opcode has several rows: of the row
// with the most modifiers, all of which the instruction has. Empty for an unknown opcode.
Attributes attributes_of(const ptx::Instruction& instruction);
inline bool is(const ptx::Instruction& instruction, Attribute one) {
  return attributes_of(instruction).has(one);
}
inline bool is_any(const ptx::Instruction& instruction, Attributes of) {
  return attributes_of(instruction).intersects(of);
}

// The lanes of a warp meet or exchange values, with no effect outside the warp.
inline bool is_within_warp(const ptx::Instruction& instruction) {
  const Attributes found = attributes_of(instruction);
  return found.has(Attribute::collective) &&
         (!found.has(Attribute::barrier) || found.has(Attribute::member_mask));
}

}  // namespace warpgrade::isa
