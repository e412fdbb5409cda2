#include "checks/global_race/hand_over.hpp"

#include <cstddef>
#include <utility>

namespace warpgrade::emulator {

static std::uint64_t word_of(std::uint64_t address) { return address & ~std::uint64_t{3}; }

void HandOvers::store(std::uint64_t address, unsigned bytes, StrongStore store) {
  constexpr std::size_t kMost = std::size_t{1} << 16;  // words; a kernel with more uses them as data
  store.order = ++stores_;
  for (std::uint64_t word = word_of(address); word < address + bytes; word += 4)
    if (last_.size() < kMost || last_.contains(word)) last_[word] = store;
}

void HandOvers::poll(std::uint64_t address, std::uint64_t block, const Polled& by,
                     PolledBlocks& polled) const {
  const auto found = last_.find(word_of(address));
  if (found == last_.end() || found->second.block == block) return;
  Polled& last = polled[found->second.block];
  last = {found->second, by.thread, by.time};
}

bool HandOvers::lacks_fence(std::uint64_t address, std::uint32_t thread, const BlockClock& reader,
                            const PolledBlocks& polled) const {
  const auto found = last_.find(word_of(address));
  if (found == last_.end()) return false;
  const StrongStore& word = found->second;
  const auto waited = polled.find(word.block);
  if (waited == polled.end()) return false;
  const Polled& poll = waited->second;
  const StrongStore& flag = poll.store;
  const std::uint32_t warp = word.thread / kWarpSize;
  const bool before = word.order < flag.order && (warp == flag.thread / kWarpSize || word.time < flag.floor);
  const bool fenced = warp < flag.fenced.size() && word.time < flag.fenced[warp];
  const bool behind =
      poll.thread / kWarpSize == thread / kWarpSize || reader.ordered(poll.time, poll.thread, thread);
  return before && !fenced && behind;
}

}  // namespace warpgrade::emulator
