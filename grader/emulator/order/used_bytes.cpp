#include "order/used_bytes.hpp"

#include <algorithm>

namespace warpgrade::emulator {

void UsedBytes::written(std::uint64_t writer, const AddressRanges& bytes) {
  overwritten(bytes);
  for (const AddressRange& each : bytes.items()) waiting_[each.begin] = {each.end, writer};
}

void UsedBytes::overwritten(const AddressRanges& bytes) {
  for (const AddressRange& each : bytes.items()) take(each, false);
}

void UsedBytes::used(const AddressRanges& bytes) {
  for (const AddressRange& each : bytes.items()) take(each, true);
}

void UsedBytes::used_all() {
  for (const auto& [begin, each] : waiting_) used_[each.writer] += each.end - begin;
  waiting_.clear();
}

std::uint64_t UsedBytes::of(std::uint64_t writer) const {
  const auto found = used_.find(writer);
  return found == used_.end() ? 0 : found->second;
}

void UsedBytes::take(AddressRange range, bool counts) {
  auto at = waiting_.upper_bound(range.begin);
  if (at != waiting_.begin() && std::prev(at)->second.end > range.begin) --at;
  while (at != waiting_.end() && at->first < range.end) {
    const std::uint64_t begin = at->first;
    const Waiting here = at->second;
    at = waiting_.erase(at);
    if (counts) used_[here.writer] += std::min(here.end, range.end) - std::max(begin, range.begin);
    if (begin < range.begin) waiting_[begin] = {range.begin, here.writer};
    if (here.end > range.end) waiting_[range.end] = here;
  }
}

}  // namespace warpgrade::emulator
