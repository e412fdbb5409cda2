// Decodes the operations on memory (manual 9.7.9). docs/memory-access-paths.md: which handler a load gets.
#include <algorithm>
#include <array>
#include <string_view>

#include "ops/memory/address_space.hpp"
#include "ops/memory/contiguous.hpp"
#include "ops/memory/decode_common.hpp"
#include "ops/memory/general.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

// True if a load of this type into a wider register extends the sign (PTX ISA 9.4.1). Zero otherwise.
bool is_sign_extended(ptx::Type type) { return ptx::is_signed(type) && type != ptx::Type::s64; }

std::uint32_t register_bytes(ptx::Type declared) { return slot_bytes(declared) / kWarpSize; }

// The data operands of a load or store: one, or the elements of a vector.
struct Data {
  std::array<ptx::Operand, 4> operand;
  int count = 0;
};
Data data_operands(const ptx::Instruction& from, const ptx::Operand& written, int vector,
                   DecodeContext& context) {
  Data out;
  if (vector > 4) context.unsupported(from, ".v8 needs compute capability 10.0; the emulated GPU is a 9.0");
  if (written.kind != ptx::Operand::Kind::vector) {
    if (vector != 1)
      context.unsupported(from, "expected a vector of " + std::to_string(vector) + " registers");
    out.operand[0] = written;
    out.count = 1;
    return out;
  }
  if (static_cast<int>(written.elements.size()) != vector)
    context.unsupported(from, "expected a vector of " + std::to_string(vector) + " registers");
  for (const ptx::Operand& element : written.elements)
    out.operand[static_cast<std::size_t>(out.count++)] = element;
  return out;
}

bool has_sink(const Data& data) {
  return std::any_of(data.operand.begin(), data.operand.begin() + data.count,
                     [](const ptx::Operand& operand) { return operand.kind == ptx::Operand::Kind::sink; });
}

// Puts the slots into operand[0..3]. All elements share one register width; a vector of sinks has that of the
// type.
ElementShape element_shape(const MemoryForm& form, const Data& data, DecodeContext& context) {
  ElementShape shape;
  shape.bytes = static_cast<std::uint32_t>(ptx::size_in_bytes(form.type));
  shape.sign = is_sign_extended(form.type);
  shape.register_bytes = register_bytes(form.type);
  for (int i = 0; i < data.count; ++i) {
    const ptx::Operand& operand = data.operand[static_cast<std::size_t>(i)];
    if (operand.kind == ptx::Operand::Kind::reg)
      shape.register_bytes = register_bytes(context.declared(operand, form.type));
  }
  return shape;
}

void put_data(const ptx::Instruction& from, const MemoryForm& form, const Data& data,
              const ElementShape& shape, DecodeContext& context, DecodedInstruction& to) {
  for (int i = 0; i < data.count; ++i) {
    const ptx::Operand& operand = data.operand[static_cast<std::size_t>(i)];
    if (operand.kind == ptx::Operand::Kind::sink) continue;
    const ptx::Type declared = context.declared(operand, form.type);
    // nvcc never combines immediates with wider registers, or registers of two widths, in one vector.
    if (register_bytes(declared) != shape.register_bytes)
      context.unsupported(from, "the registers of a vector have different widths");
    to.operand[i] = context.slot(operand, declared);
  }
}

// Parameters are adjacent, so a load may cross from one into the next. Beyond the last one it is a fault.
const DecodedInstruction* beyond_parameters(Warp& warp, const DecodedInstruction* at) {
  fail(warp, finding_at(warp, at, FindingKind::out_of_bounds_read, "read beyond the kernel's parameters"),
       LaunchStatus::illegal_address);
}

void check_modifiers(const ptx::Instruction& from, const MemoryForm& form, DecodeContext& context) {
  if (!form.refused.empty()) context.unsupported(from, "." + form.refused + " is not offered");
  if (form.type == ptx::Type::none) context.unsupported(from, "it names no type");
}

void decode_parameter(const ptx::Instruction& from, const DecodedAddress& address, ElementShape shape,
                      unsigned bytes, DecodeContext& context, DecodedInstruction& to) {
  if (from.opcode == Opcode::st) context.unsupported(from, "a kernel cannot write its parameters");
  to.immediate = address.offset;
  to.handler = bytes > address.bytes_left ? beyond_parameters : parameter_load(shape);
}

