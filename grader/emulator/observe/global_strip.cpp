#include "observe/global_strip.hpp"

namespace warpgrade::observe {
namespace {

constexpr std::uint64_t kHolding = std::uint64_t{15} << GlobalRecord::kHoldingShift;
constexpr std::uint64_t kOneThread = std::uint64_t{1} << GlobalRecord::kFirstShift;
constexpr std::uint64_t kSecond = std::uint64_t{1023} << GlobalRecord::kSecondShift;
constexpr std::uint64_t kSegment = ~((std::uint64_t{1} << GlobalRecord::kSegmentShift) - 1);
constexpr std::uint64_t kFirst = std::uint64_t{1023} << GlobalRecord::kFirstShift;
constexpr std::uint64_t kMany = static_cast<std::uint64_t>(Holding::read_by_many)
                                << GlobalRecord::kHoldingShift;

// What becomes of one strip.
enum class Step : std::uint8_t { general, none, enter, join };

Step step_of(const StripRun& run, GlobalRecord known, std::uint64_t mine) {
  if (known.segment() < run.base) return Step::enter;
  const bool read = known.holding() == Holding::read;
  if (known.holding() == Holding::read_by_many) return run.write ? Step::general : Step::none;
  if (!read && known.holding() != Holding::written) return Step::general;
  if (((known.bits ^ mine) & (kSegment | kFirst | kSecond)) == 0) return run.write ? Step::enter : Step::none;
  const bool before_barrier = known.segment() >= run.first_segment && known.segment() < run.floor;
  if (before_barrier && (read || run.write)) return Step::enter;
  const bool elsewhere = read && known.segment() < run.first_segment;
  return !run.write && run.alone && elsewhere ? Step::join : Step::general;
}

void write_values(const StripRun& run) {
  for (unsigned i = 0; i < RaceShadow::kStripWords * run.count; ++i) {
    const unsigned lane = i >> run.shift;
    run.values[i] = static_cast<std::uint16_t>(run.hash[lane] << 1 | (run.silent >> lane & 1u));
  }
}

}  // namespace

StripOutcome enter_strips(const StripRun& run) {
  const std::uint64_t record = run.record | std::uint64_t{run.shift} << GlobalRecord::kSecondShift;
  const std::uint64_t threads = (RaceShadow::kStripWords >> run.shift) * kOneThread;  // of a strip
  bool changes = false;
  for (unsigned i = 0; i < run.count; ++i) {
    const Step step = step_of(run, {run.strip[i]}, record + i * threads);
    if (step == Step::general) return StripOutcome::general;
    changes |= step != Step::none;
  }
  if (!changes) return StripOutcome::same;
  for (unsigned i = 0; i < run.count; ++i) {
    const Step step = step_of(run, {run.strip[i]}, record + i * threads);
    if (step == Step::enter) run.strip[i] = record + i * threads;
    if (step == Step::join) run.strip[i] = (run.strip[i] & ~kHolding) | kMany;
  }
  if (run.write) write_values(run);
  return StripOutcome::entered;
}

void take_apart(RaceShadow::Page& page, unsigned strip, std::uint32_t base, std::uint32_t segment) {
  const GlobalRecord known{page.strips[strip]};
  if (known.segment() >= base) {
    if (known.holding() == Holding::apart) return;
    const unsigned units = 4u >> page.shift;  // of a word
    std::uint64_t* to = &page.last[std::size_t{strip} * RaceShadow::kStripWords * units];
    for (unsigned word = 0; word < RaceShadow::kStripWords; ++word) {
      std::uint64_t bits = (known.bits & ~kSecond) + (word >> known.second()) * kOneThread;
      if (known.holding() == Holding::written) {
        const std::uint64_t value = page.values[strip * RaceShadow::kStripWords + word];
        bits |= value >> 1 << GlobalRecord::kSecondShift | ((value & 1) != 0 ? GlobalRecord::kMarked : 0);
      }
      for (unsigned unit = 0; unit < units; ++unit) *to++ = bits;
    }
  }
  page.strips[strip] = GlobalRecord::of(segment, Holding::apart, 0, 0, 0, false).bits;
}

}  // namespace warpgrade::observe
