#include "checks/uninitialised/pending_reads.hpp"

#include <bit>
#include <string>

#include "findings/fault.hpp"
#include "machine/block_checks.hpp"

namespace warpgrade::emulator {
namespace {

FindingKind kind_of(const PendingRead& read) {
  return read.shuffle ? read.shuffle->kind : FindingKind::uninitialised_read;
}

Finding finding_of(const PendingRead& read) {
  if (read.shuffle) return *read.shuffle;
  const Access& access = read.access;
  const Block& block = *read.warp.block;
  const int lane = std::countr_zero(read.lanes);
  Finding finding;
  finding.kind = FindingKind::uninitialised_read;
  finding.site.instruction = read.instruction;
  finding.site.block = block.index;
  finding.site.thread = thread_of(read.warp, lane);
  finding.site.access = access.kind == Access::Kind::atomic ? "atomic" : "read";
  finding.memory = describe(block, &read.warp, access.space, read.address[lane], access.bytes);
  finding.lanes = static_cast<std::uint32_t>(std::popcount(read.lanes));
  finding.message = finding.site.access + " of " + std::to_string(access.bytes) + " bytes of " +
                    space_words(access.space) + " that nothing has written";
  if (finding.memory.relation == Placement::inside)
    finding.message +=
        ": byte " + std::to_string(finding.memory.distance) + " of " + finding.memory.allocation;
  return finding;
}

// Lanes whose words did not race since the last barrier.
std::uint32_t without_raced(const PendingRead& read) {
  const auto& raced = checks_of(*read.warp.block).raced_words;
  std::uint32_t lanes = read.lanes;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t first = read.address[lane] / 4,
                        last = (read.address[lane] + read.access.bytes - 1) / 4;
    for (std::uint64_t word = first; word <= last; ++word)
      if (raced.contains(static_cast<std::uint32_t>(word))) lanes &= ~(1u << lane);
  }
  return lanes;
}

}  // namespace

// A loop whose reads are never used has one entry for each warp, however often it iterates.
std::uint32_t PendingReads::add(const PendingRead& read) {
  constexpr std::size_t kMost = 4096;
  const auto next = static_cast<std::uint32_t>(entries_.size());
  const auto [found, fresh] = known_.try_emplace({read.instruction, read.warp.index}, next);
  const bool taken = !fresh && entries_[found->second].used;
  if (taken && (entries_[found->second].reported || next >= kMost)) return found->second;
  if (taken) found->second = next;
  if (taken || fresh) entries_.emplace_back();
  PendingEntry& entry = entries_[found->second];
  entry.read = read;
  entry.waits = !read.shuffle && read.access.space == ptx::Space::shared;
  return found->second;
}

void PendingReads::used(std::uint32_t number, std::uint32_t at) {
  PendingEntry& entry = entries_[number];
  if (entry.used) return;
  entry.used = true;
  entry.by = at;
  if (!entry.waits && entry.read.lanes != 0) report(entry);
}

void PendingReads::add_used(const PendingRead& read) { used(add(read), read.instruction); }

void PendingReads::block_barrier() {
  for (PendingEntry& entry : entries_) {
    if (!entry.waits) continue;
    entry.waits = false;
    entry.read.lanes = without_raced(entry.read);
    if (entry.used && entry.read.lanes != 0) report(entry);
  }
}

void PendingReads::report(PendingEntry& entry) {
  entry.reported = true;
  BlockChecks& to = checks_of(*entry.read.warp.block);
  if (to.again(kind_of(entry.read), entry.read.instruction) != nullptr || to.full()) return;
  Finding finding = finding_of(entry.read);
  if (entry.by != entry.read.instruction) {
    finding.has_other = true;  // until merge() knows the lines
    finding.other = finding.site;
    finding.other.instruction = entry.by;
    finding.other.access = "use";
  }
  to.add(std::move(finding));
}

}  // namespace warpgrade::emulator
