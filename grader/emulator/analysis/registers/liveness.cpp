#include "analysis/registers/liveness.hpp"

#include <algorithm>

#include "analysis/flow/def_use.hpp"
#include "isa/attribute.hpp"

namespace warpgrade::emulator {

using ptx::Opcode;
namespace {

// How one block uses a register.
struct BlockUse {
  std::uint32_t block = 0;
  bool read_first = false;  // before any unguarded write in the block
  bool kills = false;       // written without a guard
};

// The result may share a slot with an operand that is dead after the instruction. Instructions with several
// results, loads, calls and exchanges between lanes may still read an operand after their first write.
bool may_write_in_place(const ptx::Instruction& instruction, const RegistersUsed& used) {
  using enum isa::Attribute;
  return used.written.size() == 1 && instruction.opcode != Opcode::call &&
         !isa::is_any(instruction, load | atomic | collective);
}

class Scan {
 public:
  Scan(const ptx::Function& function, const ControlFlow& flow, const std::vector<bool>& ignored)
      : function_(function),
        flow_(flow),
        ignored_(ignored),
        intervals_(function.registers.size()),
        uses_(function.registers.size()),
        seen_(flow.blocks.size(), 0) {}

  std::vector<LiveInterval> run() {
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) scan_block(b);
    for (std::size_t r = 0; r < uses_.size(); ++r) spread(r);
    return std::move(intervals_);
  }

 private:
  void scan_block(std::uint32_t b) {
    for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
      const ptx::Instruction& instruction = function_.instructions[i];
      const RegistersUsed used = registers_used(instruction);
      const std::uint32_t read_at = 2 * i + (may_write_in_place(instruction, used) ? 0 : 1);
      for (std::int32_t r : used.read) note(static_cast<std::size_t>(r), b, read_at, true, false);
      const bool guarded = instruction.guard >= 0;
      for (std::int32_t r : used.written) note(static_cast<std::size_t>(r), b, 2 * i + 1, guarded, !guarded);
    }
  }

  void note(std::size_t r, std::uint32_t block, std::uint32_t point, bool reads, bool kills) {
    if (ignored_[r]) return;
    intervals_[r].include(point);
    std::vector<BlockUse>& uses = uses_[r];
    if (uses.empty() || uses.back().block != block) uses.push_back({block, false, false});
    if (reads && !uses.back().kills) uses.back().read_first = true;
    if (kills) uses.back().kills = true;
  }

  // Walks back from each block that reads the register before writing it to the blocks that write it.
  void spread(std::size_t r) {
    const std::vector<BlockUse>& uses = uses_[r];
    ++stamp_;
    work_.clear();
    for (const BlockUse& use : uses) {
      if (use.read_first) enter(use.block);
    }
    while (!work_.empty()) {
      const std::uint32_t block = work_.back();
      work_.pop_back();
      intervals_[r].include(2 * flow_.blocks[block].first);
      if (block == 0) intervals_[r].before_entry = true;
      for (std::uint32_t from : flow_.blocks[block].predecessors) {
        intervals_[r].include(2 * flow_.blocks[from].end - 1);
        if (!kills(uses, from)) enter(from);
      }
    }
  }

  void enter(std::uint32_t block) {
    if (seen_[block] == stamp_) return;
    seen_[block] = stamp_;
    work_.push_back(block);
  }

  static bool kills(const std::vector<BlockUse>& uses, std::uint32_t block) {
    auto at = std::lower_bound(uses.begin(), uses.end(), block,
                               [](const BlockUse& use, std::uint32_t b) { return use.block < b; });
    return at != uses.end() && at->block == block && at->kills;
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  const std::vector<bool>& ignored_;
  std::vector<LiveInterval> intervals_;
  std::vector<std::vector<BlockUse>> uses_;  // indexed by register, in the order of the blocks
  std::vector<std::uint32_t> seen_, work_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

std::vector<LiveInterval> find_live_intervals(const ptx::Function& function, const ControlFlow& flow,
                                              const std::vector<bool>& ignored) {
  return Scan(function, flow, ignored).run();
}

int register_pressure(const ptx::Function& function, const std::vector<LiveInterval>& intervals) {
  std::vector<int> change(2 * function.instructions.size() + 2, 0);
  for (std::size_t r = 0; r < intervals.size(); ++r) {
    if (!intervals[r].occurs() || function.registers[r].type == ptx::Type::pred) continue;
    const int words = std::max(1, ptx::size_in_bytes(function.registers[r].type) / 4);
    change[intervals[r].begin] += words;
    change[intervals[r].end + 1] -= words;
  }
  int now = 0, most = 0;
  for (int step : change) most = std::max(most, now += step);
  return most;
}

}  // namespace warpgrade::emulator
