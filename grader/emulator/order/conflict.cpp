#include "order/conflict.hpp"

#include <algorithm>
#include <utility>

namespace warpgrade::emulator {
namespace {

// A program that never waits must not exhaust memory; operations that are dropped are not compared.
constexpr std::size_t kMost = 20'000;

// Whether `reader` read a flag that `writer` set: a kernel that runs concurrently had written it.
bool has_seen_flag(const StreamOperation& writer, const StreamOperation& reader) {
  return reader.touched.flags.overlap(writer.touched.written_strongly).has_value();
}

bool touches(const TouchedMemory& memory, AddressRange bytes) {
  return memory.read.overlap(bytes) || memory.written.overlap(bytes) || memory.read_strongly.overlap(bytes) ||
         memory.written_strongly.overlap(bytes);
}

}  // namespace

std::optional<StreamConflict> conflict_of(const TouchedMemory& a, const TouchedMemory& b) {
  const auto pair = [](const AddressRanges& x, const AddressRanges& y, bool x_writes,
                       bool y_writes) -> std::optional<StreamConflict> {
    const auto bytes = x.overlap(y);
    if (!bytes) return {};
    return StreamConflict{nullptr, nullptr, x_writes, y_writes, *bytes};
  };
  if (auto found = pair(a.written, b.written, true, true)) return found;
  if (auto found = pair(a.written, b.read, true, false)) return found;
  if (auto found = pair(a.read, b.written, false, true)) return found;
  if (auto found = pair(a.written, b.written_strongly, true, true)) return found;
  if (auto found = pair(a.written_strongly, b.written, true, true)) return found;
  if (auto found = pair(a.written, b.read_strongly, true, false)) return found;
  if (auto found = pair(a.read_strongly, b.written, false, true)) return found;
  if (auto found = pair(a.written_strongly, b.read, true, false)) return found;
  return pair(a.read, b.written_strongly, false, true);
}

std::vector<StreamConflict> UnfinishedOperations::add(std::shared_ptr<const StreamOperation> operation) {
  std::vector<StreamConflict> found;
  if (operation->touched.empty()) return found;
  for (const auto& other : items_) {
    if (operation->is_after(*other) || other->is_after(*operation)) continue;
    // Allocations and releases conflict with work only, not with each other.
    if (operation->kind != StreamOperation::Kind::work && other->kind != StreamOperation::Kind::work)
      continue;
    auto conflict = conflict_of(other->touched, operation->touched);
    if (!conflict || has_seen_flag(*other, *operation)) continue;
    conflict->first = other;
    conflict->second = operation;
    found.push_back(std::move(*conflict));
  }
  if (items_.size() >= kMost) items_.erase(items_.begin(), items_.begin() + kMost / 2);
  items_.push_back(std::move(operation));
  return found;
}

void UnfinishedOperations::remove_known(const StreamClock& host) {
  std::erase_if(items_, [&](const auto& each) { return host.knows(each->timeline, each->tick); });
}

void UnfinishedOperations::forget(AddressRange bytes) {
  std::erase_if(items_, [&](const auto& each) { return touches(each->touched, bytes); });
}

}  // namespace warpgrade::emulator
