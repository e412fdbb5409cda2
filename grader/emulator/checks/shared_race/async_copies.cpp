#include "checks/shared_race/async_copies.hpp"

#include <algorithm>
#include <bit>

#include "machine/memory/shared_units.hpp"

namespace warpgrade::emulator {

template <class Use>
void InFlightCopies::for_each_word(const Access& access, Use use) {
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t first = access.of(lane);
    for (std::uint64_t word = first / 4; word * 4 < first + access.bytes; ++word)
      use(lane, static_cast<std::uint32_t>(word));
  }
}

void InFlightCopies::block_begin(std::uint32_t words) {
  if (count_ != 0) {
    words_.clear();
    in_flight_.clear();
  }
  if (!words_.empty() && words_.size() < words) words_.resize(words);
  count_ = end_ = 0;
  begin_ = ~0u;
}

void InFlightCopies::issue(const Access& access) {
  for_each_word(access, [&](unsigned lane, std::uint32_t word) {
    if (word >= words_.size()) words_.resize(word + 1024);
    if (word / 64 >= in_flight_.size()) in_flight_.resize(word / 64 + 16);
    count_ += words_[word].thread == 0;
    in_flight_[word / 64] |= std::uint64_t{1} << word % 64;
    words_[word] = {access.warp->index * kWarpSize + lane + 1, access.at->index};
    begin_ = std::min(begin_, word * 4);
    end_ = std::max(end_, word * 4 + 4);
  });
}

void InFlightCopies::finish(const Access& access) {
  for_each_word(access, [&](unsigned, std::uint32_t word) {
    if (word >= words_.size() || words_[word].thread == 0) return;
    words_[word] = {};
    in_flight_[word / 64] &= ~(std::uint64_t{1} << word % 64);
    --count_;
  });
  if (count_ != 0) return;
  begin_ = ~0u;
  end_ = 0;
}

bool InFlightCopies::any_in(ByteRange range) const {
  const std::uint32_t first = range.begin / 4, last = (range.end - 1) / 4;
  std::uint64_t any = 0;
  for (std::uint32_t i = first / 64; i <= last / 64 && i < in_flight_.size(); ++i)
    any |= in_flight_[i] & unit_bits(i, first, last);
  return any != 0;
}

std::optional<InFlightCopies::CopyConflict> InFlightCopies::conflict_with(const Access& access,
                                                                          ByteRange range) const {
  if (!any_in(range)) return {};
  std::optional<CopyConflict> met;
  std::uint32_t lanes = 0;
  for_each_word(access, [&](unsigned lane, std::uint32_t word) {
    if (word >= words_.size() || words_[word].thread == 0) return;
    lanes |= 1u << lane;
    if (!met)
      met = {static_cast<int>(lane), word * 4, words_[word].thread - 1, words_[word].instruction, 0, {}};
    met->words.push_back(word);
  });
  if (met) met->lanes = static_cast<std::uint32_t>(std::popcount(lanes));
  return met;
}

}  // namespace warpgrade::emulator