void decode_access(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to) {
  const bool load = from.opcode != Opcode::st;
  MemoryForm form = memory_form(from);
  check_modifiers(from, form, context);
  if (load) {
    form.is_strong |= has(context.load_uses(), LoadUse::validated);  // by a compare-and-swap: atomic
    form.is_data = form.is_volatile && !has(context.load_uses(), LoadUse::control_relevant);
  }
  const Data data = data_operands(from, operand_at(from, load ? 0 : 1, context), form.vector, context);
  const ElementShape shape = element_shape(form, data, context);
  put_data(from, form, data, shape, context, to);
  const DecodedAddress address =
      decode_address(from, operand_at(from, load ? 1 : 0, context), form.space, context);
  const unsigned bytes = shape.bytes * static_cast<unsigned>(form.vector);
  if (bytes > 32) context.unsupported(from, "one access has at most 32 bytes");
  encode_access(form, address, bytes, to);
  if (address.kernel_parameter) {
    decode_parameter(from, address, shape, bytes, context, to);
  } else {
    const ContiguousAccess access{.space = address.space,
                                  .wide_address = address.wide,
                                  .shape = shape,
                                  .vector = form.vector,
                                  .ordered = form.is_volatile || form.is_strong,
                                  .has_sink = has_sink(data)};
    to.handler = load ? contiguous_load(access, observed) : contiguous_store(access, observed);
    if (to.handler == nullptr)
      to.handler = load ? general_load(shape, observed) : general_store(shape, observed);
  }
  if (to.handler == nullptr) context.unsupported(from, "its register is narrower than its type");
}

}  // namespace

const ptx::Operand& operand_at(const ptx::Instruction& from, std::size_t index, DecodeContext& context) {
  if (index >= from.operands.size()) context.unsupported(from, "it lacks an operand");
  return from.operands[index];
}

DecodedAddress decode_address(const ptx::Instruction& from, const ptx::Operand& operand, ptx::Space space,
                              DecodeContext& context) {
  if (operand.kind != ptx::Operand::Kind::address)
    context.unsupported(from, "expected an address in brackets");
  DecodedAddress out;
  out.space = space;
  out.offset = static_cast<std::uint64_t>(operand.offset);
  if (operand.has_reg) {
    ptx::Operand base;
    base.kind = ptx::Operand::Kind::reg;
    base.reg = operand.reg;
    base.place = operand.place;
    const ptx::Type declared = context.declared(base, ptx::Type::b64);
    out.wide = slot_bytes(declared) == slot_bytes(ptx::Type::b64);
    if (!out.wide && slot_bytes(declared) != slot_bytes(ptx::Type::b32))
      context.unsupported(from, "an address register has 32 or 64 bits");
    out.slot = context.slot(base, declared);
    return out;
  }
  if (!operand.symbol.empty()) {
    const DecodeContext::Symbol symbol = context.symbol(operand.symbol, operand.place);
    if (space == ptx::Space::generic) out.space = symbol.space;
    out.offset += symbol.address;
    out.kernel_parameter = symbol.kernel_parameter;
    out.bytes_left = out.offset <= symbol.bytes ? symbol.bytes - out.offset : 0;
    if (out.kernel_parameter) return out;
  }
  out.slot = context.constant(out.offset, ptx::Type::u64);
  out.offset = 0;
  return out;
}

void encode_access(const MemoryForm& form, const DecodedAddress& address, unsigned bytes,
                   DecodedInstruction& to) {
  AccessForm access;
  // Parameters read through a register lie in device memory; these accesses are not observed.
  const bool parameter = address.space == ptx::Space::param;
  access.space = static_cast<std::uint8_t>(parameter ? ptx::Space::constant : address.space);
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.vector = static_cast<std::uint8_t>(form.vector);
  access.flags = static_cast<std::uint8_t>(
      (address.wide ? AccessForm::wide_address : 0) | (form.is_volatile ? AccessForm::is_volatile : 0) |
      (form.is_strong ? AccessForm::is_strong : 0) | (form.releases ? AccessForm::releases : 0) |
      (form.of_block ? AccessForm::of_block : 0) | (form.is_data ? AccessForm::is_data : 0) |
      (form.takes_lock ? AccessForm::takes_lock : 0) | (parameter ? AccessForm::unwatched : 0));
  to.operand[kAddressOperand] = address.slot;
  to.operand[kFormOperand] = std::bit_cast<std::uint32_t>(access);
  to.immediate = address.offset;
}

bool decode_memory(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to) {
  switch (from.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
      decode_access(from, context, observed, to);
      return true;
    case Opcode::atom:
    case Opcode::red:
      decode_atomic(from, context, observed, to);
      return true;
    case Opcode::cvta:
      decode_cvta(from, context, to);
      return true;
    case Opcode::isspacep:
      decode_isspacep(from, context, to);
      return true;
    case Opcode::cp:
      decode_async_copy(from, context, observed, to);
      return true;
    case Opcode::mbarrier:
      decode_mbarrier(from, context, observed, to);
      return true;
    case Opcode::mapa:
    case Opcode::getctarank:
      decode_cluster_address(from, context, to);
      return true;
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::createpolicy:
      decode_hint(from, context, to);
      return true;
    default:
      return false;
  }
}

}  // namespace warpgrade::emulator
