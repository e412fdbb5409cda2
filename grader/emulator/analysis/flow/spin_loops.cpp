#include "analysis/flow/spin_loops.hpp"

#include <algorithm>
#include <string_view>

#include "analysis/flow/def_use.hpp"
#include "analysis/flow/post_dominators.hpp"
#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

// Reads memory that other blocks or the host may write.
bool reads_elsewhere(const ptx::Instruction& instruction) {
  using ptx::Space;
  return isa::is_any(instruction, isa::Attribute::load | isa::Attribute::atomic) &&
         (instruction.space() == Space::global || instruction.space() == Space::generic);
}

// Writes no memory, except perhaps an atomic that returns the old value. Lanes that wait for others of their
// warp are seen at run time.
bool is_quiet(const ptx::Instruction& instruction) {
  return instruction.opcode == Opcode::atom || isa::is(instruction, isa::Attribute::repeatable) ||
         isa::is_within_warp(instruction);
}

bool asks(const ptx::Instruction& instruction) {
  if (instruction.opcode == Opcode::mbarrier) return true;
  return isa::is(instruction, isa::Attribute::load) && instruction.is_strong();
}

bool reads_time(const ptx::Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const ptx::Operand& each) {
    return each.kind == ptx::Operand::Kind::special &&
           (each.symbol.find("clock") != std::string::npos || each.symbol.find("timer") != std::string::npos);
  });
}

class SpinLoopAnalysis {
 public:
  SpinLoopAnalysis(const ptx::Function& function, const ControlFlow& flow,
                   const std::vector<std::uint32_t>& post_dominators, std::int32_t loop)
      : function_(function),
        flow_(flow),
        post_dominators_(post_dominators),
        loop_(loop),
        decides_(function.registers.size(), false) {
    find_blocks();
  }

