#include "order/touched_bytes.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::emulator {
namespace {

// The most intervals of one launch and class: comparing more would take longer than the launch.
constexpr std::size_t kMostRanges = std::size_t{1} << 20;

void set(std::atomic<std::uint64_t>& word, std::uint64_t bits) {
  if ((word.load(std::memory_order_relaxed) & bits) != bits) word.fetch_or(bits, std::memory_order_relaxed);
}

std::uint64_t ones(std::uint64_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Bits [from, to) of a row of words.
void set_run(std::atomic<std::uint64_t>* words, std::uint64_t from, std::uint64_t to) {
  while (from < to) {
    const std::uint64_t bit = from % 64, count = std::min(to - from, 64 - bit);
    set(words[from / 64], ones(count) << bit);
    from += count;
  }
}

void append_runs(AddressRanges& to, std::uint64_t begin, std::uint64_t word) {
  for (unsigned at = 0; word >> at != 0;) {
    at += static_cast<unsigned>(std::countr_zero(word >> at));
    const auto count = static_cast<unsigned>(std::countr_one(word >> at));
    to.append({begin + at, begin + at + count});
    at += count;
    if (at >= 64) return;
  }
}

// The classes that an access belongs to, as bits.
unsigned classes_of(const Access& access) {
  const bool strong = access.kind == Access::Kind::atomic || access.is_strong || access.is_volatile;
  unsigned out = 0;
  if (access.kind == Access::Kind::read)
    out |= 1u << (strong ? TouchedBytes::kReadStrongly : TouchedBytes::kRead);
  if (access.kind != Access::Kind::read)
    out |= 1u << (strong ? TouchedBytes::kWrittenStrongly : TouchedBytes::kWritten);
  if (strong && access.kind != Access::Kind::write && !access.is_data) out |= 1u << TouchedBytes::kFlag;
  return out;
}

}  // namespace

TouchedBytes::TouchedArray::~TouchedArray() {
  for (const std::atomic<TouchedPage*>& each : pages) delete each.load();
}

TouchedBytes::TouchedPage& TouchedBytes::TouchedArray::page(std::uint64_t offset) {
  std::atomic<TouchedPage*>& at = pages[offset >> kPageShift];
  if (TouchedPage* known = at.load(std::memory_order_acquire)) return *known;
  auto fresh = std::make_unique<TouchedPage>();
  TouchedPage* other = nullptr;
  if (!at.compare_exchange_strong(other, fresh.get(), std::memory_order_acq_rel)) return *other;
  return *fresh.release();
}

TouchedBytes::TouchedArray* TouchedBytes::of(const Allocation* allocation) {
  const bool is_shared =
      allocation->kind == Allocation::Kind::managed || allocation->kind == Allocation::Kind::pinned;
  const bool is_of_device =
      allocation->kind == Allocation::Kind::device || allocation->kind == Allocation::Kind::module_global;
  if (!is_shared && !(is_of_device && recording_ == Recording::all)) return nullptr;
  const std::lock_guard lock(mutex_);
  for (TouchedArray& each : arrays_)
    if (each.in == allocation) return &each;
  return &arrays_.emplace_back(*allocation);
}

TouchedMemory TouchedBytes::take() {
  std::vector<TouchedArray*> sorted;
  for (TouchedArray& each : arrays_) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(),
            [](const TouchedArray* a, const TouchedArray* b) { return a->in->base < b->in->base; });
  TouchedMemory out;
  AddressRanges* const to[kClasses] = {&out.read, &out.written, &out.read_strongly, &out.written_strongly,
                                       &out.flags};
  for (const TouchedArray* array : sorted)
    for (std::size_t p = 0; p < array->pages.size(); ++p) {
      const TouchedPage* page = array->pages[p].load();
      if (page == nullptr) continue;
      for (unsigned c = 0; c < kClasses; ++c) {
        for (std::size_t w = 0; w < kWords; ++w)
          append_runs(*to[c], array->in->base + p * kPage + 64 * w, page->bits[c][w].load());
        if (to[c]->items().size() > kMostRanges) return {};
      }
    }
  arrays_.clear();
  return out;
}

void TouchedRecorder::add(const Access& access, const Allocation* in, std::uint64_t begin,
                          std::uint64_t bytes) {
  if (in != last_) {
    last_ = in;
    array_ = to_.of(in);
  }
  if (array_ == nullptr) return;
  const unsigned classes = classes_of(access);
  for (std::uint64_t at = begin - in->base, end = at + bytes; at < end;) {
    const std::uint64_t from = at & (TouchedBytes::kPage - 1),
                        to = std::min(from + (end - at), TouchedBytes::kPage);
    TouchedBytes::TouchedPage& page = array_->page(at);
    for (unsigned rest = classes; rest != 0; rest &= rest - 1)
      set_run(page.bits[std::countr_zero(rest)], from, to);
    at += to - from;
  }
}

void TouchedRecorder::add(const Access& access) {
  if (access.allocation != nullptr && access.known()) {
    const auto bytes_of = [&](unsigned half) {
      return std::uint64_t{access.bytes} * (access.half[half] == Access::LanePattern::packed ? 16 : 1);
    };
    const std::uint64_t low = bytes_of(0), high = bytes_of(1), *first = access.first;
    if (first[1] == first[0] + low) return add(access, access.allocation, first[0], low + high);
    add(access, access.allocation, first[0], low);
    if (first[1] != first[0] || high > low) add(access, access.allocation, first[1], high);
    return;
  }
  // Neighbouring lanes mostly access neighbouring bytes.
  std::uint64_t begin = 0, end = 0;
  const Allocation* in = nullptr;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.of(static_cast<unsigned>(std::countr_zero(rest)));
    if (in != nullptr && address == end) {
      end += access.bytes;
      continue;
    }
    if (in != nullptr) add(access, in, begin, end - begin);
    in = access.allocation != nullptr ? access.allocation : access.warp->block->memory->find(address);
    begin = address;
    end = address + access.bytes;
  }
  if (in != nullptr) add(access, in, begin, end - begin);
}

}  // namespace warpgrade::emulator
