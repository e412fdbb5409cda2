#include "remoting/backend/data_flow/element_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "remoting/backend/data_flow/byte_search.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::size_t kMostStep = 64;    // bytes of a struct of which the elements are members
constexpr std::size_t kMostPlaces = 16;  // of a value, each of which is tried with each of the next one
constexpr std::size_t kMostLooks = 256;  // at elements of a bucket
constexpr std::size_t kFewestOfRun = 4;  // elements, however large
constexpr std::uint32_t kNone = ~0U;

}  // namespace

ElementIndex::ElementIndex(std::string_view array, std::size_t element)
    : array_(array),
      element_(element),
      count_(array.size() / element),
      first_(std::bit_ceil(count_ + 1), kNone),
      next_(count_, kNone) {
  for (std::size_t i = count_; i-- > 0;) {
    std::uint32_t& first = first_[bucket_of(value_at(array_, i * element_))];
    next_[i] = std::exchange(first, static_cast<std::uint32_t>(i));
  }
}

std::uint64_t ElementIndex::value_at(std::string_view bytes, std::size_t at) const {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, std::min(element_, sizeof value));
  return value;
}

std::size_t ElementIndex::bucket_of(std::uint64_t value) const {
  constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;  // Fibonacci hashing: the upper bits depend on all
  return value * kGolden >> 32 & (first_.size() - 1);
}

// Places of the value; of many, the first ones.
std::vector<std::size_t> ElementIndex::places_of(std::uint64_t value) const {
  std::vector<std::size_t> found;
  std::size_t looks = 0;
  for (std::uint32_t at = first_[bucket_of(value)]; at != kNone && found.size() < kMostPlaces;
       at = next_[at]) {
    if (value_at(array_, at * element_) == value) found.push_back(at);
    if (++looks == kMostLooks) break;
  }
  return found;
}

ElementRun ElementIndex::continued(ElementRun run, std::string_view bytes) const {
  run.count = 0;
  for (std::size_t at = 0; at + element_ <= bytes.size(); at += run.step, ++run.count) {
    const std::size_t place = run.place(run.count);
    if (place >= count_ || value_at(array_, place * element_) != value_at(bytes, at)) break;
  }
  return run;
}

// Whether the run may be chance. Two elements determine stride and step, so only the others are evidence.
// `bytes`: those that the run was searched in.
bool ElementIndex::is_chance(const ElementRun& run, std::size_t bytes) const {
  if (run.count * element_ >= bytes) return run.stride != 1 && run.count < kFewestOfRun;
  const std::size_t fewest = run.stride == 1 && run.step == element_ ? kWindow : 2 * kWindow;
  return run.count < kFewestOfRun || run.count * element_ < fewest;
}

ElementRun ElementIndex::longest_run(std::string_view bytes) const {
  ElementRun best;
  if (bytes.size() < 2 * element_) return best;
  const std::vector<std::size_t> firsts = places_of(value_at(bytes, 0));
  if (firsts.empty()) return best;
  for (std::size_t step = element_; step <= kMostStep && step + element_ <= bytes.size(); step += element_) {
    const std::vector<std::size_t> seconds = places_of(value_at(bytes, step));
    for (const std::size_t first : firsts) {
      const auto look = [&](std::ptrdiff_t stride) {
        const ElementRun run = continued({first, 0, stride, step}, bytes);
        if (run.count > best.count && !is_chance(run, bytes.size())) best = run;
      };
      look(1);
      for (const std::size_t second : seconds)
        if (second != first && second != first + 1) look(static_cast<std::ptrdiff_t>(second - first));
    }
  }
  return best;
}

}  // namespace warpgrade::remoting
