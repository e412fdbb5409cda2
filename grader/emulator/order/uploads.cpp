#include "order/uploads.hpp"

#include <algorithm>

namespace warpgrade::emulator {

void Uploads::brought(std::uint64_t copy, const AddressRanges& bytes) {
  overwritten(bytes);
  for (const AddressRange& each : bytes.items()) waiting_[each.begin] = {each.end, copy};
}

void Uploads::overwritten(const AddressRanges& bytes) {
  for (const AddressRange& each : bytes.items()) take(each, false);
}

void Uploads::read(const AddressRanges& bytes) {
  for (const AddressRange& each : bytes.items()) take(each, true);
}

void Uploads::read_all() {
  for (const auto& [begin, each] : waiting_) read_[each.copy] += each.end - begin;
  waiting_.clear();
}

std::uint64_t Uploads::bytes_read(std::uint64_t copy) const {
  const auto found = read_.find(copy);
  return found == read_.end() ? 0 : found->second;
}

void Uploads::take(AddressRange range, bool counts) {
  auto at = waiting_.upper_bound(range.begin);
  if (at != waiting_.begin() && std::prev(at)->second.end > range.begin) --at;
  while (at != waiting_.end() && at->first < range.end) {
    const std::uint64_t begin = at->first;
    const Waiting here = at->second;
    at = waiting_.erase(at);
    if (counts) read_[here.copy] += std::min(here.end, range.end) - std::max(begin, range.begin);
    if (begin < range.begin) waiting_[begin] = {range.begin, here.copy};
    if (here.end > range.end) waiting_[range.end] = here;
  }
}

}  // namespace warpgrade::emulator
