#include "definedness/instruction_flow.hpp"

#include <utility>

#include "analysis/control_flow.hpp"
#include "analysis/def_use.hpp"
#include "definedness/propagation_rules.hpp"
#include "isa/operation.hpp"
#include "machine/address_pattern.hpp"
#include "machine/observers.hpp"
#include "machine/program_impl.hpp"
#include "ops/control.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

using Kind = ptx::Operand::Kind;

// What the decoder adds of its own.
bool is_own(const Instruction* at) {
  const Handler h = at->handler;
  return h == control::join || h == control::join_back || h == control::count_block ||
         h == control::count_guard || h == control::count_guard_not || h == look_at_addresses(true) ||
         h == look_at_addresses(false);
}

bool is_loading(const ptx::Instruction& i) {
  return i.opcode == "ld" || i.opcode == "ldu" || i.opcode == "ldmatrix" ||
         (i.opcode == "wmma" && has_modifier(i, "load")) || (i.opcode == "atom" && has_modifier(i, "exch")) ||
         merges_bits(i);
}

// Every lane's result may come of every lane's operands.
bool exchanges(const ptx::Instruction& i) {
  const std::string& op = i.opcode;
  return op == "shfl" || op == "vote" || op == "match" || op == "redux" || op == "mma" || op == "movmatrix" ||
         (op == "wmma" && has_modifier(i, "mma"));
}

// Registers of data and of what matters at once.
void find_operands(const ptx::Instruction& i, InstructionFlow& flow) {
  const isa::Operation* row = isa::find(i, *flow.function->source);
  const bool computes =
      i.opcode == "mov" ||
      (row != nullptr && (row->shape == isa::Shape::lanewise || row->shape == isa::Shape::video));
  const bool stores = flow.stores || (flow.fragment && !flow.loads);
  if (stores || flow.fragment || i.opcode == "ld" || i.opcode == "ldu") {
    const ptx::Operand& data = i.operands[stores ? 1 : 0];
    const bool vector = data.kind == Kind::vector;
    flow.elements = vector ? static_cast<unsigned>(data.elements.size()) : 1;
    const auto reg = [](const ptx::Operand& o) { return o.kind == Kind::reg ? o.reg : -1; };
    if (!vector) flow.stored = {reg(data)};
    for (const ptx::Operand& each : data.elements) flow.stored.push_back(reg(each));
    for (const ptx::Operand& each : i.operands)
      if (each.kind == Kind::address && each.has_reg) flow.needed.push_back(each.reg);
    if (flow.fragment && i.operands.back().kind == Kind::reg) flow.needed.push_back(i.operands.back().reg);
  } else if (i.opcode == "shfl") {
    for (std::size_t o = 2; o < i.operands.size(); ++o)
      if (i.operands[o].kind == Kind::reg) flow.needed.push_back(i.operands[o].reg);
  } else if (!computes && !flow.exchanges) {
    flow.needed = flow.read;
  }
}

}  // namespace

bool may_be_followed(const Access& access) {
  if (access.warp->state == nullptr || access.is_async) return false;
  const ptx::Instruction* ptx = access.warp->block->program->origin(access.at->index).ptx;
  if (ptx == nullptr || !is_loading(*ptx)) return false;
  // Lanes that meet do it together, maybe from elsewhere.
  return (ptx->opcode != "ldmatrix" && ptx->opcode != "wmma") || state_of(*access.warp).groups == 0;
}

InstructionFlow instruction_flow(const BlockRun& run, const Instruction* at) {
  InstructionFlow flow;
  const ptx::Instruction* ptx = run.program->origin(at->index).ptx;
  if (ptx == nullptr || is_own(at)) return flow;
  flow.ptx = ptx;
  const Code& code = *run.code;
  flow.function = &code.functions[code.function_of[code.position(at)]];
  RegistersUsed used = registers_used(*ptx);
  flow.read = std::move(used.read);
  if (ptx->guard >= 0) flow.needed.push_back(ptx->guard);
  const bool branch = at->handler == control::branch_if || at->handler == control::branch_unless;
  if (branch && ptx->opcode != "bra") return flow;  // round an instruction that cannot be guarded
  flow.written = std::move(used.written);
  flow.loads = is_loading(*ptx);
  flow.stores = ptx->opcode == "st";
  flow.exchanges = exchanges(*ptx);
  flow.merges = merges_bits(*ptx);
  if (ptx->opcode == "wmma" && !flow.exchanges) flow.fragment = isa::matrix_access(*ptx);
  flow.calls = at->handler == control::call;
  find_operands(*ptx, flow);
  const ptx::Function& function = *flow.function->source;
  const auto index = static_cast<std::size_t>(ptx - function.instructions.data());
  if (flow.stores) flow.value = stored_value(function, index);
  for (const int distance : {-4, 4})
    if (const auto beside = find_copied_beside(function, index, distance)) flow.beside.push_back(*beside);
  return flow;
}

}  // namespace warpgrade::emulator
