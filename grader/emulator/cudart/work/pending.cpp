#include "cudart/work/pending.hpp"

#include <algorithm>
#include <utility>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {
namespace {

std::size_t span(const CopyWork& copy) {
  return copy.width + (copy.height - 1) * copy.from_pitch + (copy.depth - 1) * copy.from_slice;
}

// With more pending items the first one runs at once: the search for items that are ready is quadratic.
constexpr std::size_t kMostCompared = 256;

}  // namespace

void PendingWork::add(Runtime& runtime, Work work, Operation operation) {
  Item item;
  if (auto* copy = std::get_if<CopyWork>(&work); copy != nullptr && !warpgrade::cudart::empty(*copy)) {
    const bool to_host = is_pageable(runtime, copy->to), from_host = is_pageable(runtime, copy->from);
    if (to_host) {  // CUDA waits for the stream, copies, and returns
      finish(runtime, operation->before);
      return run(runtime, work, operation);
    }
    if (from_host) {  // CUDA reads the source before it returns
      const auto* begin = static_cast<const std::byte*>(copy->from);
      item.staged.assign(begin, begin + span(*copy));
      copy->from = item.staged.data();
    }
  }
  item.work = std::move(work);
  item.operation = std::move(operation);
  append(runtime, std::move(item));
}

void PendingWork::add_node(Runtime& runtime, const Work& work, Operation operation) {
  append(runtime, {work, std::move(operation), {}});
}

void PendingWork::append(Runtime& runtime, Item item) {
  // The host may wait for its own function, by means that the runtime does not see: run it without delay.
  if (std::holds_alternative<HostWork>(item.work)) {
    finish(runtime, item.operation->before);
    return run(runtime, item.work, item.operation);
  }
  runtime.order.waits(runtime, item.operation);
  items_.push_back(std::move(item));
  if (is_random_ && chance_() % 4 == 0) run_at(runtime, any_ready());
}

std::size_t PendingWork::any_ready() {
  if (items_.size() > kMostCompared) return 0;
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto waits_for = [&](const Item& other) { return items_[i].operation->is_after(*other.operation); };
    if (std::none_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(i), waits_for))
      ready.push_back(i);
  }
  return ready[chance_() % ready.size()];
}

void PendingWork::run_at(Runtime& runtime, std::size_t index) {
  const Item item = std::move(items_[index]);
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index));
  runtime.order.begins(runtime, item.operation);
  run(runtime, item.work, item.operation);
}

bool PendingWork::is_known(const Item& item, const emulator::StreamClock& clock) {
  return clock.knows(item.operation->timeline, item.operation->tick);
}

// If a clock knows an item, it knows everything that the item waits for.
void PendingWork::finish(Runtime& runtime, const emulator::StreamClock& clock) {
  while (has(clock)) {
    const auto first =
        std::find_if(items_.begin(), items_.end(), [&](const Item& item) { return is_known(item, clock); });
    run_at(runtime, is_random_ ? any_ready() : static_cast<std::size_t>(first - items_.begin()));
  }
  require(runtime.sticky == cudaSuccess, runtime.sticky);
}

void PendingWork::finish_all(Runtime& runtime) {
  while (!items_.empty()) run_at(runtime, is_random_ ? any_ready() : 0);
  require(runtime.sticky == cudaSuccess, runtime.sticky);
}

bool PendingWork::has(const emulator::StreamClock& clock) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item& item) { return is_known(item, clock); });
}

void PendingWork::forget(const Event& event) {
  for (Item& item : items_)
    if (const auto* record = std::get_if<RecordWork>(&item.work);
        record != nullptr && record->event == &event)
      item.work = EmptyWork{};
}

std::vector<std::string> PendingWork::descriptions() const {
  std::vector<std::string> out;
  for (const Item& item : items_)
    if (std::string text = describe(item.work); !text.empty()) out.push_back(std::move(text));
  return out;
}

}  // namespace warpgrade::cudart
