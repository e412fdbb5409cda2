#include "machine/memory/address_ranges.hpp"

#include <algorithm>

namespace warpgrade::emulator {

std::optional<AddressRange> AddressRanges::overlap(AddressRange range) const {
  const auto at =
      std::upper_bound(items_.begin(), items_.end(), range.begin,
                       [](std::uint64_t begin, const AddressRange& each) { return begin < each.end; });
  if (at == items_.end() || at->begin >= range.end) return {};
  return AddressRange{std::max(at->begin, range.begin), std::min(at->end, range.end)};
}

std::optional<AddressRange> AddressRanges::overlap(const AddressRanges& other) const {
  const AddressRange mine = hull(), its = other.hull();
  if (mine.begin >= its.end || its.begin >= mine.end) return {};
  // Look each interval of the smaller set up in the larger one.
  const bool fewer = items_.size() <= other.items_.size();
  const AddressRanges &few = fewer ? *this : other, &many = fewer ? other : *this;
  for (const AddressRange& each : few.items_)
    if (const auto found = many.overlap(each)) return found;
  return {};
}

}  // namespace warpgrade::emulator
