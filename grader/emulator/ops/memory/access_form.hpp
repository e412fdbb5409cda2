// The modifiers of memory instructions.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// The modifiers of ld, ldu, st, atom and red, in the manual's terms (9.7.9.8 and following).
struct MemoryForm {
  ptx::Type type = ptx::Type::none;
  ptx::Space space = ptx::Space::generic;
  int vector = 1;
  bool is_volatile = false;
  bool is_strong = false;   // relaxed, acquire, release, acq_rel, mmio
  bool releases = false;    // release, acq_rel
  bool of_block = false;    // cta: orders nothing outside the block
  bool is_data = false;     // ld.volatile, atom, red: nothing depends on the value (see LoadUse)
  bool takes_lock = false;  // atom.cas, atom.exch: see LoadUse
  bool cache_hint = false;  // one more operand: a cache policy, which changes no result
  ptx::Modifier operation = ptx::Modifier::unknown;  // atom and red: the operation, e.g. add
  std::string refused;  // a modifier that the emulator does not support; empty: none
};
MemoryForm memory_form(const ptx::Instruction& instruction);

// The part of a MemoryForm that handlers need, packed into DecodedInstruction::operand[kFormOperand].
struct AccessForm {
  enum Flag : std::uint8_t {
    wide_address = 1,  // the address register has 64 bits
    is_volatile = 2,
    is_strong = 4,
    releases = 16,
    of_block = 32,
    takes_lock = 64,
    is_data = 128,
    unwatched = 8,  // kernel parameters read through an address: not observed
  };
  std::uint8_t space = 0;   // ptx::Space
  std::uint8_t bytes = 0;   // bytes of one lane, all vector elements together; also the alignment
  std::uint8_t vector = 1;  // elements
  std::uint8_t flags = 0;

  bool has(Flag flag) const { return (flags & flag) != 0; }
  ptx::Space where() const { return static_cast<ptx::Space>(space); }
};
static_assert(sizeof(AccessForm) == 4);

// Data slots (destination first) are operand[0] to operand[3].
constexpr int kAddressOperand = 4;
constexpr int kFormOperand = 5;

}  // namespace warpgrade::emulator
