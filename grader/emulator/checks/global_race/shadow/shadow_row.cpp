#include "checks/global_race/shadow/shadow_row.hpp"

#include <cstring>

#include "machine/geometry.hpp"

namespace warpgrade::emulator {
namespace {

constexpr std::uint64_t kHolding = std::uint64_t{15} << GlobalShadowWord::kHoldingShift;
constexpr std::uint64_t kOneThread = std::uint64_t{1} << GlobalShadowWord::kFirstShift;
constexpr std::uint64_t kSecond = std::uint64_t{1023} << GlobalShadowWord::kSecondShift;
constexpr std::uint64_t kSegment = ~((std::uint64_t{1} << GlobalShadowWord::kSegmentShift) - 1);
constexpr std::uint64_t kFirst = std::uint64_t{1023} << GlobalShadowWord::kFirstShift;
constexpr std::uint64_t kMany = static_cast<std::uint64_t>(Holding::read_by_many)
                                << GlobalShadowWord::kHoldingShift;

// Computes the next shadow word of one row. False if the general rules must check the access.
bool step(const ShadowRowRun& run, unsigned row, std::uint64_t mine, std::uint64_t& next) {
  const GlobalShadowWord known{run.row[row]};
  next = mine;
  if (known.segment() < run.base) return true;
  const bool read = known.holding() == Holding::read;
  if (!read && known.holding() != Holding::written) {
    next = known.bits;
    return known.holding() == Holding::read_by_many && !run.write;
  }
  if (((known.bits ^ mine) & (kSegment | kFirst | kSecond)) == 0) {
    if (!run.write) next = known.bits;
    return true;
  }
  const bool past = known.segment() < run.floor || (run.past >> row & 1u) != 0;
  if (known.segment() >= run.first_segment) return past && (read || run.write);
  next = (known.bits & ~kHolding) | kMany;
  return read && !run.write && run.alone;
}

// Stores one entry for each thread; a row has as many entries in use as threads.
template <unsigned threads>
void write_values(const ShadowRowRun& run) {
  std::uint16_t value[kWarpSize];
  const unsigned lanes = run.count * threads;
  for (unsigned lane = 0; lane < lanes; ++lane) value[lane] = static_cast<std::uint16_t>(run.hash[lane] << 1);
  if (run.silent != 0)
    for (unsigned lane = 0; lane < lanes; ++lane) value[lane] |= run.silent >> lane & 1u;
  for (unsigned row = 0; row < run.count; ++row)
    std::memcpy(run.values + row * ShadowPages::kRowWords, value + row * threads, 2 * threads);
}

void write_values(const ShadowRowRun& run) {
  switch (run.shift) {
    case 0:
      return write_values<ShadowPages::kRowWords>(run);
    case 1:
      return write_values<ShadowPages::kRowWords / 2>(run);
    default:
      return write_values<ShadowPages::kRowWords / 4>(run);
  }
}

}  // namespace

ShadowRowOutcome enter_shadow_rows(const ShadowRowRun& run) {
  const std::uint64_t record = run.record | std::uint64_t{run.shift} << GlobalShadowWord::kSecondShift;
  const std::uint64_t threads = (ShadowPages::kRowWords >> run.shift) * kOneThread;  // threads of a row
  if (run.untouched) {
    for (unsigned i = 0; i < run.count; ++i) run.row[i] = record + i * threads;
    if (run.write) write_values(run);
    return ShadowRowOutcome::entered;
  }
  std::uint64_t next[8], changes = run.write ? 1 : 0;
  for (unsigned i = 0; i < run.count; ++i) {
    if (!step(run, i, record + i * threads, next[i])) return ShadowRowOutcome::general;
    changes |= next[i] ^ run.row[i];
  }
  if (changes == 0) return ShadowRowOutcome::same;
  for (unsigned i = 0; i < run.count; ++i) run.row[i] = next[i];
  if (run.write) write_values(run);
  return ShadowRowOutcome::entered;
}

void take_apart(ShadowPages& shadow, std::uint64_t offset, std::uint32_t base, std::uint32_t segment) {
  std::uint64_t& row = *shadow.rows(offset);
  const GlobalShadowWord known{row};
  if (known.segment() >= base) {
    if (known.holding() == Holding::apart) return;
    const ShadowPages::Page& page = shadow.page(offset);
    const unsigned units = 4u >> page.shift;  // units of a word
    const std::uint64_t first = offset & (ShadowPages::kPage - 1) & ~(ShadowPages::kRowBytes - 1);
    std::uint64_t* to = &page.last[first >> page.shift];
    for (unsigned word = 0; word < ShadowPages::kRowWords; ++word) {
      std::uint64_t bits = (known.bits & ~kSecond) + (word >> known.second()) * kOneThread;
      if (known.holding() == Holding::written) {
        const std::uint64_t value = shadow.values(offset)[word >> known.second()];
        bits |=
            value >> 1 << GlobalShadowWord::kSecondShift | ((value & 1) != 0 ? GlobalShadowWord::kMarked : 0);
      }
      for (unsigned unit = 0; unit < units; ++unit) *to++ = bits;
    }
  }
  row = GlobalShadowWord::of(segment, Holding::apart, 0, 0, 0, false).bits;
}

}  // namespace warpgrade::emulator
