#include "analysis/flow/control_flow.hpp"

#include <algorithm>

#include "analysis/flow/loop_order.hpp"
#include "analysis/flow/spin_loops.hpp"
#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;

bool uses_alloca(const ptx::Function& function) {
  return std::any_of(
      function.instructions.begin(), function.instructions.end(),
      [](const ptx::Instruction& instruction) { return instruction.opcode == Opcode::alloca; });
}

bool ends_block(const ptx::Instruction& instruction) {
  return isa::is(instruction, isa::Attribute::ends_block);
}

static std::uint32_t target_of(const ptx::Function& function, const std::string& label) {
  auto found = function.labels.find(label);
  return found == function.labels.end() ? 0 : found->second;
}

std::vector<std::uint32_t> branch_targets(const ptx::Function& function,
                                          const ptx::Instruction& instruction) {
  std::vector<std::uint32_t> targets;
  if (instruction.opcode == Opcode::bra) {
    targets.push_back(target_of(function, instruction.operands.at(0).symbol));
  } else if (instruction.opcode == Opcode::brx) {
    auto list = function.branch_targets.find(instruction.operands.at(1).symbol);
    if (list == function.branch_targets.end()) return targets;
    for (const std::string& label : list->second) targets.push_back(target_of(function, label));
  }
  return targets;
}

namespace {

// Guarded instructions may fall through, and a call returns to the next instruction.
bool may_fall_through(const ptx::Instruction& instruction) {
  return instruction.guard >= 0 || !ends_block(instruction) || instruction.opcode == Opcode::call;
}

// The decoder inserts a branch in front of a guarded exit, ret, trap or call; it jumps to the instruction
// after it.
std::vector<bool> find_leaders(const ptx::Function& function) {
  std::vector<bool> leader(function.instructions.size(), false);
  leader[0] = true;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (!ends_block(instruction) && !guarded_by_branch(instruction)) continue;
    for (std::uint32_t target : branch_targets(function, instruction)) leader[target] = true;
    if (i + 1 < leader.size()) leader[i + 1] = true;
  }
  return leader;
}

void connect(ControlFlow& flow, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t>& out = flow.blocks[from].successors;
  if (std::find(out.begin(), out.end(), to) != out.end()) return;
  out.push_back(to);
  flow.blocks[to].predecessors.push_back(from);
}

}  // namespace

bool guarded_by_branch(const ptx::Instruction& instruction) {
  using enum isa::Attribute;
  return instruction.guard >= 0 && instruction.opcode != Opcode::bra &&
         isa::is_any(instruction, collective | ends_block);
}

ControlFlow build_control_flow(const ptx::Function& function) {
  ControlFlow flow;
  const std::vector<bool> leader = find_leaders(function);
  flow.block_of.resize(leader.size());
  for (std::uint32_t i = 0; i < leader.size(); ++i) {
    if (leader[i]) flow.blocks.push_back({i, i, {}, {}, false, 0, -1});
    flow.blocks.back().end = i + 1;
    flow.block_of[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
  }
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const ptx::Instruction& last = function.instructions[flow.blocks[b].end - 1];
    if (may_fall_through(last) && b + 1 < flow.blocks.size()) {
      flow.blocks[b].falls_through = true;
      connect(flow, b, b + 1);
    }
    for (std::uint32_t target : branch_targets(function, last)) connect(flow, b, flow.block_of[target]);
  }
  order_blocks(flow);
  find_waiting_loops(function, flow);
  find_spin_loops(function, flow);
  return flow;
}

bool ControlFlow::is_in(std::uint32_t block, std::int32_t loop) const {
  std::int32_t l = blocks[block].loop;
  while (l >= 0 && l != loop) l = loops[static_cast<std::size_t>(l)].parent;
  return l == loop;
}

std::int32_t ControlFlow::loop_of_edge(std::uint32_t from, std::uint32_t to) const {
  if (blocks[to].order > blocks[from].order) return -1;
  for (std::int32_t loop = blocks[to].loop; loop >= 0; loop = loops[static_cast<std::size_t>(loop)].parent) {
    if (loops[static_cast<std::size_t>(loop)].header == to) return loop;
  }
  return blocks[from].loop;
}

}  // namespace warpgrade::emulator
