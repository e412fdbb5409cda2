// Which bytes of a result are undefined where some of an operand's are.
#pragma once

#include <cstdint>
#include <span>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

// Of one lane's value.
struct Undefined {
  std::uint16_t bytes = 0;  // a bit each; a predicate has one
  std::uint32_t read =
      0;  // the read of unwritten memory that brought it: checks/uninitialised/pending_reads.hpp
};

// One lane's operands before the instruction.
class LaneOperands {
 public:
  virtual ~LaneOperands() = default;
  virtual Undefined undefined(std::int32_t reg) const = 0;
  virtual std::uint64_t value(std::int32_t reg) const = 0;  // the low 64 bits
};

// Results of an instruction that computes lane by lane, in the order of registers_used().written. Copies,
// selections, masks, conjunctions and whole-byte shifts keep what is undefined apart; all else spreads it.
void propagate_undefined(const ptx::Instruction& instruction, const LaneOperands& lane,
                         std::span<Undefined> results);

// Is it an atomic operation on the bits of a word, which may leave some of its bytes alone?
bool merges_bits(const ptx::Instruction& instruction);
// Of the bytes of that word that nothing wrote, those that such an operation leaves as they are, and those
// that it makes something of. Bytes that its operand sets or clears are neither.
struct MergedBytes {
  std::uint16_t kept = 0, used = 0;
};
MergedBytes merged(const ptx::Instruction& instruction, std::uint64_t missing, std::uint64_t operand);

// Of what a load of `bytes` bytes brings, `missing` of them unwritten, into a register.
std::uint16_t extended(std::uint64_t missing, unsigned bytes, bool is_signed);

}  // namespace warpgrade::emulator
