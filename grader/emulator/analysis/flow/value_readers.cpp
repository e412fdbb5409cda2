#include "analysis/flow/value_readers.hpp"

#include <algorithm>

namespace warpgrade::emulator {

std::vector<std::size_t> readers_behind(const ptx::Function& function, const ControlFlow& control,
                                        const ValueFlow& values, std::size_t from, std::int32_t value) {
  const auto is_among = [value](const std::vector<std::int32_t>& those) {
    return std::find(those.begin(), those.end(), value) != those.end();
  };
  std::vector<std::size_t> readers;
  std::vector<bool> seen(control.blocks.size());
  std::vector<std::uint32_t> left;
  const auto walk = [&](std::size_t i, const BasicBlock& block) {
    for (; i < block.end; ++i) {
      if (is_among(values.steps()[i].read)) readers.push_back(i);
      if (is_among(values.steps()[i].written) && function.instructions[i].guard < 0) return;
    }
    left.insert(left.end(), block.successors.begin(), block.successors.end());
  };
  walk(from + 1, control.blocks[control.block_of[from]]);
  while (!left.empty()) {
    const std::uint32_t b = left.back();
    left.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    walk(control.blocks[b].first, control.blocks[b]);
  }
  return readers;
}

}  // namespace warpgrade::emulator
