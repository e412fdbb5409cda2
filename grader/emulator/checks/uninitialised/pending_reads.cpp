#include "checks/uninitialised/pending_reads.hpp"

#include <bit>
#include <string>

#include "checks/uninitialised/first_writers.hpp"
#include "findings/fault.hpp"
#include "machine/block_checks.hpp"
#include "machine/launch.hpp"

namespace warpgrade::emulator {
namespace {

Finding finding_of(const PendingRead& read) {
  if (read.shuffle) return *read.shuffle;
  const Access& access = read.access;
  const Block& block = *read.warp.block;
  const int lane = std::countr_zero(read.lanes);
  Finding finding;
  finding.kind = kind_of(read);
  finding.site.instruction = read.instruction;
  finding.site.block = block.index;
  finding.site.thread = thread_of(read.warp, lane);
  finding.site.access = name_of(access.kind);
  finding.memory = describe(block, &read.warp, access.space, read.address[lane], access.bytes);
  finding.lanes = static_cast<std::uint32_t>(std::popcount(read.lanes));
  finding.message = finding.site.access + " of " + std::to_string(access.bytes) + " bytes of " +
                    space_words(access.space) + " that nothing has written";
  if (read.writer >= 0) {
    finding.has_writer = true;
    finding.writer = finding.site;
    finding.writer.thread = thread_of(read.warp, read.writer);
    finding.writer.access = "write";
  }
  const std::string place = place_words(finding.memory, "");
  if (!place.empty()) finding.message += ": " + place;
  return finding;
}

Finding variable_finding(const PendingRead& read) {
  Finding finding;
  finding.kind = FindingKind::uninitialised_variable;
  finding.site.instruction = read.instruction;
  finding.site.block = read.warp.block->index;
  finding.site.thread = thread_of(read.warp, std::countr_zero(read.lanes));
  finding.site.access = "read";
  finding.lanes = static_cast<std::uint32_t>(std::popcount(read.lanes));
  finding.message = "a variable is used before it has a value";
  return finding;
}

// The shared array around the word that the memory names.
FirstWriters::ArrayRange array_around(const Memory& memory) {
  const auto begin = memory.address - static_cast<std::uint64_t>(memory.distance);
  return {begin, begin + memory.allocation_bytes};
}

// The parts of the read's array that have been stored by now.
std::optional<std::vector<WrittenBytes>> written_around(const PendingRead& read) {
  const Block& block = *read.warp.block;
  const FirstWriters* written = definedness_of(block).written;
  if (written == nullptr || read.lanes == 0) return {};
  const Memory memory = describe(block, &read.warp, read.access.space,
                                 read.address[std::countr_zero(read.lanes)], read.access.bytes);
  if (memory.relation != Placement::inside) return {};
  return written->written(array_around(memory));
}

// The store and the thread that should have written the word of shared memory, by the pattern of its array's
// other words.
void add_writer(Finding& finding, const PendingRead& read) {
  const Block& block = *read.warp.block;
  const FirstWriters* written = definedness_of(block).written;
  if (written == nullptr || read.access.space != ptx::Space::shared ||
      finding.memory.relation != Placement::inside)
    return;
  const std::optional<FirstWriters::Writer> missing =
      written->missing_writer(block, finding.memory.address, array_around(finding.memory));
  if (!missing) return;
  finding.has_writer = true;
  finding.writer.instruction = missing->instruction;
  finding.writer.block = block.index;
  finding.writer.thread = index_in(block.launch->block, missing->thread);
  finding.writer.access = "write";
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

FindingKind kind_of(const PendingRead& read) {
  if (read.shuffle) return read.shuffle->kind;
  return read.access.space == ptx::Space::local ? FindingKind::uninitialised_variable
                                                : FindingKind::uninitialised_read;
}

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

std::uint32_t PendingReads::add_register(const Warp& warp, std::uint32_t instruction) {
  entries_.emplace_back();
  PendingEntry& entry = entries_.back();
  entry.read.warp = warp;
  entry.read.instruction = instruction;
  entry.read.lanes = warp.alive;
  entry.is_register = true;
  return static_cast<std::uint32_t>(entries_.size() - 1);
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
    if (!entry.reported) entry.written = written_around(entry.read);
    if (entry.used && entry.read.lanes != 0) report(entry);
  }
}

void PendingReads::report(PendingEntry& entry) {
  entry.reported = true;
  BlockChecks& to = checks_of(*entry.read.warp.block);
  const FindingKind kind = entry.is_register ? FindingKind::uninitialised_variable : kind_of(entry.read);
  if (to.again(kind, entry.read.instruction) != nullptr || to.full()) return;
  Finding finding = entry.is_register ? variable_finding(entry.read) : finding_of(entry.read);
  if (!entry.is_register && !entry.read.shuffle) add_writer(finding, entry.read);
  finding.written = entry.written;
  if (entry.by != entry.read.instruction) {
    finding.has_other = true;  // until merge() knows the lines
    finding.other = finding.site;
    finding.other.instruction = entry.by;
    finding.other.access = "use";
  }
  to.add(std::move(finding));
}

}  // namespace warpgrade::emulator
