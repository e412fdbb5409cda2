#include "analysis/memory/flag_loads.hpp"

#include <algorithm>
#include <cstddef>

#include "analysis/flow/control_flow.hpp"
#include "analysis/flow/def_use.hpp"
#include "analysis/flow/value_flow.hpp"
#include "analysis/flow/value_readers.hpp"
#include "analysis/memory/word_uses.hpp"
#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

constexpr std::size_t kMostSteps = std::size_t{1} << 26;

bool is_strong_load(const ptx::Instruction& i) {
  return i.opcode == Opcode::ld && is_in_global(i) && i.has_any({Modifier::volatile_, Modifier::relaxed});
}
bool may_poll(const ptx::Instruction& i) {
  return (i.opcode == Opcode::ld && is_in_global(i) && (i.is_strong() || i.has(Modifier::volatile_))) ||
         (i.opcode == Opcode::atom && is_in_global(i));
}
bool counts(const ptx::Instruction& i) {
  return i.opcode == Opcode::atom && is_in_global(i) && i.has_any({Modifier::add, Modifier::inc});
}

class FlagLoadAnalysis {
 public:
  explicit FlagLoadAnalysis(const ptx::Function& function)
      : function_(function), control_(build_control_flow(function)), values_(function) {}

  // Whether some path around the load's loop leaves the address unchanged, and a branch on the value leaves
  // that path.
  bool polls(std::size_t load) {
    if (!spend(control_.blocks.size() + values_.values() + function_.instructions.size())) return false;
    const std::uint32_t home = control_.block_of[load];
    const std::int32_t loop = control_.blocks[home].loop;
    if (loop < 0) return false;
    const std::vector<bool> moves = blocks_that_move(load, loop);
    const auto stays = [&](std::uint32_t block) { return control_.is_in(block, loop) && !moves[block]; };
    const std::vector<bool> from = reach(home, &BasicBlock::successors, stays),
                            back = reach(home, &BasicBlock::predecessors, stays);
    const std::vector<bool> derived = derived_from(load);
    bool again = false, leaves = false;
    for (std::uint32_t b = 0; b < control_.blocks.size(); ++b) {
      if (!from[b] || !back[b]) continue;
      const ptx::Instruction& last = function_.instructions[control_.blocks[b].end - 1];
      const bool decides = last.opcode == Opcode::bra && last.guard >= 0 && derived[at(last.guard)];
      for (const std::uint32_t next : control_.blocks[b].successors) {
        again |= next == home;
        leaves |= decides && !(from[next] && back[next]);
      }
    }
    return again && leaves;
  }

