#include "checks/shared_race/finding.hpp"

#include <cstring>
#include <string>

#include "findings/fault.hpp"
#include "machine/block_checks.hpp"
#include "machine/used_bytes.hpp"

namespace warpgrade::emulator {
namespace {

FindingKind kind_of(const RaceReport& report) {
  if (report.same_value) return FindingKind::race_same_value;
  const bool both = report.other_writes && report.access.kind != Access::Kind::read;
  return both ? FindingKind::race_write_write : FindingKind::race_read_write;
}

std::string sentence(Finding& finding, const RaceReport& report) {
  std::string out = "thread " + to_text(finding.site.thread) + ' ' + verb_of(finding.site) + ' ';
  out += place_words(finding.memory, "shared memory");
  out += ", which thread " + to_text(finding.other.thread) + (report.other_writes ? " writes" : " reads");
  if (report.same_value) out += " with the same value";
  return out +
         (report.in_flight ? ", by a copy that it has not waited for" : ", with no barrier between them");
}

}  // namespace

bool is_used(const Access& access, unsigned offset) { return (used_bytes(access) >> offset & 0xfu) != 0; }

bool is_same_value(const Access& access, int lane, const VectorClockHistory::Conflict& other) {
  if (access.kind != Access::Kind::write || !other.writes || access.value == nullptr) return false;
  const auto* values = static_cast<const std::byte*>(access.value);
  const std::byte* mine = values + static_cast<unsigned>(lane) * access.bytes;
  const std::uint32_t other_lane = other.thread % kWarpSize;
  // Both sides are lanes of this access, so memory does not hold the other lane's value yet.
  const bool together = other.thread / kWarpSize == access.warp->index &&
                        other.instruction == access.at->index && (access.mask >> other_lane & 1u) != 0 &&
                        access.of(other_lane) == access.of(static_cast<unsigned>(lane));
  const std::byte* theirs = together ? values + other_lane * access.bytes
                                     : access.warp->block->shared + access.of(static_cast<unsigned>(lane));
  return std::memcmp(mine, theirs, access.bytes) == 0;
}

void report_race(const RaceReport& report) {
  const Access& access = report.access;
  const Block& block = *access.warp->block;
  const FindingKind kind = kind_of(report);
  BlockChecks& to = checks_of(block);
  if (to.again(kind, access.at->index) != nullptr || to.full()) return;
  Finding finding;
  finding.kind = kind;
  finding.site.instruction = access.at->index;
  finding.site.block = block.index;
  finding.site.thread = thread_of(*access.warp, report.lane);
  finding.site.access = name_of(access.kind);
  finding.has_other = true;
  finding.other.instruction = report.other_instruction;
  finding.other.block = block.index;
  finding.other.thread = index_in(block.launch->block, report.other_thread);
  finding.other.access = report.in_flight ? "copy" : report.other_writes ? "write" : "read";
  finding.memory = describe(block, access.warp, ptx::Space::shared, report.offset, access.bytes);
  finding.lanes = report.lanes;
  finding.message = sentence(finding, report);
  to.add(std::move(finding));
}

}  // namespace warpgrade::emulator
