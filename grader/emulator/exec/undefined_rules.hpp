// Which bytes of a result are undefined where some of an operand's are.
#pragma once

#include <cstdint>
#include <span>

#include "ptx/module.hpp"

namespace warpgrade::exec {

// Of one lane's value.
struct Undefined {
  std::uint16_t bytes = 0;  // a bit each; a predicate has one
  std::uint32_t read = 0;   // the read of unwritten memory that brought it: observe/unwritten_reads.hpp
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
void find_undefined(const ptx::Instruction& instruction, const LaneOperands& lane,
                    std::span<Undefined> results);

// Of what a load of `bytes` bytes brings, `missing` of them unwritten, into a register.
std::uint16_t extended(std::uint64_t missing, unsigned bytes, bool is_signed);

}  // namespace warpgrade::exec