  void run(Loop& to) {
    to.polls = whole_loop_polls();
    if (blocks_.empty()) return;
    bool elsewhere = false;
    for (const std::uint32_t b : blocks_)
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i)
        elsewhere |= reads_elsewhere(function_.instructions[i]);
    find_deciding_registers();
    to.spins = elsewhere ? SpinLoop::on_any_memory : SpinLoop::on_shared_memory;
    to.carries = !depends_on_memory_alone();
  }

 private:
  bool in_loop(std::uint32_t block) const { return flow_.is_in(block, loop_); }
  template <class Test>
  bool all_instructions(std::uint32_t block, Test test) const {
    const auto first = function_.instructions.begin();
    return std::all_of(first + flow_.blocks[block].first, first + flow_.blocks[block].end, test);
  }

  bool whole_loop_polls() const {
    bool polls = false;
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (!in_loop(b)) continue;
      const bool repeatable = all_instructions(b, [&](const ptx::Instruction& each) {
        polls |= asks(each);
        return isa::is(each, isa::Attribute::repeatable);
      });
      if (!repeatable) return false;
    }
    return polls;
  }

  // The blocks of the paths from the header back to it on which all instructions are quiet.
  void find_blocks() {
    const std::uint32_t header = flow_.loops[static_cast<std::size_t>(loop_)].header;
    const std::vector<bool> from = quiet_from(header, &BasicBlock::successors),
                            back = quiet_from(header, &BasicBlock::predecessors);
    inside_.assign(flow_.blocks.size(), false);
    const auto& entries = flow_.blocks[header].predecessors;
    const auto closes = [&](std::uint32_t b) { return from[b] && back[b]; };
    if (std::none_of(entries.begin(), entries.end(), closes)) return;
    for (std::uint32_t b = 0; b < inside_.size(); ++b)
      if (closes(b)) inside_[b] = true, blocks_.push_back(b);
  }

  // The quiet blocks of the loop that a walk along these edges reaches from the header.
  std::vector<bool> quiet_from(std::uint32_t header, std::vector<std::uint32_t> BasicBlock::*edges) const {
    std::vector<bool> reached(flow_.blocks.size(), false);
    std::vector<std::uint32_t> left = {header};
    while (!left.empty()) {
      const std::uint32_t b = left.back();
      left.pop_back();
      if (reached[b] || !in_loop(b) || !all_instructions(b, is_quiet)) continue;
      reached[b] = true;
      left.insert(left.end(), (flow_.blocks[b].*edges).begin(), (flow_.blocks[b].*edges).end());
    }
    return reached;
  }

  bool contains(std::uint32_t block) const { return inside_[block]; }
  bool leaves(std::uint32_t block) const {
    const auto& to = flow_.blocks[block].successors;
    return std::any_of(to.begin(), to.end(), [&](std::uint32_t each) { return !contains(each); });
  }
  bool decides(const std::vector<std::int32_t>& registers) const {
    return std::any_of(registers.begin(), registers.end(),
                       [&](std::int32_t r) { return decides_[static_cast<std::size_t>(r)]; });
  }
  bool add(std::int32_t r) {
    if (r < 0 || decides_[static_cast<std::size_t>(r)]) return false;
    return decides_[static_cast<std::size_t>(r)] = true;
  }

  // Blocks of the loop that are control-dependent on the branch at the end of this block.
  std::vector<std::uint32_t> controlled_by(std::uint32_t block) const {
    std::vector<std::uint32_t> found, left = flow_.blocks[block].successors;
    const std::uint32_t joined = post_dominators_[block];
    while (!left.empty()) {
      const std::uint32_t next = left.back();
      left.pop_back();
      if (next == joined || !contains(next)) continue;
      if (std::find(found.begin(), found.end(), next) != found.end()) continue;
      found.push_back(next);
      const auto& on = flow_.blocks[next].successors;
      left.insert(left.end(), on.begin(), on.end());
    }
    return found;
  }

  // True if the end of the loop depends on the branch at the end of the block.
  bool controls_exit(std::uint32_t block) const {
    if (leaves(block)) return true;
    for (const std::uint32_t b : controlled_by(block)) {
      if (leaves(b)) return true;
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i)
        if (decides(registers_used(function_.instructions[i]).written)) return true;
    }
    return false;
  }

  // Finds all registers that the end of the loop depends on, through data or control dependences.
  void find_deciding_registers() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t b : blocks_) {
        const ptx::Instruction& last = function_.instructions[flow_.blocks[b].end - 1];
        if (last.opcode == Opcode::bra && last.guard >= 0 &&
            !decides_[static_cast<std::size_t>(last.guard)] && controls_exit(b))
          changed |= add(last.guard);
        for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
          const RegistersUsed used = registers_used(function_.instructions[i]);
          if (!decides(used.written)) continue;
          for (const std::int32_t r : used.read) changed |= add(r);
        }
      }
    }
  }

  // No deciding register holds a clock or a value of an earlier iteration.
  bool depends_on_memory_alone() const {
    std::vector<bool> written(function_.registers.size(), false);
    for (const std::uint32_t b : blocks_)
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        const RegistersUsed used = registers_used(function_.instructions[i]);
        if (!decides(used.written)) continue;
        if (reads_time(function_.instructions[i])) return false;
        for (const std::int32_t r : used.written) written[static_cast<std::size_t>(r)] = true;
      }
    std::vector<std::vector<bool>> set(
        flow_.blocks.size());  // by block: registers that this iteration has written by its end
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t b : blocks_) {
        std::vector<bool> now = set_before(b, set);
        walk(b, now, nullptr);
        if (now != set[b]) set[b] = std::move(now), changed = true;
      }
    }
    return std::all_of(blocks_.begin(), blocks_.end(), [&](std::uint32_t b) {
      std::vector<bool> now = set_before(b, set);
      return walk(b, now, &written);
    });
  }

  std::vector<bool> set_before(std::uint32_t block, const std::vector<std::vector<bool>>& set) const {
    std::vector<bool> now(function_.registers.size(),
                          block != flow_.loops[static_cast<std::size_t>(loop_)].header);
    if (block == flow_.loops[static_cast<std::size_t>(loop_)].header) return now;
    for (const std::uint32_t from : flow_.blocks[block].predecessors) {
      if (!contains(from) || set[from].empty()) continue;  // not visited yet
      for (std::size_t r = 0; r < now.size(); ++r) now[r] = now[r] && set[from][r];
    }
    return now;
  }

  // Adds the writes of a block to `set`. False if a deciding register of `written` is read before this
  // iteration has written it.
  bool walk(std::uint32_t block, std::vector<bool>& set, const std::vector<bool>* written) const {
    const auto is_old = [&](std::int32_t r) {
      const auto at = static_cast<std::size_t>(r);
      return decides_[at] && (*written)[at] && !set[at];
    };
    for (std::uint32_t i = flow_.blocks[block].first; i < flow_.blocks[block].end; ++i) {
      const ptx::Instruction& instruction = function_.instructions[i];
      const RegistersUsed used = registers_used(instruction);
      const bool guarded = instruction.guard >= 0 && instruction.opcode != Opcode::bra;
      if (written != nullptr) {
        if (std::any_of(used.read.begin(), used.read.end(), is_old)) return false;
        if (guarded && std::any_of(used.written.begin(), used.written.end(), is_old)) return false;
      }
      if (guarded) continue;
      for (const std::int32_t r : used.written) set[static_cast<std::size_t>(r)] = true;
    }
    return true;
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  const std::vector<std::uint32_t>& post_dominators_;
  const std::int32_t loop_;
  std::vector<bool> inside_;           // indexed by block: whether it is in blocks_
  std::vector<std::uint32_t> blocks_;  // the blocks of the paths on which the loop spins
  std::vector<bool> decides_;          // indexed by register
};

}  // namespace

void find_spin_loops(const ptx::Function& function, ControlFlow& flow) {
  const auto waits = [](const Loop& loop) { return loop.waits; };
  if (std::none_of(flow.loops.begin(), flow.loops.end(), waits)) return;
  const std::vector<std::uint32_t> post_dominators = find_post_dominators(flow);
  for (std::size_t l = 0; l < flow.loops.size(); ++l)
    if (flow.loops[l].waits)
      SpinLoopAnalysis(function, flow, post_dominators, static_cast<std::int32_t>(l)).run(flow.loops[l]);
}

}  // namespace warpgrade::emulator
