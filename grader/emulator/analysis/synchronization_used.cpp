#include "analysis/synchronization_used.hpp"

#include <algorithm>
#include <string_view>

#include "machine/warp.hpp"

namespace warpgrade::emulator {
namespace {

bool says(const ptx::Instruction& instruction, std::string_view word) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), word) !=
         instruction.modifiers.end();
}

// A barrier over less than a block or warp: a mask that is not known to be full, or a count of threads.
bool is_partial_barrier(const ptx::Instruction& i) {
  if (i.opcode == "mbarrier") return true;
  if (i.opcode != "bar" && i.opcode != "barrier") return false;
  if (says(i, "warp")) {
    const bool constant = !i.operands.empty() && i.operands[0].kind == ptx::Operand::Kind::integer;
    return !constant || static_cast<std::uint32_t>(i.operands[0].bits) != kFullMask;
  }
  if (says(i, "arrive")) return true;
  const std::size_t without_count = says(i, "red") ? 3 : 1;  // d, a, p · a
  return i.operands.size() > without_count;
}

bool is_fence(const ptx::Instruction& i) {
  return i.opcode == "membar" || i.opcode == "fence" || says(i, "release") || says(i, "acquire") ||
         says(i, "acq_rel");
}

// A word that may be more than what it holds: a flag, a lock.
bool may_be_flag(const ptx::Instruction& i) {
  if (says(i, "shared") || says(i, "local")) return false;
  if (i.opcode == "atom") return says(i, "cas") || says(i, "exch");
  return (i.opcode == "ld" || i.opcode == "st") &&
         (says(i, "volatile") || says(i, "relaxed") || says(i, "mmio"));
}

int bytes_of(const ptx::Instruction& i) {
  int bytes = 0, vector = 1;
  for (const std::string& word : i.modifiers) {
    if (const ptx::Type type = ptx::type_from_name(word); type != ptx::Type::none)
      bytes = ptx::size_in_bytes(type);
    if (word == "v2" || word == "v4" || word == "v8") vector = word[1] - '0';
  }
  return bytes * vector;
}

// Less than a word, or atomic, of memory that may be shared.
bool may_split(const ptx::Instruction& i) {
  const bool atomic = i.opcode == "atom" || i.opcode == "red" || says(i, "relaxed") || says(i, "mmio");
  if (i.opcode != "ld" && i.opcode != "st" && !atomic) return false;
  const bool elsewhere = says(i, "global") || says(i, "local") || says(i, "const") || says(i, "param");
  return !elsewhere && (atomic || bytes_of(i) < 4);
}

}  // namespace

void RaceNeeds::add(const ptx::Function& function) {
  for (const ptx::Instruction& instruction : function.instructions) {
    handover |= is_fence(instruction) || instruction.opcode == "mbarrier" || may_be_flag(instruction);
    history |= is_partial_barrier(instruction) || is_fence(instruction);
    split |= may_split(instruction);
  }
}

}  // namespace warpgrade::emulator
