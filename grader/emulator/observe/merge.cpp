// Findings of many workers → one list that does not depend on how many there were.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "observe/observers.hpp"
#include "observe/sites.hpp"

namespace warpgrade::observe {
namespace {

// Where something is in the source; without line information, which instruction it is.
using Where = std::pair<std::string, int>;
Where where(const Site& site) {
  if (site.line > 0) return {site.file, site.line};
  return {"", static_cast<int>(site.instruction)};
}

// What a student sees as one finding: a kind at a line, or between two lines. An unrolled loop has many
// instructions on one line, and a race between two lines shows from either side.
using Key = std::tuple<Kind, Where, Where>;
Key key(const Finding& finding) {
  if (!finding.has_other) return {finding.kind, where(finding.site), {}};
  const Where here = where(finding.site), there = where(finding.other);
  return {finding.kind, std::min(here, there), std::max(here, there)};
}

// Where the values differ sometimes, it says no more that they were equal at other times.
void drop_same_values(std::vector<Finding>& all) {
  const auto as_other = [](const Finding& finding) {
    auto [kind, here, there] = key(finding);
    return Key{Kind::global_race, here, there};
  };
  for (Finding& finding : all)
    if (finding.kind == Kind::global_race)
      for (const Finding& same : all)
        if (same.kind == Kind::global_race_same_value && as_other(same) == key(finding))
          finding.times += same.times;
  std::erase_if(all, [&](const Finding& same) {
    return same.kind == Kind::global_race_same_value &&
           std::any_of(all.begin(), all.end(), [&](const Finding& finding) {
             return finding.kind == Kind::global_race && as_other(same) == key(finding);
           });
  });
}

// A line whose reads race with another block's writes also reads what is not written yet, or not, as chance
// has it: the race is what is wrong.
void drop_chance_reads(std::vector<Finding>& all) {
  const auto races = [&](const Site& site) {
    return std::any_of(all.begin(), all.end(), [&](const Finding& each) {
      const bool race = each.kind == Kind::global_race || each.kind == Kind::global_race_same_value;
      return race && (where(each.site) == where(site) || where(each.other) == where(site));
    });
  };
  std::erase_if(all, [&](const Finding& finding) {
    return finding.kind == Kind::uninitialised_read && finding.memory.space == "global" &&
           races(finding.site);
  });
}

}  // namespace

std::vector<Finding> merge(std::vector<std::vector<Observers::BlockFindings>> workers, std::uint64_t last,
                           const exec::Program& program) {
  std::vector<Observers::BlockFindings*> blocks;
  for (auto& worker : workers)
    for (auto& block : worker)
      if (block.block <= last) blocks.push_back(&block);
  std::sort(blocks.begin(), blocks.end(), [](auto* a, auto* b) { return a->block < b->block; });

  constexpr std::size_t kMost = 100;  // more tell a student nothing new
  std::vector<Finding> out;
  std::map<Key, std::size_t> known;
  for (Observers::BlockFindings* block : blocks)
    for (Finding& finding : block->findings) {
      resolve(finding, program);
      const auto found = known.find(key(finding));
      if (found != known.end()) {
        out[found->second].times += finding.times;
      } else if (out.size() < kMost) {
        known[key(finding)] = out.size();
        out.push_back(std::move(finding));
      }
    }
  drop_same_values(out);
  drop_chance_reads(out);
  return out;
}

}  // namespace warpgrade::observe
