// mma and wmma.mma (manual 9.7.14), and the handler of all matrix instructions.
#include "ops/matrix/mma.hpp"

#include <cstring>

#include "isa/variant.hpp"
#include "ops/matrix/decode.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

template <class Register>
void write_results(Warp& warp, const MatrixOp& op, const std::byte* results) {
  for (unsigned reg = 0; reg < op.registers; ++reg) {
    if (op.slot[reg] == kNoOperand) continue;
    const auto* from = reinterpret_cast<const Register*>(results) + reg % op.distinct * kWarpSize;
    auto* to = warp.lanes<Register>(op.slot[reg]);
    if (warp.active == kFullMask) {
      std::memcpy(to, from, sizeof(Register) * kWarpSize);
      continue;
    }
    for (int lane = 0; lane < kWarpSize; ++lane)
      if ((warp.active >> lane & 1u) != 0) to[lane] = from[lane];
  }
}

void complete(Warp& warp, const DecodedInstruction* at, const Exchange& exchange) {
  const MatrixOp& op = matrix_op(at);
  if (op.register_bytes == 8)
    write_results<std::uint64_t>(warp, op, exchange.result.data());
  else
    write_results<std::uint32_t>(warp, op, exchange.result.data());
}

// All live lanes must arrive; the first ones wait for the others.
const DecodedInstruction* matrix(Warp& warp, const DecodedInstruction* at) {
  if (warp.active != warp.alive) return collective(warp, at);
  const MatrixOp& op = matrix_op(at);
  Exchange& exchange = state_of(warp).exchange;
  op.prepare(warp, at, exchange);
  if (op.complete) op.complete(warp, at, exchange);
  return at + 1;
}

struct MultiplyOp : MatrixOp {
  isa::MatrixPlan plan;
  const isa::MatrixMath* math = isa::chosen_variant().matrix;
  MultiplyOp() : MatrixOp(true) {}
};

void multiply(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  const auto& op = static_cast<const MultiplyOp&>(matrix_op(at));
  op.math->multiply(op.plan, warp.frame, result_buffer(op, exchange));
}

void decode_multiply(const ptx::Instruction& from, const isa::MatrixForm& form, DecodeContext& context,
                     DecodedInstruction& to) {
  auto op = std::make_shared<MultiplyOp>();
  isa::MatrixForm result_form = form;
  result_form.c = form.d;
  isa::MatrixPlan& plan = op->plan;
  plan.form = form;
  plan.a = fragment_of(form, isa::MatrixRole::a);
  plan.b = fragment_of(form, isa::MatrixRole::b);
  plan.c = fragment_of(form, isa::MatrixRole::c);
  plan.d = fragment_of(result_form, isa::MatrixRole::c);
  const auto slots = [&](std::size_t operand, const isa::Fragment& fragment) {
    const ptx::Type type = fragment.width == 64 ? ptx::Type::b64 : ptx::Type::b32;
    return register_slots(from, operand, fragment.registers, type, context);
  };
  plan.d_slot = slots(0, plan.d);
  plan.a_slot = slots(1, plan.a);
  plan.b_slot = slots(2, plan.b);
  plan.c_slot = slots(3, plan.c);
  op->slot = plan.d_slot;
  op->registers = op->distinct = plan.d.registers;
  op->register_bytes = plan.d.width / 8;
  op->prepare = multiply;
  finish_matrix(op, context, to);
}

}  // namespace

MatrixOp::MatrixOp(bool has_results) {
  deposit = nullptr;
  complete = has_results ? emulator::complete : nullptr;
  slot.fill(kNoOperand);
}

std::byte* result_buffer(const MatrixOp& op, Exchange& exchange) {
  const std::size_t bytes = std::size_t{op.distinct} * op.register_bytes * kWarpSize;
  if (exchange.result.size() < bytes) exchange.result.resize(bytes);
  return exchange.result.data();
}

std::array<std::uint32_t, 8> register_slots(const ptx::Instruction& from, std::size_t operand, unsigned count,
                                            ptx::Type type, DecodeContext& context) {
  const ptx::Operand& list = operand_at(from, operand, context);
  const bool vector = list.kind == ptx::Operand::Kind::vector;
  if ((vector ? list.elements.size() : 1) != count)
    context.unsupported(from, "operand " + std::to_string(operand + 1) + " has " + std::to_string(count) +
                                  " registers in this form");
  std::array<std::uint32_t, 8> slots{};
  slots.fill(kNoOperand);
  for (unsigned i = 0; i < count; ++i) {
    const ptx::Operand& one = vector ? list.elements[i] : list;
    if (slot_bytes(context.declared(one, type)) != slot_bytes(type))
      context.unsupported(from, "a register of another width");
    slots[i] = one.kind == ptx::Operand::Kind::sink ? context.scratch(type) : context.slot(one, type);
  }
  return slots;
}

void put_registers(const ptx::Instruction& from, std::size_t operand, ptx::Type type, MatrixOp& op,
                   DecodeContext& context) {
  op.slot = register_slots(from, operand, op.registers, type, context);
}

MatrixAddress matrix_address(const ptx::Instruction& from, std::size_t operand, ptx::Space space,
                             DecodeContext& context) {
  const DecodedAddress decoded = decode_address(from, operand_at(from, operand, context), space, context);
  if (decoded.kernel_parameter) context.unsupported(from, "a matrix is not a parameter");
  return {decoded.slot, decoded.wide, decoded.offset, decoded.space};
}

void finish_matrix(std::shared_ptr<MatrixOp> op, DecodeContext& context, DecodedInstruction& to) {
  to.handler = matrix;
  to.operand[5] = context.constant(kFullMask, ptx::Type::b32);
  to.immediate = reinterpret_cast<std::uint64_t>(static_cast<const MatrixOp*>(op.get()));
  context.keep(std::move(op));
}

bool decode_matrix(const ptx::Instruction& from, DecodeContext& context, bool observed,
                   DecodedInstruction& to) {
  if (isa::shape_of(from) != isa::Shape::matrix) return false;
  if (from.opcode != Opcode::mma && from.opcode != Opcode::wmma) {
    decode_small_matrices(from, context, observed, to);
  } else if (const auto form = isa::matrix_form(from)) {
    decode_multiply(from, *form, context, to);
  } else {
    decode_matrix_memory(from, context, observed, to);
  }
  return true;
}

}  // namespace warpgrade::emulator
