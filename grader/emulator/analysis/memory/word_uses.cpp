#include "analysis/memory/word_uses.hpp"

#include <algorithm>

#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;

bool is_in_global(const ptx::Instruction& i) {
  return i.space() == ptx::Space::global || i.space() == ptx::Space::generic;
}

bool tests(const ptx::Instruction& i) {
  using enum ptx::Opcode;
  return i.opcode == setp || i.opcode == set || i.opcode == slct || i.opcode == vote || i.opcode == match ||
         i.opcode == call || i.opcode == ret || i.has(Modifier::cas) || isa::is(i, isa::Attribute::branch);
}

bool computes_number(const ptx::Instruction& i) {
  using enum ptx::Opcode;
  if (ptx::is_float(i.type()) || i.opcode == mul || i.opcode == mad) return true;
  if (i.opcode != add && i.opcode != sub) return false;
  return std::none_of(i.operands.begin(), i.operands.end(),
                      [](const ptx::Operand& each) { return each.kind == ptx::Operand::Kind::integer; });
}

}  // namespace warpgrade::emulator
