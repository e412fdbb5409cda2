// Makes the finding about a race on global memory, with both sides.
#include <string>
#include <utility>

#include "checks/global_race/detector.hpp"
#include "findings/fault.hpp"

namespace warpgrade::emulator {
namespace {

std::string thread_words(const Site& site) {
  return "thread " + to_text(site.thread) + " of block " + to_text(site.block);
}

std::string sentence(Finding& finding, bool same_value) {
  const Site &here = finding.site, &there = finding.other;
  const bool one_block = here.block == there.block;
  std::string out = thread_words(here) + ' ' + verb_of(here) + ' ';
  out += place_words(finding.memory, "global memory");
  out += ", which " +
         (one_block ? "thread " + to_text(there.thread) + " of the same block" : thread_words(there));
  out += std::string(" ") + verb_of(there);
  if (same_value) out += " with the same value";
  if (finding.lacks_lock_fence) return out + ", behind a lock that was taken without a __threadfence()";
  return out + (one_block ? ", with no barrier between them" : ", and nothing orders two blocks of a launch");
}

std::string stale_sentence(Finding& finding) {
  return thread_words(finding.site) + " reads " + place_words(finding.memory, "global memory") +
         " past the cache's coherence, which " + thread_words(finding.other) + " has written in this launch";
}

std::string torn_sentence(Finding& finding) {
  return thread_words(finding.site) + " reads at once, at " + place_words(finding.memory, "global memory") +
         ", what " + thread_words(finding.other) +
         " writes by two stores, and may see one of them without the other";
}

std::string early_sentence(Finding& finding) {
  return thread_words(finding.site) + " reads " + place_words(finding.memory, "global memory") + ", which " +
         thread_words(finding.other) + " writes, before it waits for the flag that says it is there";
}

std::string seen_sentence(Finding& finding) {
  return thread_words(finding.site) + ' ' + verb_of(finding.site) + ' ' +
         place_words(finding.memory, "global memory") + ", which " + thread_words(finding.other) +
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
  finding.site.block = index_in(request_.grid, at.block.linear);
  finding.site.thread = index_in(request_.block, a.warp * kWarpSize + lane);
  finding.site.access = name_of(a.kind);
  finding.has_other = true;
  finding.other.instruction = other;
  finding.other.block = index_in(request_.grid, block_of(met.with));
  finding.other.thread = index_in(request_.block, met.thread);
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
