#include "analysis/synchronization/barrier_bypass.hpp"

#include <algorithm>

#include "analysis/flow/def_use.hpp"
#include "analysis/flow/post_dominators.hpp"
#include "isa/attribute.hpp"
#include "machine/warp.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;

bool is_block_barrier(const ptx::Instruction& instruction) {
  const bool bar = isa::is(instruction, isa::Attribute::barrier) &&
                   (instruction.has(Modifier::sync) || instruction.has(Modifier::red));
  if (!bar || instruction.has(Modifier::warp)) return false;
  const std::size_t id = instruction.has(Modifier::red) ? 1 : 0;
  if (instruction.operands.size() != (id == 0 ? 1u : 3u)) return false;
  const ptx::Operand& operand = instruction.operands[id];
  return operand.kind == ptx::Operand::Kind::integer && operand.bits == 0;
}

namespace {

bool is_full(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::integer && static_cast<std::uint32_t>(operand.bits) == kFullMask;
}

// Indexed by register: its only write is an unguarded mov of the mask of all lanes.
std::vector<bool> find_full_masks(const ptx::Function& function) {
  std::vector<std::uint32_t> writes(function.registers.size(), 0);
  std::vector<bool> full(function.registers.size(), false);
  for (const ptx::Instruction& instruction : function.instructions)
    for (const std::int32_t r : registers_used(instruction).written) {
      const bool moves = instruction.opcode == Opcode::mov && instruction.operands.size() == 2;
      full[static_cast<std::size_t>(r)] = ++writes[static_cast<std::size_t>(r)] == 1 && moves &&
                                          instruction.guard < 0 && is_full(instruction.operands[1]);
    }
  return full;
}

using IsPoint = std::function<bool(const ptx::Instruction&)>;

class Search {
 public:
  Search(const ptx::Function& function, const ControlFlow& flow, bool with_loops, const IsPoint& is_point)
      : function_(function),
        flow_(flow),
        with_loops_(with_loops),
        barriers_(flow.blocks.size()),
        seen_(flow.blocks.size(), 0) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      if (!is_point(function.instructions[i])) continue;
      barriers_[flow.block_of[i]].push_back(i);
      any_ = true;
    }
  }

  std::vector<BypassBranch> run() {
    std::vector<BypassBranch> found;
    if (!any_) return found;
    meets_ = find_post_dominators(flow_);
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      const std::uint32_t last = flow_.blocks[b].end - 1;
      const ptx::Instruction& branch = function_.instructions[last];
      if (branch.opcode != Opcode::bra || branch.guard < 0 || !flow_.blocks[b].falls_through) continue;
      if (meets_[b] == kNoPostDominator) continue;
      const bool returns = function_.is_entry && only_returns(meets_[b]);
      if (returns && !with_loops_) continue;
      const std::uint32_t jump = flow_.block_of[branch_targets(function_, branch).at(0)];
      BypassBranch watched{last, false, returns, barriers_from(b + 1, meets_[b])};
      const bool comes_back = seen_[b] == stamp_;
      const std::vector<std::uint32_t> there = barriers_from(jump, meets_[b]);
      if (watched.barriers.empty() == there.empty()) continue;
      if (returns && !(watched.barriers.empty() ? seen_[b] == stamp_ : comes_back)) continue;
      if (watched.barriers.empty())
        watched.barriers = there;
      else
        watched.taken_passes = true;
      found.push_back(std::move(watched));
    }
    return found;
  }

 private:
  bool only_returns(std::uint32_t block) const {
    const Opcode first = function_.instructions[flow_.blocks[block].first].opcode;
    return first == Opcode::ret || first == Opcode::exit;
  }

  // Barriers on the paths from a block to the post-dominator where the two sides of the branch meet.
  std::vector<std::uint32_t> barriers_from(std::uint32_t begin, std::uint32_t meeting) {
    std::vector<std::uint32_t> found, work;
    ++stamp_;
    auto enter = [&](std::uint32_t block) {
      if (block == meeting || seen_[block] == stamp_) return;
      seen_[block] = stamp_;
      work.push_back(block);
    };
    for (enter(begin); !work.empty();) {
      const std::uint32_t block = work.back();
      work.pop_back();
      found.insert(found.end(), barriers_[block].begin(), barriers_[block].end());
      for (std::uint32_t to : flow_.blocks[block].successors) enter(to);
    }
    return found;
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  bool with_loops_;  // also branches that leave a loop and lead to the return of the kernel
  std::vector<std::vector<std::uint32_t>> barriers_;  // indexed by block
  std::vector<std::uint32_t> meets_, seen_;
  std::uint32_t stamp_ = 0;
  bool any_ = false;
};

}  // namespace

std::vector<BypassBranch> find_barrier_bypasses(const ptx::Function& function, const ControlFlow& flow,
                                                const LeadsToBarrier& leads_to_barrier) {
  const auto is_point = [&](const ptx::Instruction& instruction) {
    const bool leads =
        leads_to_barrier && instruction.opcode == Opcode::call && leads_to_barrier(instruction);
    return leads || is_block_barrier(instruction);
  };
  return Search(function, flow, true, is_point).run();
}

std::vector<BypassBranch> find_collective_bypasses(const ptx::Function& function, const ControlFlow& flow) {
  const auto is_collective = [](const ptx::Instruction& each) {
    return isa::is(each, isa::Attribute::member_mask);
  };
  if (std::none_of(function.instructions.begin(), function.instructions.end(), is_collective)) return {};
  const std::vector<bool> full = find_full_masks(function);
  // The member mask is the last operand of shfl.sync, vote.sync and the other collectives.
  return Search(function, flow, false,
                [&](const ptx::Instruction& instruction) {
                  if (!is_collective(instruction) || instruction.operands.empty()) return false;
                  const ptx::Operand& mask = instruction.operands.back();
                  return is_full(mask) ||
                         (mask.kind == ptx::Operand::Kind::reg && full[static_cast<std::size_t>(mask.reg)]);
                })
      .run();
}

}  // namespace warpgrade::emulator
