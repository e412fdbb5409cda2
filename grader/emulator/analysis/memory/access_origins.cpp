#include "analysis/memory/access_origins.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "analysis/flow/reaching_definitions.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using Kind = ptx::Operand::Kind;

// Calls visit(instruction) for each instruction that may have computed the registers; where visit returns
// true, also for those that may have computed its operands, and so on.
void walk_back(const ptx::Function& function, const std::vector<std::int32_t>& registers,
               const std::function<bool(const ptx::Instruction&)>& visit) {
  std::vector<std::vector<const ptx::Instruction*>> writers(function.registers.size());
  for (const ptx::Instruction& each : function.instructions)
    for (const std::int32_t written : registers_used(each).written)
      writers[static_cast<std::size_t>(written)].push_back(&each);
  std::set<std::int32_t> seen;
  std::vector<std::int32_t> left = registers;
  while (!left.empty()) {
    const std::int32_t reg = left.back();
    left.pop_back();
    if (reg < 0 || !seen.insert(reg).second) continue;
    for (const ptx::Instruction* writer : writers[static_cast<std::size_t>(reg)])
      if (visit(*writer))
        for (const std::int32_t read : registers_used(*writer).read) left.push_back(read);
  }
}

// The registers of a pointer's width among those that an instruction reads: an index never names an array.
bool may_hold_pointer(const ptx::Function& function, const ptx::Instruction& i) {
  return std::any_of(i.operands.begin(), i.operands.end(), [&](const ptx::Operand& each) {
    return each.kind == Kind::reg &&
           ptx::size_in_bytes(function.registers[static_cast<std::size_t>(each.reg)].type) >= 8;
  });
}

bool depends_on_thread(const ptx::Function& function, std::int32_t reg) {
  bool found = false;
  walk_back(function, {reg}, [&](const ptx::Instruction& writer) {
    for (const ptx::Operand& each : writer.operands)
      found |= each.kind == Kind::special && each.symbol.starts_with("%tid");
    return true;
  });
  return found;
}

// Indexed by block: `block` can be reached from it.
std::vector<bool> reaching(const ControlFlow& flow, std::uint32_t block) {
  std::vector<bool> found(flow.blocks.size());
  std::vector<std::uint32_t> left = {block};
  while (!left.empty()) {
    const std::uint32_t at = left.back();
    left.pop_back();
    if (found[at]) continue;
    found[at] = true;
    for (const std::uint32_t before : flow.blocks[at].predecessors) left.push_back(before);
  }
  return found;
}

// Indexed by block: reached from the start without passing `block`.
std::vector<bool> before(const ControlFlow& flow, std::uint32_t block) {
  std::vector<bool> found(flow.blocks.size());
  std::vector<std::uint32_t> left = {0};
  while (!left.empty()) {
    const std::uint32_t at = left.back();
    left.pop_back();
    if (found[at] || at == block) continue;
    found[at] = true;
    for (const std::uint32_t next : flow.blocks[at].successors) left.push_back(next);
  }
  return found;
}

}  // namespace

std::optional<std::string> find_pointer_parameter(const ptx::Function& kernel, std::size_t access) {
  const ptx::Operand* place = address_operand(kernel.instructions[access]);
  if (!kernel.is_entry || place == nullptr || !place->has_reg) return {};
  std::set<std::string> found;
  walk_back(kernel, {place->reg}, [&](const ptx::Instruction& writer) {
    if (writer.opcode == Opcode::ld && writer.has(Modifier::param)) {
      const bool is_pointer = ptx::size_in_bytes(writer.type()) == 8;
      if (is_pointer && address_operand(writer) != nullptr) found.insert(address_operand(writer)->symbol);
      return false;
    }
    if (writer.opcode == Opcode::call || address_operand(writer) != nullptr) {
      if (may_hold_pointer(kernel, writer)) found.insert("");
      return false;
    }
    return true;
  });
  if (found.size() != 1 || found.begin()->empty()) return {};
  return *found.begin();
}

bool is_update(const ptx::Function& function, std::size_t load, std::size_t store) {
  const ptx::Instruction &from = function.instructions[load], &to = function.instructions[store];
  if (from.opcode != Opcode::ld || to.opcode != Opcode::st || from.type() == ptx::Type::none) return false;
  const ReachingDefinitions definitions(function);
  const ptx::Operand *read = address_operand(from), *written = address_operand(to);
  if (read == nullptr || written == nullptr) return false;
  const auto here = definitions.word(*read, load), there = definitions.word(*written, store);
  if (!here || !there || !(*here == *there)) return false;
  bool found = false;
  std::vector<std::int32_t> values;
  for (const ptx::Operand& each : to.operands)
    if (each.kind == Kind::reg) values.push_back(each.reg);
  walk_back(function, values, [&](const ptx::Instruction& writer) {
    found |= &writer == &from;
    return writer.opcode != Opcode::ld;
  });
  return found;
}

std::optional<std::size_t> find_skipping_branch(const ptx::Function& function, std::size_t instruction) {
  const ptx::Instruction& target = function.instructions[instruction];
  const ControlFlow flow = build_control_flow(function);
  const std::uint32_t block = flow.block_of[instruction];
  const std::vector<bool> leads = reaching(flow, block), comes = before(flow, block);
  for (std::size_t at = 0; at < function.instructions.size(); ++at) {
    const ptx::Instruction& each = function.instructions[at];
    const std::uint32_t its = flow.block_of[at];
    if (each.opcode != Opcode::bra && each.opcode != Opcode::ret && each.opcode != Opcode::exit) continue;
    if (each.guard < 0 || !comes[its] || !leads[its] || its == block) continue;
    const auto& next = flow.blocks[its].successors;
    const bool may_pass = each.opcode != Opcode::bra ||
                          std::any_of(next.begin(), next.end(), [&](std::uint32_t to) { return !leads[to]; });
    if (may_pass && depends_on_thread(function, each.guard)) return at;
  }
  if (target.guard >= 0 && depends_on_thread(function, target.guard)) return instruction;
  // In a loop, a thread that bypasses the store may reach it in a later iteration, so only the branch right
  // before the store decides.
  for (const std::uint32_t before_it : flow.blocks[block].predecessors) {
    const std::size_t at = flow.blocks[before_it].end - 1;
    const ptx::Instruction& last = function.instructions[at];
    const bool splits = last.opcode == Opcode::bra && flow.blocks[before_it].successors.size() > 1;
    if (splits && before_it != block && last.guard >= 0 && depends_on_thread(function, last.guard)) return at;
  }
  return {};
}

}  // namespace warpgrade::emulator
