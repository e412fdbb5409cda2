#include "order/computed_bytes.hpp"

#include <algorithm>

namespace warpgrade::emulator {

void ComputedBytes::written(const AddressRanges& bytes) {
  for (const AddressRange& each : bytes.items()) add(each);
}

void ComputedBytes::overwritten(const AddressRanges& bytes) {
  for (const AddressRange& each : bytes.items()) remove(each);
}

void ComputedBytes::copied(const AddressRanges& from, const AddressRanges& to) {
  AddressRanges computed;
  auto source = from.items().begin();
  std::uint64_t skipped = 0;  // of the source's range
  for (const AddressRange& target : to.items())
    for (std::uint64_t at = target.begin; at < target.end && source != from.items().end();) {
      const std::uint64_t begin = source->begin + skipped;
      const std::uint64_t bytes = std::min(target.end - at, source->end - begin);
      const AddressRanges part = in({begin, begin + bytes});
      for (const AddressRange& each : part.items())
        computed.append({at + (each.begin - begin), at + (each.end - begin)});
      at += bytes;
      skipped += bytes;
      if (source->begin + skipped == source->end) ++source, skipped = 0;
    }
  overwritten(to);
  written(computed);
}

AddressRanges ComputedBytes::in(AddressRange range) const {
  AddressRanges found;
  if (is_anywhere_) found.append(range);
  if (is_anywhere_) return found;
  auto at = ranges_.upper_bound(range.begin);
  if (at != ranges_.begin()) --at;
  for (; at != ranges_.end() && at->first < range.end; ++at)
    found.append({std::max(at->first, range.begin), std::min(at->second, range.end)});
  return found;
}

void ComputedBytes::add(AddressRange range) {
  auto at = ranges_.upper_bound(range.begin);
  if (at != ranges_.begin() && std::prev(at)->second >= range.begin) --at;
  while (at != ranges_.end() && at->first <= range.end) {
    range = {std::min(range.begin, at->first), std::max(range.end, at->second)};
    at = ranges_.erase(at);
  }
  ranges_[range.begin] = range.end;
}

void ComputedBytes::remove(AddressRange range) {
  auto at = ranges_.upper_bound(range.begin);
  if (at != ranges_.begin() && std::prev(at)->second > range.begin) --at;
  while (at != ranges_.end() && at->first < range.end) {
    const AddressRange here{at->first, at->second};
    at = ranges_.erase(at);
    if (here.begin < range.begin) ranges_[here.begin] = range.begin;
    if (here.end > range.end) ranges_[range.end] = here.end;
  }
}

}  // namespace warpgrade::emulator
