// Merges the findings of all workers into one list that does not depend on the number of workers.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "machine/observers.hpp"
#include "ptx/tree/toolkit_file.hpp"
#include "symbols/source_locations.hpp"

namespace warpgrade::emulator {
namespace {

// A place in the source: file and line, or the instruction if there is no line information.
using Where = std::pair<std::string, int>;
Where where(const Site& site) {
  if (site.line > 0) return {site.file, site.line};
  return {"", static_cast<int>(site.instruction)};
}

// The key under which findings are merged for a student: the kind, and one line or a pair of lines. An
// unrolled loop has many instructions on one line, and either side of a race may be the one that is reported.
using Key = std::tuple<FindingKind, Where, Where>;
Key key(const Finding& finding) {
  if (!finding.has_other) return {finding.kind, where(finding.site), {}};
  const Where here = where(finding.site), there = where(finding.other);
  return {finding.kind, std::min(here, there), std::max(here, there)};
}

bool is_race_of_blocks(const Finding& finding) {
  return finding.kind == FindingKind::global_race || finding.kind == FindingKind::global_race_same_value;
}

// Whether `other` makes `finding` redundant. A race with different values at a line covers the same race with
// equal values. A race with another block's writes covers an uninitialised read at the line, which depends on
// chance.
bool is_covered(const Finding& finding, const Finding& other) {
  if (finding.kind == FindingKind::global_race_same_value && other.kind == FindingKind::global_race) {
    auto [kind, here, there] = key(finding);
    return Key{FindingKind::global_race, here, there} == key(other);
  }
  return finding.kind == FindingKind::uninitialised_read && finding.memory.space == "global" &&
         is_race_of_blocks(other) &&
         (where(other.site) == where(finding.site) || where(other.other) == where(finding.site));
}

std::vector<Finding> without_covered(std::vector<Finding> all) {
  std::vector<const Finding*> by(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Finding& other) { return is_covered(all[i], other); });
    if (found == all.end()) continue;
    by[i] = &*found;
    if (is_race_of_blocks(all[i])) found->times += all[i].times;
  }
  std::vector<Finding> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (by[i] == nullptr) out.push_back(std::move(all[i]));
  return out;
}

// A finding about shared memory in a kernel that lies entirely in the toolkit's headers: not the student's
// error. Thrust's set_intersection(), for example, compares keys beyond its tile and ignores the result.
bool is_toolkits_own(const Finding& finding) {
  return finding.kind == FindingKind::uninitialised_read && finding.memory.space == "shared" &&
         ptx::is_toolkit_file(finding.site.file);
}

// Adds to the message where the uninitialised value is used.
void add_use(Finding& finding) {
  if (!std::exchange(finding.has_other, false) || finding.other.line < 1 ||
      where(finding.other) == where(finding.site))
    return;
  const bool elsewhere = finding.other.file != finding.site.file;
  finding.message += elsewhere ? "; " + finding.other.file + ":" + std::to_string(finding.other.line)
                               : "; line " + std::to_string(finding.other.line);
  finding.message += " depends on it";
}

}  // namespace

std::vector<Finding> merge(std::vector<std::vector<Observers::BlockFindings>> workers, std::uint64_t last,
                           const Program& program) {
  std::vector<Observers::BlockFindings*> blocks;
  for (auto& worker : workers)
    for (auto& block : worker)
      if (block.block <= last) blocks.push_back(&block);
  std::stable_sort(blocks.begin(), blocks.end(), [](auto* a, auto* b) { return a->block < b->block; });

  constexpr std::size_t kMost = 100;  // more would not help a student
  std::vector<Finding> out;
  std::map<Key, std::size_t> known;
  for (Observers::BlockFindings* block : blocks)
    for (Finding& finding : block->findings) {
      resolve(finding, program);
      if (is_toolkits_own(finding)) continue;
      if (check_of(finding.kind) == Check::init) add_use(finding);
      const auto found = known.find(key(finding));
      if (found != known.end()) {
        out[found->second].times += finding.times;
      } else if (out.size() < kMost) {
        known[key(finding)] = out.size();
        out.push_back(std::move(finding));
      }
    }
  return without_covered(std::move(out));
}

}  // namespace warpgrade::emulator
