// Findings of many workers → one list that does not depend on how many there were.
#include <algorithm>
#include <map>
#include <utility>

#include "observe/observers.hpp"
#include "observe/sites.hpp"

namespace warpgrade::observe {

std::vector<Finding> merge(std::vector<std::vector<Observers::BlockFindings>> workers, std::uint64_t last,
                           const exec::Program& program) {
  std::vector<Observers::BlockFindings*> blocks;
  for (auto& worker : workers)
    for (auto& block : worker)
      if (block.block <= last) blocks.push_back(&block);
  std::sort(blocks.begin(), blocks.end(), [](auto* a, auto* b) { return a->block < b->block; });

  constexpr std::size_t kMost = 100;  // more tell a student nothing new
  std::vector<Finding> out;
  std::map<std::pair<Kind, std::uint32_t>, std::size_t> known;
  for (Observers::BlockFindings* block : blocks)
    for (Finding& finding : block->findings) {
      const auto [at, fresh] = known.try_emplace({finding.kind, finding.site.instruction}, out.size());
      if (!fresh) {
        out[at->second].times += finding.times;
      } else if (out.size() < kMost) {
        out.push_back(std::move(finding));
      } else {
        known.erase(at);
      }
    }
  for (Finding& finding : out) resolve(finding, program);
  return out;
}

}  // namespace warpgrade::observe
