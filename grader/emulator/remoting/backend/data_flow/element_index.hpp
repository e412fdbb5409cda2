// An index of the values of an array, which finds runs of its elements in other bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpgrade::remoting {

// Elements at equal distances in an array that also occur, in the same order and at equal distances, in other
// bytes.
struct ElementRun {
  std::size_t first = 0, count = 0;  // elements
  std::ptrdiff_t stride = 1;         // elements, in the array
  std::size_t step = 0;              // bytes, among the others
  std::size_t place(std::size_t i) const {
    return first + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * stride);
  }
};

class ElementIndex {
 public:
  ElementIndex(std::string_view array, std::size_t element);  // keeps the view
  // The longest run that begins with these bytes. It has no element if every run is so short that it may be
  // chance.
  ElementRun longest_run(std::string_view bytes) const;

 private:
  std::uint64_t value_at(std::string_view bytes, std::size_t at) const;
  std::size_t bucket_of(std::uint64_t value) const;
  std::vector<std::size_t> places_of(std::uint64_t value) const;
  ElementRun continued(ElementRun run, std::string_view bytes) const;
  bool is_chance(const ElementRun& run, std::size_t bytes) const;

  std::string_view array_;
  std::size_t element_, count_;
  // `first_`: bucket → its first element. `next_`: element → the next one of its bucket; kNone: none.
  std::vector<std::uint32_t> first_, next_;
};

}  // namespace warpgrade::remoting
