#include "analysis/synchronization/synchronization_used.hpp"

#include <algorithm>
#include <string_view>

#include "isa/attribute.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

// A barrier of part of a block or warp: its mask is not known to be full, or it has a thread count.
bool is_partial_barrier(const ptx::Instruction& i) {
  if (i.opcode == Opcode::mbarrier) return true;
  if (!isa::is(i, isa::Attribute::barrier)) return false;
  if (i.has(Modifier::warp)) {
    const bool constant = !i.operands.empty() && i.operands[0].kind == ptx::Operand::Kind::integer;
    return !constant || static_cast<std::uint32_t>(i.operands[0].bits) != kFullMask;
  }
  if (i.has(Modifier::arrive)) return true;
  const std::size_t without_count = i.has(Modifier::red) ? 3 : 1;  // d, a, p · a
  return i.operands.size() > without_count;
}

bool is_fence(const ptx::Instruction& i) {
  return isa::is(i, isa::Attribute::fence) ||
         i.has_any({Modifier::release, Modifier::acquire, Modifier::acq_rel});
}

// The accessed word may be a flag or a lock.
bool may_be_flag(const ptx::Instruction& i) {
  if (i.has(Modifier::shared) || i.has(Modifier::local)) return false;
  if (i.opcode == Opcode::atom) return i.has(Modifier::cas) || i.has(Modifier::exch);
  return isa::is_any(i, isa::Attribute::load | isa::Attribute::store) &&
         (i.has(Modifier::volatile_) || i.has(Modifier::relaxed) || i.has(Modifier::mmio));
}

int bytes_of(const ptx::Instruction& i) {
  int bytes = 0, vector = 1;
  for (const Modifier each : i.modifiers) {
    if (const ptx::Type type = ptx::type_of(each); type != ptx::Type::none) bytes = ptx::size_in_bytes(type);
    if (const int length = ptx::vector_length_of(each); length != 0) vector = length;
  }
  return bytes * vector;
}

// An atomic or sub-word access that may be to shared memory.
bool may_split(const ptx::Instruction& i) {
  const bool atomic = isa::is(i, isa::Attribute::atomic) || i.has(Modifier::relaxed) || i.has(Modifier::mmio);
  if (!atomic && !isa::is_any(i, isa::Attribute::load | isa::Attribute::store)) return false;
  const bool elsewhere =
      i.has(Modifier::global) || i.has(Modifier::local) || i.has(Modifier::const_) || i.has(Modifier::param);
  return !elsewhere && (atomic || bytes_of(i) < 4);
}

// A bulk copy whose source is shared memory: of the spaces the source's is the last.
bool reads_by_proxy(const ptx::Instruction& i) {
  if (!i.has(Modifier::bulk)) return false;
  ptx::Space source = ptx::Space::none;
  for (const Modifier each : i.modifiers)
    if (ptx::space_of(each) != ptx::Space::none) source = ptx::space_of(each);
  return source == ptx::Space::shared;
}

}  // namespace

void add_race_needs(const ptx::Function& function, RaceNeeds& needs) {
  for (const ptx::Instruction& instruction : function.instructions) {
    needs.handover |=
        is_fence(instruction) || instruction.opcode == Opcode::mbarrier || may_be_flag(instruction);
    needs.history |= is_partial_barrier(instruction) || is_fence(instruction);
    needs.split |= may_split(instruction);
    needs.proxies |= reads_by_proxy(instruction);
  }
}

}  // namespace warpgrade::emulator
