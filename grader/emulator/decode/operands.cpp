// Assigns slots of the frame to operands.
#include <cstring>

#include "decode/function.hpp"
#include "ops/control.hpp"
#include "ptx/tree/parse_error.hpp"

namespace warpgrade::emulator {

using OperandKind = ptx::Operand::Kind;

// Appends a slot to the frame. Sixteen predicates share one cache line.
std::uint32_t FunctionDecoder::append_slot(ptx::Type type) {
  FrameLayout& frame = into_.frame;
  const std::uint32_t bytes = slot_bytes(type);
  if (bytes < 64) {
    if (free_masks_ == masks_end_) {
      free_masks_ = frame.bytes;
      masks_end_ = frame.bytes += 64;
      frame.image.resize(frame.bytes - frame.image_begin);
    }
    free_masks_ += bytes;
    return free_masks_ - bytes;
  }
  const std::uint32_t slot = frame.bytes;
  frame.bytes += bytes;
  frame.image.resize(frame.bytes - frame.image_begin);
  return slot;
}

std::uint32_t FunctionDecoder::constant(std::uint64_t bits, ptx::Type type) {
  const ptx::Type width = slot_type(type);
  if (width == ptx::Type::pred)
    bits = bits != 0;
  else if (ptx::size_in_bytes(width) < 8)
    bits &= (1ull << 8 * ptx::size_in_bytes(width)) - 1;
  auto [known, fresh] = constant_slots_.try_emplace({bits, width}, 0);
  if (!fresh) return known->second;
  const std::uint32_t slot = known->second = append_slot(width);
  std::byte* to = into_.frame.image.data() + (slot - into_.frame.image_begin);
  if (width == ptx::Type::pred) {
    const std::uint32_t mask = bits ? kFullMask : 0;
    std::memcpy(to, &mask, sizeof mask);
    return slot;
  }
  const std::size_t size = slot_bytes(width) / kWarpSize;
  for (int lane = 0; lane < kWarpSize; ++lane)
    std::memcpy(to + static_cast<std::size_t>(lane) * size, &bits, std::min<std::size_t>(size, 8));
  return slot;
}

// Scratch slots live for one instruction only, so all instructions share them.
std::uint32_t FunctionDecoder::scratch(ptx::Type type) {
  const ptx::Type width = slot_type(type);
  std::vector<std::uint32_t>& slots = scratch_slots_[width];
  const std::size_t taken = scratch_taken_[width]++;
  if (taken == slots.size()) slots.push_back(append_slot(width));
  return slots[taken];
}

ptx::Type FunctionDecoder::declared(const ptx::Operand& operand, ptx::Type otherwise) const {
  if (operand.kind != OperandKind::reg || operand.reg < 0) return otherwise;
  return function_.registers[static_cast<std::size_t>(operand.reg)].type;
}

std::uint32_t FunctionDecoder::register_slot(std::int32_t r) {
  const auto index = static_cast<std::size_t>(r);
  if (r == stack_register_) return into_.frame.stack_pointer;
  const ConstantRegister& known = constants_.registers[index];
  if (known.kind == ConstantRegister::Kind::none) {
    if (slots_.slot[index] == kNoOperand) slots_.slot[index] = scratch(function_.registers[index].type);
    return slots_.slot[index];
  }
  std::uint32_t& slot_of = register_constants_[index];
  if (slot_of == kNoOperand) {
    const ptx::Type type = function_.registers[index].type;
    slot_of = known.kind == ConstantRegister::Kind::parameter
                  ? parameter_slot(*known.source, known.loaded, type)
                  : slot(*known.source, known.loaded);
  }
  return slot_of;
}

std::uint32_t FunctionDecoder::parameter_slot(const ptx::Operand& source, ptx::Type loaded, ptx::Type type) {
  const Symbol parameter = symbol(source.symbol, source.place);
  const auto offset =
      static_cast<std::uint32_t>(parameter.address + static_cast<std::uint64_t>(source.offset));
  auto [known, fresh] = parameter_slots_.try_emplace({offset, loaded, slot_type(type)}, 0);
  if (fresh) {
    known->second = append_slot(type);
    into_.frame.parameters.push_back({known->second, offset, loaded, slot_type(type), false});
  }
  return known->second;
}

std::uint32_t FunctionDecoder::parameter_address(std::uint32_t offset) {
  auto [known, fresh] = address_slots_.try_emplace(offset, 0);
  if (fresh) {
    known->second = append_slot(ptx::Type::b64);
    into_.frame.parameters.push_back({known->second, offset, ptx::Type::b64, ptx::Type::b64, true});
    decoding_.code.parameters_in_memory = true;
  }
  return known->second;
}

// A separate instruction in front of this one reads the clock.
std::uint32_t FunctionDecoder::special_slot(const ptx::Operand& operand, ptx::Type type) {
  const Special special = find_special(operand.symbol);
  if (special == Special::unknown) {
    unsupported(function_.instructions[current_], "there is no special register " + operand.symbol + " here");
  }
  if (changes_while_running(special)) {
    const std::uint32_t to = scratch(type);
    DecodedInstruction& read =
        emit(slot_type(type) == ptx::Type::b64 ? control::read_clock64 : control::read_clock);
    read.operand[0] = to;
    read.immediate = special == Special::clock_hi || special == Special::globaltimer_hi ? 32 : 0;
    return to;
  }
  auto [known, fresh] = special_slots_.try_emplace({special, slot_type(type)}, 0);
  if (fresh) {
    known->second = append_slot(type);
    FrameLayout& frame = into_.frame;
    (changes_with_block(special) ? frame.block_specials : frame.specials)
        .push_back({known->second, special, slot_type(type)});
  }
  return known->second;
}

std::uint32_t FunctionDecoder::symbol_slot(const ptx::Operand& operand, ptx::Type type) {
  const Symbol found = symbol(operand.symbol, operand.place);
  const std::uint64_t address = found.address + static_cast<std::uint64_t>(operand.offset);
  if (found.kernel_parameter) return parameter_address(static_cast<std::uint32_t>(address));
  if (found.space != ptx::Space::local || into_.frame.stack_pointer == kNoOperand)
    return constant(address, type);
  const std::uint32_t to = scratch(ptx::Type::b64);
  DecodedInstruction& add = emit(control::stack_address);
  add.operand[0] = to;
  add.operand[1] = into_.frame.stack_pointer;
  add.immediate = address;
  return to;
}

static std::uint64_t converted(const ptx::Operand& real, ptx::Type type) {
  const bool narrow = ptx::size_in_bytes(type) == 4;
  if (real.width == 64 && narrow) {
    double wide = 0;
    std::memcpy(&wide, &real.bits, sizeof wide);
    const auto value = static_cast<float>(wide);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  if (real.width == 32 && ptx::size_in_bytes(type) == 8) {
    const auto low = static_cast<std::uint32_t>(real.bits);
    float value = 0;
    std::memcpy(&value, &low, sizeof value);
    const double wide = value;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &wide, sizeof bits);
    return bits;
  }
  return real.bits;
}

std::uint32_t FunctionDecoder::slot(const ptx::Operand& operand, ptx::Type type) {
  switch (operand.kind) {
    case OperandKind::reg:
      return register_slot(operand.reg);
    case OperandKind::special:
      return special_slot(operand, type);
    case OperandKind::integer:
      return constant(operand.bits, type);
    case OperandKind::real:
      return constant(converted(operand, type), type);
    case OperandKind::symbol:
    case OperandKind::label:
      return symbol_slot(operand, type);
    case OperandKind::address:
      if (operand.has_reg) return register_slot(operand.reg);
      return operand.symbol.empty() ? constant(static_cast<std::uint64_t>(operand.offset), type)
                                    : symbol_slot(operand, type);
    default:
      return kNoOperand;
  }
}

DecodeContext::Symbol FunctionDecoder::symbol(const std::string& name, ptx::TextPosition place) {
  if (auto local = local_.variables.find(name); local != local_.variables.end()) {
    return {ptx::Space::local, local->second.offset, false, local->second.bytes};
  }
  if (function_.is_entry) {
    for (const Parameter& parameter : decoding_.kernel.parameters) {
      if (parameter.name == name) {
        return {ptx::Space::param, parameter.offset, true, decoding_.kernel.parameter_bytes};
      }
    }
  }
  for (const SharedVariable& shared : decoding_.kernel.shared) {
    if (shared.name == name) return {ptx::Space::shared, shared.offset, false, shared.bytes};
  }
  if (auto variable = decoding_.program.variables.find(name); variable != decoding_.program.variables.end()) {
    const bool constant_space = variable->second->kind == Allocation::Kind::module_constant;
    return {constant_space ? ptx::Space::constant : ptx::Space::global, variable->second->base, false,
            variable->second->bytes};
  }
  if (auto function = decoding_.program.functions.find(name); function != decoding_.program.functions.end()) {
    return {ptx::Space::none, function_address(function->second), false, 0};
  }
  throw ptx::ParseError(place,
                        name +
                            " is declared but defined nowhere in this program; link the file that defines "
                            "it: nvcc -rdc=true both.cu files.cu");
}

void FunctionDecoder::unsupported(const ptx::Instruction& at, const std::string& why) {
  throw ptx::ParseError(at.place, at.form() + ": " + why);
}

}  // namespace warpgrade::emulator
