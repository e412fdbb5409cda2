// A set of bytes, as sorted intervals with gaps between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpgrade::emulator {

struct AddressRange {
  std::uint64_t begin = 0, end = 0;  // [begin, end)
};

class AddressRanges {
 public:
  AddressRanges() = default;
  AddressRanges(std::uint64_t begin, std::size_t bytes) { append({begin, begin + bytes}); }

  // `range` begins no earlier than the last one that was appended. Empty ranges are left out.
  void append(AddressRange range) {
    if (range.begin >= range.end) return;
    if (items_.empty() || range.begin > items_.back().end)
      items_.push_back(range);
    else if (range.end > items_.back().end)
      items_.back().end = range.end;
  }

  bool empty() const { return items_.empty(); }
  const std::vector<AddressRange>& items() const { return items_; }
  // From the first byte to one past the last.
  AddressRange hull() const {
    return items_.empty() ? AddressRange{} : AddressRange{items_.front().begin, items_.back().end};
  }
  bool contains(std::uint64_t address) const {
    return overlap(AddressRange{address, address + 1}).has_value();
  }

  // The first interval that both have, nothing if they have no byte in common.
  std::optional<AddressRange> overlap(AddressRange range) const;
  std::optional<AddressRange> overlap(const AddressRanges& other) const;

 private:
  std::vector<AddressRange> items_;
};

}  // namespace warpgrade::emulator
