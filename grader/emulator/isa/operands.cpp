#include "isa/operands.hpp"

#include <string>

namespace warpgrade::isa {

using ptx::Opcode;

int lane_bytes(ptx::Type type) {
  switch (type) {
    case ptx::Type::none:
    case ptx::Type::pred:
      return 0;
    default: {
      const int bytes = ptx::size_in_bytes(type);
      return bytes == 1 ? 2 : bytes;
    }
  }
}

std::vector<const ptx::Operand*> flatten(const ptx::Instruction& instruction) {
  const bool two_results = instruction.opcode == Opcode::setp;
  std::vector<const ptx::Operand*> flat;
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == ptx::Operand::Kind::vector) {
      for (const ptx::Operand& element : operand.elements) flat.push_back(&element);
    } else {
      flat.push_back(&operand);
    }
    if (flat.size() == 1 && (two_results || operand.second >= 0)) flat.push_back(nullptr);
  }
  return flat;
}

namespace {

std::uint32_t slot_of(const ptx::Operand* operand, std::size_t position, const ptx::Operand& first,
                      ptx::Type type, emulator::DecodeContext& context) {
  if (operand == nullptr) {
    if (first.second < 0) return emulator::kNoOperand;
    ptx::Operand second = first;
    second.reg = first.second;
    second.second = -1;
    return context.slot(second, type);
  }
  if (operand->kind == ptx::Operand::Kind::sink && position < 4) return context.scratch(type);
  if (operand->kind == ptx::Operand::Kind::reg && operand->second >= 0) {
    ptx::Operand only = *operand;
    only.second = -1;
    return context.slot(only, type);
  }
  if (operand->negated) {
    ptx::Operand plain = *operand;
    plain.negated = false;
    return context.slot(plain, type);
  }
  return context.slot(*operand, type);
}

}  // namespace

void decode_operands(const ptx::Instruction& from, const Operation& operation,
                     emulator::DecodeContext& context, emulator::DecodedInstruction& to) {
  const auto operands = flatten(from);
  std::size_t expected = 0;
  while (expected < operation.operands.size() && operation.operands[expected] != ptx::Type::none) ++expected;
  if (operands.size() != expected) {
    context.unsupported(from, "it has " + std::to_string(operands.size()) + " operands, the form takes " +
                                  std::to_string(expected));
  }
  to.handler = operation.handler;
  to.immediate = 0;
  for (std::size_t i = 0; i < expected; ++i) {
    const ptx::Operand* operand = operands[i];
    if (operand != nullptr && operand->negated) {
      if (operation.operands[i] != ptx::Type::pred)
        context.unsupported(from, "only a predicate can be negated");
      to.immediate = 0xffffffffu;
    }
    to.operand[i] = slot_of(operand, i, from.operands[0], operation.operands[i], context);
  }
}

}  // namespace warpgrade::isa
