// Makes the finding about a race on global memory, with both sides.
#include <string>
#include <utility>

#include "checks/global_race/detector.hpp"
#include "findings/fault.hpp"

namespace warpgrade::emulator {
namespace {

Dim3 place_in(const Dim3& size, std::uint64_t linear) {
  return {static_cast<std::uint32_t>(linear % size.x), static_cast<std::uint32_t>(linear / size.x % size.y),
          static_cast<std::uint32_t>(linear / size.x / size.y)};
}

std::string words(const char* what, const Dim3& at) {
  return std::string(what) + " (" + std::to_string(at.x) + "," + std::to_string(at.y) + "," +
         std::to_string(at.z) + ")";
}

const char* name_of(Access::Kind kind) {
  return kind == Access::Kind::read ? "read" : kind == Access::Kind::write ? "write" : "atomic";
}

std::string sentence(Finding& finding, bool same_value) {
  const Site &here = finding.site, &there = finding.other;
  const auto verb = [](const Site& site) {
    return site.access == "read" ? " reads " : site.access == "write" ? " writes " : " updates ";
  };
  const bool one_block =
      here.block.x == there.block.x && here.block.y == there.block.y && here.block.z == there.block.z;
  std::string out = words("thread", here.thread) + " of " + words("block", here.block) + verb(here);
  out += place_words(finding.memory, "global memory");
  out += ", which " + words("thread", there.thread) +
         (one_block ? " of the same block" : " of " + words("block", there.block)) + verb(there);
  out.pop_back();
  if (same_value) out += " with the same value";
  if (finding.lacks_lock_fence) return out + ", behind a lock that was taken without a __threadfence()";
  return out + (one_block ? ", with no barrier between them" : ", and nothing orders two blocks of a launch");
}

std::string stale_sentence(Finding& finding) {
  return words("thread", finding.site.thread) + " of " + words("block", finding.site.block) + " reads " +
         place_words(finding.memory, "global memory") + " past the cache's coherence, which " +
         words("thread", finding.other.thread) + " of " + words("block", finding.other.block) +
         " has written in this launch";
}

std::string torn_sentence(Finding& finding) {
  return words("thread", finding.site.thread) + " of " + words("block", finding.site.block) +
         " reads at once, at " + place_words(finding.memory, "global memory") + ", what " +
         words("thread", finding.other.thread) + " of " + words("block", finding.other.block) +
         " writes by two stores, and may see one of them without the other";
}

std::string early_sentence(Finding& finding) {
  return words("thread", finding.site.thread) + " of " + words("block", finding.site.block) + " reads " +
         place_words(finding.memory, "global memory") + ", which " + words("thread", finding.other.thread) +
         " of " + words("block", finding.other.block) +
         " writes, before it waits for the flag that says it is there";
}

std::string seen_sentence(Finding& finding) {
  const char* verb = finding.site.access == "read" ? " reads " : " writes ";
  return words("thread", finding.site.thread) + " of " + words("block", finding.site.block) + verb +
         place_words(finding.memory, "global memory") + ", which " + words("thread", finding.other.thread) +
         " of " + words("block", finding.other.block) +
         " has written, behind a flag that its block read without a fence of the device's scope";
}

}  // namespace

void GlobalRaceDetector::report(const Lane& at, unsigned lane, std::uint64_t address,
                                const GlobalConflict& met) {
  const GlobalAccess& a = at.access;
  const FindingKind kind = met.is_stale     ? FindingKind::non_coherent_read
                           : met.is_seen    ? FindingKind::read_without_acquire
                           : met.same_value ? FindingKind::global_race_same_value
                                            : FindingKind::global_race;
  const std::uint32_t other = place_of(met.with).instruction;
  for (BlockFinding& each : found_) {
    Finding& known = each.finding;
    if (known.kind == kind && known.site.instruction == a.instruction && known.other.instruction == other) {
      ++known.times;
      return;
    }
  }
  constexpr std::size_t kMost = 100;
  if (found_.size() >= kMost) return;
  Finding finding;
  finding.kind = kind;
  finding.site.instruction = a.instruction;
  finding.site.block = place_in(request_.grid, at.block.linear);
  finding.site.thread = place_in(request_.block, a.warp * kWarpSize + lane);
  finding.site.access = name_of(a.kind);
  finding.has_other = true;
  finding.other.instruction = other;
  finding.other.block = place_in(request_.grid, block_of(met.with));
  finding.other.thread = place_in(request_.block, met.thread);
  finding.other.access = met.atomic ? "atomic" : met.writes ? "write" : "read";
  finding.memory = describe_global(memory_, address, a.bytes);
  finding.lacks_lock_fence = met.lacks_fence || knows_after_fence(at, met.with);
  finding.is_torn = met.is_torn;
  finding.is_early = met.is_early;
  finding.message = met.is_torn    ? torn_sentence(finding)
                    : met.is_early ? early_sentence(finding)
                    : met.is_stale ? stale_sentence(finding)
                    : met.is_seen  ? seen_sentence(finding)
                                   : sentence(finding, met.same_value);
  found_.push_back({at.block.linear, std::uint64_t{a.event} * kWarpSize + lane, std::move(finding)});
}

std::vector<GlobalRaceDetector::BlockFinding> GlobalRaceDetector::take_findings() {
  return std::exchange(found_, {});
}

}  // namespace warpgrade::emulator
