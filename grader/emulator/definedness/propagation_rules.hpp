// Propagation rules: the undefined bytes of a result for given undefined bytes of the operands.
#pragma once

#include <cstdint>
#include <span>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// The undefined bytes of one lane's value.
struct Undefined {
  std::uint16_t bytes = 0;  // a bit each; a predicate has one
  std::uint32_t read =
      0;  // the uninitialised read that it comes from: checks/uninitialised/pending_reads.hpp
};

// One lane's operands before the instruction.
class LaneOperands {
 public:
  virtual ~LaneOperands() = default;
  virtual Undefined undefined(std::int32_t reg) const = 0;
  virtual std::uint64_t value(std::int32_t reg) const = 0;  // the low 64 bits
};

// Results of a lane-wise instruction, in the order of registers_used().written. Copies, selections, masks,
// bitwise operations and shifts are precise to the byte; any other operation with an undefined operand makes
// all bytes of the result undefined. `read`: registers_used().read.
void propagate_undefined(const ptx::Instruction& instruction, std::span<const std::int32_t> read,
                         const LaneOperands& lane, std::span<Undefined> results);

// Whether no rule is precise to the byte: one undefined operand makes all bytes of the results undefined.
bool mixes_all_bytes(const ptx::Instruction& instruction);

// An atomic and, or, xor: it may leave some bytes of the word as they are.
bool merges_bits(const ptx::Instruction& instruction);
// The undefined bytes of that word which the operation keeps, and those which it combines with its operand.
// Bytes that the operand sets or clears become defined.
struct MergedBytes {
  std::uint16_t kept = 0, used = 0;
};
MergedBytes merged(const ptx::Instruction& instruction, std::uint64_t missing, std::uint64_t operand);

// Undefined bytes of a register after a load of `bytes` bytes, of which `missing` are undefined: sign
// extension copies the definedness of the sign bit.
std::uint16_t extended(std::uint64_t missing, unsigned bytes, bool is_signed);

}  // namespace warpgrade::emulator