  // Whether the value, or its sum with or difference from another one, is compared for equality.
  bool is_compared(std::size_t atomic) {
    std::vector<bool> seen(values_.values());
    std::vector<std::int32_t> left = values_.steps()[atomic].written;
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      if (seen[at(value)] || !spend(1)) continue;
      seen[at(value)] = true;
      for (const std::size_t reader : values_.readers(value)) {
        const ptx::Instruction& i = function_.instructions[reader];
        if (i.opcode == Opcode::setp && i.has_any({Modifier::eq, Modifier::ne})) return true;
        if (values_.steps()[reader].copies || i.opcode == Opcode::add || i.opcode == Opcode::sub)
          left.insert(left.end(), values_.steps()[reader].written.begin(),
                      values_.steps()[reader].written.end());
      }
    }
    return false;
  }

  bool is_untested(std::size_t load) {
    if (!spend(function_.instructions.size())) return false;
    std::vector<bool> seen(function_.instructions.size());
    std::vector<std::size_t> left = {load};  // instructions whose results are bits of the word
    while (!left.empty()) {
      const std::size_t from = left.back();
      left.pop_back();
      if (seen[from]) continue;
      seen[from] = true;
      if (!spend(function_.instructions.size())) return false;
      for (const std::int32_t value : values_.steps()[from].written)
        for (const std::size_t reader : readers_behind(function_, control_, values_, from, value)) {
          const ptx::Instruction& i = function_.instructions[reader];
          if (tests(i)) return false;
          if (!computes_number(i)) left.push_back(reader);
        }
    }
    return true;
  }

  // Whether each use of the value comes after a polling load on every path. `polls`: indexed by instruction.
  bool is_early(std::size_t load, const std::vector<bool>& polls) {
    if (!spend(function_.instructions.size() + values_.values())) return false;
    const std::vector<bool> before = reached_before(load, polls);
    std::vector<bool> seen(values_.values());
    std::vector<std::int32_t> left = values_.steps()[load].written;
    bool is_used = false;
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      if (seen[at(value)]) continue;
      seen[at(value)] = true;
      for (const std::size_t reader : values_.readers(value)) {
        const ValueFlow::Step& step = values_.steps()[reader];
        if (step.copies) left.insert(left.end(), step.written.begin(), step.written.end());
        if (!step.copies && before[reader]) return false;
        is_used |= !step.copies;
      }
    }
    return is_used;
  }

 private:
  static std::size_t at(std::int32_t value) { return static_cast<std::size_t>(value); }

  // Limits the analysis: for a function with thousands of strong loads it could take longer than the kernel
  // runs.
  bool spend(std::size_t steps) { return (spent_ += steps) <= kMostSteps; }

  template <class Test>
  std::vector<bool> reach(std::uint32_t start, std::vector<std::uint32_t> BasicBlock::*edges,
                          const Test& test) const {
    std::vector<bool> reached(control_.blocks.size());
    std::vector<std::uint32_t> left = {start};
    while (!left.empty()) {
      const std::uint32_t b = left.back();
      left.pop_back();
      if (reached[b] || !test(b)) continue;
      reached[b] = true;
      left.insert(left.end(), (control_.blocks[b].*edges).begin(), (control_.blocks[b].*edges).end());
    }
    return reached;
  }

  // Indexed by instruction: whether it may run after the load and before the next execution of the load or of
  // a polling load.
  std::vector<bool> reached_before(std::size_t load, const std::vector<bool>& polls) const {
    std::vector<bool> reached(function_.instructions.size()), begun(control_.blocks.size());
    std::vector<std::uint32_t> left;  // blocks
    const auto run = [&](std::uint32_t home, std::size_t from) {
      const BasicBlock& block = control_.blocks[home];
      std::size_t i = from;
      for (; i < block.end && i != load && !polls[i]; ++i) reached[i] = true;
      if (i < block.end) return;
      for (const std::uint32_t next : block.successors)
        if (!begun[next]) left.push_back(next);
    };
    run(control_.block_of[load], load + 1);
    while (!left.empty()) {
      const std::uint32_t next = left.back();
      left.pop_back();
      if (begun[next]) continue;
      begun[next] = true;
      run(next, control_.blocks[next].first);
    }
    return reached;
  }

  // The loaded value and all values that depend on it.
  std::vector<bool> derived_from(std::size_t load) const {
    std::vector<bool> derived(values_.values());
    std::vector<std::int32_t> left = values_.steps()[load].written;
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      if (derived[at(value)]) continue;
      derived[at(value)] = true;
      for (const std::size_t reader : values_.readers(value))
        for (const std::int32_t to : values_.steps()[reader].written) left.push_back(to);
    }
    return derived;
  }

  // Whether the writer may change the value. It does not if it is the only writer, or if it copies a value
  // that is a copy itself: on some path around the loop, that one still holds the old content.
  bool renews(std::size_t writer, std::int32_t value) const {
    if (values_.writers(value).size() == 1) return false;
    const ValueFlow::Step& step = values_.steps()[writer];
    if (!step.copies || step.read.empty()) return true;
    const auto& sources = values_.writers(step.read.front());
    return std::none_of(sources.begin(), sources.end(),
                        [&](std::size_t source) { return values_.steps()[source].copies; });
  }

  // Indexed by block: whether it may change the load's address from one iteration to the next, or reads it
  // from memory.
  std::vector<bool> blocks_that_move(std::size_t load, std::int32_t loop) const {
    std::vector<bool> moves(control_.blocks.size()), seen(values_.values());
    std::vector<std::int32_t> left;
    const ptx::Operand* const address = address_operand(function_.instructions[load]);
    if (address != nullptr && address->has_reg) left.push_back(address->reg);
    while (!left.empty()) {
      const std::int32_t value = left.back();
      left.pop_back();
      if (seen[at(value)]) continue;
      seen[at(value)] = true;
      for (const std::size_t writer : values_.writers(value)) {
        if (!control_.is_in(control_.block_of[writer], loop)) continue;
        const ptx::Instruction& from = function_.instructions[writer];
        const bool reads_memory =
            isa::is_any(from, isa::Attribute::load | isa::Attribute::atomic) || from.opcode == Opcode::call;
        if (renews(writer, value) || (reads_memory && !values_.steps()[writer].copies))
          moves[control_.block_of[writer]] = true;
        left.insert(left.end(), values_.steps()[writer].read.begin(), values_.steps()[writer].read.end());
      }
    }
    return moves;
  }

  const ptx::Function& function_;
  const ControlFlow control_;
  const ValueFlow values_;
  std::size_t spent_ = 0;  // steps of the analysis
};

}  // namespace

void add_flag_loads(const ptx::Function& function, std::uint32_t first, FlagLoads& to) {
  const auto& instructions = function.instructions;
  if (std::none_of(instructions.begin(), instructions.end(), is_strong_load)) return;
  FlagLoadAnalysis analysis(function);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const std::uint32_t index = first + static_cast<std::uint32_t>(i);
    if (may_poll(instructions[i]) && analysis.polls(i)) to.polls.insert(index);
    if (counts(instructions[i]) && analysis.is_compared(i)) to.arrivals.insert(index);
    if (is_strong_load(instructions[i]) && analysis.is_untested(i)) to.untested.insert(index);
  }
  std::vector<bool> polls(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i)
    polls[i] = to.polls.contains(first + static_cast<std::uint32_t>(i));
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const std::uint32_t index = first + static_cast<std::uint32_t>(i);
    if (to.untested.contains(index) && analysis.is_early(i, polls)) to.early.insert(index);
  }
}

}  // namespace warpgrade::emulator
