#include "launch/block_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace warpgrade::emulator {
namespace {

constexpr std::uint64_t kFewest = 2, kMost = 8, kOneOf = 64;  // footprints

// A block in the `number`th of `parts` equal parts of the grid. The position within the part varies: a fixed
// one would select the same column of a wide grid each time.
std::uint64_t place(std::uint64_t number, std::uint64_t parts, std::uint64_t all) {
  constexpr double kGolden = 0.6180339887498949;
  const double n = static_cast<double>(number), part = static_cast<double>(all) / static_cast<double>(parts);
  return std::min(all - 1, static_cast<std::uint64_t>((n + std::fmod((n + 1) * kGolden, 1.0)) * part));
}

}  // namespace

SampledBlocks sampled_blocks(std::uint64_t count, std::uint64_t all, std::uint64_t columns) {
  std::map<std::uint64_t, std::uint32_t> chosen;  // block → its pair
  const std::uint64_t wanted = std::min(count, all), pairs = (wanted + 1) / 2;
  const auto take = [&](std::uint64_t block, std::uint32_t pair) {
    while (!chosen.emplace(block % all, pair).second) ++block;  // take the next block that is not chosen yet
  };
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    const bool in_y = pair % 2 == 1 && columns < all;
    std::uint64_t one = place(pair, pairs, all);
    if (!in_y && columns > 1 && one % columns == columns - 1)
      --one;  // its right neighbour would be in the next row
    const std::uint64_t apart = in_y ? columns : 1;
    take(one, pair);
    if (chosen.size() < wanted) take(one + apart < all ? one + apart : one + all - apart, pair);
  }
  SampledBlocks found;
  for (const auto& [block, pair] : chosen) {
    found.blocks.push_back(block);
    found.pair.push_back(pair);
  }
  return found;
}

SampledBlocks footprint_blocks(const SampledBlocks& run, std::uint64_t all, std::uint64_t columns) {
  if (run.blocks.empty()) return sampled_blocks(std::clamp(all / kOneOf, kFewest, kMost), all, columns);
  SampledBlocks found;
  const std::uint64_t pairs = (run.blocks.size() + 1) / 2, every = (pairs + kMost / 2 - 1) / (kMost / 2);
  for (std::size_t i = 0; i < run.blocks.size(); ++i) {
    if (run.pair[i] % every != 0) continue;
    found.blocks.push_back(run.blocks[i]);
    found.pair.push_back(run.pair[i]);
  }
  return found;
}

void extrapolate(Counters& counters, double factor) {
  const auto grow = [factor](std::uint64_t& value) {
    value = static_cast<std::uint64_t>(static_cast<double>(value) * factor + 0.5);
  };
  for (std::uint64_t& value : counters.value) grow(value);
  for (auto& [first, executions] : counters.blocks) grow(executions);
  for (auto& [instruction, site] : counters.sites)
    for (std::uint64_t* value : {&site.executions, &site.lanes, &site.sectors, &site.ideal_sectors,
                                 &site.wavefronts, &site.ideal_wavefronts, &site.lines, &site.divergent})
      grow(*value);
}

}  // namespace warpgrade::emulator
