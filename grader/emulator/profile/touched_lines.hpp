// Which sectors of which 128-byte lines have been touched, and by which parties (warps, blocks, pairs of
// blocks).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpgrade::emulator {

class TouchedLines {
 public:
  struct Line {
    std::uint64_t number = kFree;
    std::uint32_t by[4] = {};  // for each sector, a bit for each of 32 parties
  };
  struct New {
    unsigned to_all = 0;    // sectors touched for the first time
    unsigned to_party = 0;  // sectors touched for the first time by these parties
  };

  TouchedLines() : lines_(kFirst) {}

  // `sectors`: a bit each; `parties`: a bit each, at least one.
  New touch(std::uint64_t line, unsigned sectors, std::uint32_t parties) {
    if (2 * count_ >= lines_.size()) grow();
    Line& at = place(line);
    if (at.number == kFree) {
      at.number = line;
      ++count_;
    }
    New found;
    for (unsigned left = sectors; left != 0; left &= left - 1) {
      std::uint32_t& by = at.by[std::countr_zero(left)];
      found.to_all += by == 0;
      found.to_party += (by & parties) == 0;
      by |= parties;
    }
    return found;
  }

  std::size_t count() const { return count_; }

  template <class See>
  void for_each(See see) const {
    for (const Line& line : lines_)
      if (line.number != kFree) see(line);
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // no line: it is shifted
  static constexpr std::size_t kFirst = 256;                 // a power of two

  Line& place(std::uint64_t line) {
    const auto shift = static_cast<unsigned>(65 - std::bit_width(lines_.size()));
    std::size_t at = line * 0x9e3779b97f4a7c15u >> shift;
    while (lines_[at].number != kFree && lines_[at].number != line) at = (at + 1) & (lines_.size() - 1);
    return lines_[at];
  }

  void grow() {
    std::vector<Line> old(2 * lines_.size());
    old.swap(lines_);
    for (const Line& line : old)
      if (line.number != kFree) place(line.number) = line;
  }

  std::vector<Line> lines_;
  std::size_t count_ = 0;
};

}  // namespace warpgrade::emulator
