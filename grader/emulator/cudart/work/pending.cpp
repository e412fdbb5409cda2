#include "cudart/work/pending.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {
namespace {

std::size_t span(const CopyWork& copy) {
  return copy.width + (copy.height - 1) * copy.from_pitch + (copy.depth - 1) * copy.from_slice;
}

}  // namespace

void PendingWork::add(Runtime& runtime, const Stream& stream, Work work, Operation operation) {
  Item item;
  item.serial = ++serial_;
  item.legacy = &stream == &runtime.handles.legacy;
  item.blocking = !item.legacy && (stream.flags & cudaStreamNonBlocking) == 0;
  item.stream = stream.id;
  if (auto* copy = std::get_if<CopyWork>(&work); copy != nullptr && !warpgrade::cudart::empty(*copy)) {
    const bool to_host = is_pageable(runtime, copy->to), from_host = is_pageable(runtime, copy->from);
    if (to_host) {  // CUDA waits for the stream, copies, and returns
      finish(runtime, stream);
      return run(runtime, work, operation);
    }
    if (from_host) {  // CUDA reads the source before it returns
      const auto* begin = static_cast<const std::byte*>(copy->from);
      item.staged.assign(begin, begin + span(*copy));
      copy->from = item.staged.data();
    }
  }
  if (auto* record = std::get_if<RecordWork>(&work)) {
    item.event = record->event;
    record->event->last_record = item.serial;
  }
  if (const auto* wait = std::get_if<WaitWork>(&work)) item.waits_for = wait->event->last_record;
  item.work = std::move(work);
  item.operation = std::move(operation);
  items_.push_back(std::move(item));
}

// Backwards, so that an item is marked before those that it depends on are looked at.
void PendingWork::run_needed(Runtime& runtime, std::size_t end) {
  std::set<std::uint64_t> streams, records;
  bool before_legacy = false, before_blocking = false;
  for (std::size_t i = end; i-- != 0;) {
    Item& item = items_[i];
    item.needed |= streams.contains(item.stream) || records.contains(item.serial) ||
                   (item.blocking && before_legacy) || (item.legacy && before_blocking);
    if (!item.needed) continue;
    streams.insert(item.stream);
    before_legacy |= item.legacy;
    before_blocking |= item.blocking;
    if (item.waits_for != 0) records.insert(item.waits_for);
  }
  std::deque<Item> all = std::exchange(items_, {});
  std::vector<Item> now;
  for (Item& item : all)
    if (item.needed)
      now.push_back(std::move(item));
    else
      items_.push_back(std::move(item));
  for (const Item& item : now) run(runtime, item.work, item.operation);
  require(runtime.sticky == cudaSuccess, runtime.sticky);
}

void PendingWork::finish(Runtime& runtime, const Stream& stream) {
  const bool legacy = &stream == &runtime.handles.legacy;
  const bool blocking = !legacy && (stream.flags & cudaStreamNonBlocking) == 0;
  for (Item& item : items_)
    item.needed = item.stream == stream.id || (legacy && item.blocking) || (blocking && item.legacy);
  run_needed(runtime, items_.size());
}

void PendingWork::finish(Runtime& runtime, const Event& event) {
  for (Item& item : items_) item.needed = item.event == &event && item.serial == event.last_record;
  run_needed(runtime, items_.size());
}

void PendingWork::finish_all(Runtime& runtime) {
  for (Item& item : items_) item.needed = true;
  run_needed(runtime, items_.size());
}

bool PendingWork::has(const Stream& stream) const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const Item& item) { return item.stream == stream.id; });
}

bool PendingWork::has(const Event& event) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item& item) { return item.event == &event; });
}

void PendingWork::forget(const Event& event) {
  for (Item& item : items_)
    if (item.event == &event) {
      item.event = nullptr;
      item.work = EmptyWork{};
    }
}

std::vector<std::string> PendingWork::descriptions() const {
  std::vector<std::string> out;
  for (const Item& item : items_)
    if (std::string text = describe(item.work); !text.empty()) out.push_back(std::move(text));
  return out;
}

}  // namespace warpgrade::cudart
