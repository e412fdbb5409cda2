// Where each value stands in an array, and runs of its elements among other bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpgrade::remoting {

// Elements that stand at equal distances in an array, and in the same order, at equal distances, among other
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
  // The longest run that begins with these bytes; of no element where there is none that chance would not
  // make, too.
  ElementRun longest_run(std::string_view bytes) const;

 private:
  std::uint64_t value_at(std::string_view bytes, std::size_t at) const;
  std::size_t bucket_of(std::uint64_t value) const;
  std::vector<std::size_t> places_of(std::uint64_t value) const;
  ElementRun continued(ElementRun run, std::string_view bytes) const;
  bool is_chance(const ElementRun& run, std::size_t bytes) const;

  std::string_view array_;
  std::size_t element_, count_;
  // Of each bucket the first element, and of each element the next one in its bucket; kNone: no other.
  std::vector<std::uint32_t> first_, next_;
};

}  // namespace warpgrade::remoting
