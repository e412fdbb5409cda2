#include "checks/shared_race/proxy_writes.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "checks/shared_race/finding.hpp"
#include "findings/fault.hpp"
#include "machine/block_checks.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kMostFlags = 1024;
constexpr std::uint64_t kOtherFlags = ~std::uint64_t{0};  // the key of all flags beyond kMostFlags

void report(const BulkIssue& copy, std::uint64_t offset, std::uint32_t thread, std::uint32_t instruction) {
  const Block& block = *copy.warp->block;
  BlockChecks& to = checks_of(block);
  if (to.again(FindingKind::missing_proxy_fence, copy.at->index) != nullptr || to.full()) return;
  Finding finding;
  finding.kind = FindingKind::missing_proxy_fence;
  finding.site.instruction = copy.at->index;
  finding.site.block = block.index;
  finding.site.thread = thread_of(*copy.warp, static_cast<int>(copy.lane));
  finding.site.access = "copy";
  finding.has_other = true;
  finding.other.instruction = instruction;
  finding.other.block = block.index;
  finding.other.thread = index_in(block.launch->block, thread);
  finding.other.access = "write";
  finding.memory = describe(block, copy.warp, ptx::Space::shared, offset, 4);
  finding.lanes = 1;
  finding.message = "thread " + to_text(finding.site.thread) + " copies " +
                    place_words(finding.memory, "shared memory") + ", which thread " +
                    to_text(finding.other.thread) +
                    " has written, with no fence.proxy.async in between: the copy may read old bytes";
  to.add(std::move(finding));
}

}  // namespace

void ProxyWrites::block_begin(const Block& block) {
  words_.resize((block.shared_bytes + 3) / 4);
  order_.begin(block.warps);
  begin_ = order_.now();
  visible_.assign(block.warps, ThreadClock(std::size_t{block.warps} * kWarpSize));
  any_fence_ = false;
  arrived_.clear();
  flags_.clear();
}

void ProxyWrites::access(const Access& access) {
  const bool may_hand_over = access.kind == Access::Kind::atomic || access.is_strong || access.is_volatile;
  if (may_hand_over && !access.is_bulk) hand_over(access);
  if (access.space != ptx::Space::shared || access.kind == Access::Kind::read) return;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t first = access.of(lane), end = first + access.bytes;
    LastWrite write;
    if (!access.is_bulk) write = {order_.now(), access.warp->index * kWarpSize + lane, access.at->index};
    for (std::uint64_t word = first / 4; word * 4 < end && word < words_.size(); ++word) words_[word] = write;
  }
}

ProxyWrites::Flag& ProxyWrites::flag_at(std::uint64_t word) {
  const bool fits = flags_.size() < kMostFlags || flags_.contains(word);
  return flags_[fits ? word : kOtherFlags];
}

void ProxyWrites::acquire(std::uint32_t warp, std::uint64_t word) {
  const auto found = flags_.find(word);
  if (found == flags_.end()) return;
  order_.learn(warp, found->second.clock);
  raise(visible_[warp], found->second.visible);
}

void ProxyWrites::phase_completed(std::uint32_t offset) {
  const auto found = flags_.find(offset / 4);
  if (found == flags_.end()) return;
  const Flag arrived = found->second;
  Flag& completed = flag_at(offset / 4 + 1);
  raise(completed.clock, arrived.clock);
  raise(completed.visible, arrived.visible);
}

// A warp that reads a flag is ordered after all warps that have written it.
void ProxyWrites::hand_over(const Access& access) {
  const std::uint32_t warp = access.warp->index;
  std::vector<std::uint64_t> words;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const std::uint64_t first = access.of(static_cast<unsigned>(std::countr_zero(left)));
    for (std::uint64_t word = first / 4; word * 4 < first + access.bytes; ++word)
      if (words.empty() || words.back() != word) words.push_back(word);
  }
  if (access.kind != Access::Kind::write && !access.is_data) {
    acquire(warp, kOtherFlags);
    for (const std::uint64_t word : words) acquire(warp, word);
  }
  if (access.kind == Access::Kind::read) return;
  order_.fence();
  WarpClock own;
  order_.before(warp, order_.now(), own);
  for (const std::uint64_t word : words) {
    Flag& flag = flag_at(word);
    raise(flag.clock, own);
    raise(flag.visible, visible_[warp]);
  }
}

void ProxyWrites::block_barrier() {
  order_.block_barrier();
  if (std::exchange(any_fence_, false)) share_visible(nullptr, {});
}

void ProxyWrites::arrival(std::uint32_t warp, std::uint32_t id) {
  order_.arrival(warp, id);
  raise(arrived_[id], visible_[warp]);
}

void ProxyWrites::partial_barrier(std::uint32_t id, const std::uint32_t* warp_masks) {
  order_.partial_barrier(id, warp_masks);
  const auto arrived = arrived_.extract(id);
  share_visible(warp_masks, arrived ? arrived.mapped() : ThreadClock());
}

// What is visible to one of these warps is visible to all of them. Null: all warps.
void ProxyWrites::share_visible(const std::uint32_t* warp_masks, ThreadClock all) {
  const auto takes_part = [&](std::size_t warp) { return warp_masks == nullptr || warp_masks[warp] != 0; };
  for (std::size_t warp = 0; warp < visible_.size(); ++warp)
    if (takes_part(warp)) raise(all, visible_[warp]);
  for (std::size_t warp = 0; warp < visible_.size(); ++warp)
    if (takes_part(warp)) visible_[warp] = all;
}

// Makes visible what the fencing lanes have written, and what is ordered before the fence.
void ProxyWrites::fence(const Warp& warp) {
  order_.fence();
  any_fence_ = true;
  ThreadClock& visible = visible_[warp.index];
  const std::uint32_t first = warp.index * kWarpSize;
  for (std::uint32_t thread = 0; thread < visible.size(); ++thread) {
    const bool fences = thread / kWarpSize == warp.index && (warp.active >> thread % kWarpSize & 1u) != 0;
    if (fences) visible[thread] = order_.now();
    for (std::uint32_t left = fences ? 0 : warp.active; left != 0; left &= left - 1) {
      const std::uint32_t by = first + static_cast<std::uint32_t>(std::countr_zero(left));
      visible[thread] = std::max(visible[thread], order_.ordered_until(thread, by));
      if (thread / kWarpSize != warp.index) break;  // the same for all lanes
    }
  }
}

// A copy that is not ordered after the write at all is a race, and reported as such.
bool ProxyWrites::lacks_fence(const LastWrite& write, std::uint32_t copier) const {
  return write.time >= begin_ && write.time >= visible_[copier / kWarpSize][write.thread] &&
         order_.ordered(write.time, write.thread, copier);
}

void ProxyWrites::copy_issued(const BulkIssue& copy) const {
  if (copy.source_space != ptx::Space::shared) return;
  const std::uint32_t copier = copy.warp->index * kWarpSize + copy.lane;
  const std::uint64_t end = std::min<std::uint64_t>((copy.source + copy.bytes + 3) / 4, words_.size());
  for (std::uint64_t word = copy.source / 4; word < end; ++word)
    if (lacks_fence(words_[word], copier))
      return report(copy, word * 4, words_[word].thread, words_[word].instruction);
}

}  // namespace warpgrade::emulator
