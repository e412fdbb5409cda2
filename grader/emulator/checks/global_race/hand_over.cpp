#include "checks/global_race/hand_over.hpp"

#include <cstddef>
#include <utility>

namespace warpgrade::emulator {

static std::uint64_t word_of(std::uint64_t address) { return address & ~std::uint64_t{3}; }

void HandOvers::store(std::uint64_t address, unsigned bytes, StrongStore store) {
  constexpr std::size_t kMost = std::size_t{1} << 16;  // words; a kernel with more uses them as data
  store.order = ++stores_;
  for (std::uint64_t word = word_of(address); word < address + bytes; word += 4)
    if (last_.size() < kMost || last_.contains(word)) {
      StrongStore& last = last_[word];
      const bool again = last.order != 0 && last.block == store.block && last.thread == store.thread;
      const std::uint64_t began = again ? last.began : store.order;
      last = store;
      last.began = began;
      counts_.erase(word);
    }
}

void HandOvers::count(std::uint64_t address, StrongStore update) {
  constexpr std::size_t kMostWords = 1024, kMostBlocks = 256;  // a kernel with more counts data
  update.order = ++stores_;
  const std::uint64_t word = word_of(address);
  if (counts_.size() >= kMostWords && !counts_.contains(word)) return;
  auto& blocks = counts_[word];
  if (blocks.size() < kMostBlocks || blocks.contains(update.block)) blocks[update.block] = std::move(update);
}

// Whether the first store comes before the second one in the program.
static bool precedes(const StrongStore& first, const StrongStore& second) {
  return first.block == second.block && first.order < second.order &&
         (first.thread / kWarpSize == second.thread / kWarpSize || first.time < second.floor);
}
static bool fence_between(const StrongStore& first, const StrongStore& second) {
  const std::uint32_t warp = first.thread / kWarpSize;
  return warp < second.fenced.size() && first.time < second.fenced[warp];
}

void HandOvers::poll(std::uint64_t address, std::uint64_t block, const Polled& by,
                     PolledBlocks& polled) const {
  const auto sees = [&](const StrongStore& store) {
    Polled& last = polled[store.block];
    if (store.block != block && last.store.order <= store.order) last = {store, by.thread, by.time};
  };
  if (const auto found = last_.find(word_of(address)); found != last_.end()) sees(found->second);
  const auto counted = counts_.find(word_of(address));
  if (counted == counts_.end()) return;
  for (const auto& [other, update] : counted->second) sees(update);
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
  const bool behind =
      poll.thread / kWarpSize == thread / kWarpSize || reader.ordered(poll.time, poll.thread, thread);
  return precedes(word, flag) && !fence_between(word, flag) && behind;
}

const StrongStore* HandOvers::torn(std::uint64_t word, std::uint64_t address, unsigned bytes,
                                   const WideLoad& load) const {
  const auto found = last_.find(word_of(word));
  if (found == last_.end()) return nullptr;
  const StrongStore& second = found->second;
  const auto is_tested = [&](std::uint64_t at) {
    return (load.tested >> (at - word_of(address)) / 4 & 1) != 0;
  };
  for (std::uint64_t other = word_of(address); other < address + bytes; other += 4) {
    const auto before = last_.find(other);
    if (before == last_.end() || !precedes(before->second, second)) continue;
    if (before->second.thread != second.thread) continue;
    const bool says_too_much =
        is_tested(other) && !is_tested(word_of(word)) && second.began > before->second.order;
    if (!fence_between(before->second, second) || load.is_tested_at_once || says_too_much) return &second;
  }
  return nullptr;
}

}  // namespace warpgrade::emulator
