#include "definedness/instruction_flow.hpp"

#include <utility>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "definedness/propagation_rules.hpp"
#include "isa/operation.hpp"
#include "machine/observers.hpp"
#include "machine/program_impl.hpp"
#include "ops/control.hpp"
#include "ops/inserted.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

bool is_loading(const ptx::Instruction& i) {
  using enum isa::Attribute;
  return isa::is_any(i, load | matrix_load) || (isa::is(i, atomic) && i.has(Modifier::exch)) ||
         merges_bits(i);
}

// Sets the registers that hold stored or loaded data, and those that must be defined.
void find_operands(const ptx::Instruction& i, InstructionFlow& flow) {
  const isa::Operation* row = isa::find(i, *flow.function->source);
  const bool computes =
      i.opcode == Opcode::mov ||
      (row != nullptr && (row->shape == isa::Shape::lanewise || row->shape == isa::Shape::video));
  const bool stores = flow.stores || (flow.fragment && !flow.loads);
  if (stores || flow.fragment || isa::is(i, isa::Attribute::load)) {
    const ptx::Operand& data = i.operands[stores ? 1 : 0];
    const bool vector = data.kind == Kind::vector;
    flow.elements = vector ? static_cast<unsigned>(data.elements.size()) : 1;
    const auto reg = [](const ptx::Operand& o) { return o.kind == Kind::reg ? o.reg : -1; };
    if (!vector) flow.stored = {reg(data)};
    for (const ptx::Operand& each : data.elements) flow.stored.push_back(reg(each));
    for (const ptx::Operand& each : i.operands)
      if (each.kind == Kind::address && each.has_reg) flow.needed.push_back(each.reg);
    if (flow.fragment && i.operands.back().kind == Kind::reg) flow.needed.push_back(i.operands.back().reg);
  } else if (i.opcode == Opcode::shfl) {
    for (std::size_t o = 2; o < i.operands.size(); ++o)
      if (i.operands[o].kind == Kind::reg) flow.needed.push_back(i.operands[o].reg);
  } else if (!computes && !flow.exchanges) {
    flow.needed = flow.read;
  }
}

}  // namespace

bool can_restart(const Access& access) {
  if (access.warp->state == nullptr || access.is_async) return false;
  const ptx::Instruction* ptx = access.warp->block->program->origin(access.at->index).ptx;
  if (ptx == nullptr || !is_loading(*ptx)) return false;
  // Lanes that wait for each other execute a collective together, maybe from another position.
  return !isa::is(*ptx, isa::Attribute::matrix_load) || state_of(*access.warp).groups == 0;
}

InstructionFlow instruction_flow(const BlockRun& run, const DecodedInstruction* at) {
  InstructionFlow flow;
  const ptx::Instruction* ptx = run.program->origin(at->index).ptx;
  if (ptx == nullptr || is_inserted(*at, at->handler)) return flow;
  flow.ptx = ptx;
  const Code& code = *run.code;
  flow.function = &code.functions[code.function_of[code.position(at)]];
  RegistersUsed used = registers_used(*ptx);
  flow.read = std::move(used.read);
  if (ptx->guard >= 0) flow.needed.push_back(ptx->guard);
  const bool branch = at->handler == control::branch_if || at->handler == control::branch_unless;
  if (branch && ptx->opcode != Opcode::bra)
    return flow;  // the decoder's own branch around a guarded instruction
  flow.written = std::move(used.written);
  flow.loads = is_loading(*ptx);
  flow.stores = isa::is(*ptx, isa::Attribute::store);
  flow.exchanges = isa::is(*ptx, isa::Attribute::exchange);
  flow.merges = merges_bits(*ptx);
  flow.mixes = mixes_all_bytes(*ptx);
  if (ptx->opcode == Opcode::wmma && !flow.exchanges) flow.fragment = isa::matrix_access(*ptx);
  flow.calls = at->handler == control::call;
  find_operands(*ptx, flow);
  const ptx::Function& function = *flow.function->source;
  const auto index = static_cast<std::size_t>(ptx - function.instructions.data());
  if (flow.stores) flow.value = find_store_source(function, index);
  for (const int distance : {-4, 4})
    if (const auto beside = find_adjacent_word(function, index, distance)) flow.beside.push_back(*beside);
  return flow;
}

}  // namespace warpgrade::emulator
