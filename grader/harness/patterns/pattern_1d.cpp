#include <algorithm>
#include <numeric>

#include "patterns/pattern_places.hpp"

namespace warpgrade::harness {
namespace {

std::optional<Pattern> from_index(const WrongResult& q) {
  const std::size_t first = q.wrong.front();
  if (q.wrong.size() < enough || first + q.wrong.size() != q.marks.values.size()) return {};
  return Pattern{"from-index", "they are all elements from index " + std::to_string(first) + " on"};
}

std::string ordinal(std::size_t n) {
  const std::size_t last = n % 10;
  const char* suffix = n / 10 % 10 == 1 ? "th"
                       : last == 1      ? "st"
                       : last == 2      ? "nd"
                       : last == 3      ? "rd"
                                        : "th";
  return std::to_string(n) + suffix;
}

// The greatest common divisor of the distances between neighbouring wrong elements.
std::size_t common_step(const std::vector<std::size_t>& wrong) {
  std::size_t step = 0;
  for (std::size_t i = 1; i < wrong.size(); ++i) step = std::gcd(step, wrong[i] - wrong[i - 1]);
  return step;
}

// Every n-th element is wrong: the same position in each group of n elements, and in nearly all groups.
std::optional<Pattern> every_nth(const WrongResult& q) {
  if (q.wrong.size() < enough) return {};
  const std::size_t step = common_step(q.wrong), first = q.wrong.front() % step;
  const std::size_t groups = (q.marks.values.size() - first - 1) / step + 1;
  if (step < 2 || q.wrong.size() * nearly < groups * (nearly - 1)) return {};
  const bool of_blocks = q.shape() && static_cast<std::size_t>(q.shape()->outputs[0]) == step;
  if (of_blocks && first == 0) return Pattern{"every-nth", "they are the first element of each block"};
  if (of_blocks && first == step - 1) return Pattern{"every-nth", "they are the last element of each block"};
  return Pattern{"every-nth",
                 "they are every " + ordinal(step) + " element, from index " + std::to_string(first) + " on"};
}

// Whole blocks, of which one element in sixteen may be right by chance.
std::optional<Pattern> whole_blocks(const WrongResult& q) {
  if (!q.shape()) return {};
  const auto size = static_cast<std::size_t>(q.shape()->outputs[0]);
  if (size < nearly) return {};
  std::vector<std::size_t> wrong((q.marks.values.size() - 1) / size + 1);
  for (const std::size_t element : q.wrong) ++wrong[element / size];
  std::vector<bool> filled(wrong.size());
  for (std::size_t block = 0; block < wrong.size(); ++block) {
    const std::size_t elements = std::min(size, q.marks.values.size() - block * size);
    if (wrong[block] == 0) continue;
    if (wrong[block] * nearly < elements * (nearly - 1)) return {};
    filled[block] = true;
  }
  if (std::count(filled.begin(), filled.end(), false) == 0) return {};
  return Pattern{"blocks", "they fill whole blocks: " + index_list(filled) + ", counted from 0"};
}

}  // namespace

std::optional<Pattern> at_border_1d(const WrongResult& q) {
  const auto size = static_cast<std::size_t>(q.shape()->outputs[0]);
  const std::size_t count = q.marks.values.size();
  if (count % size == 0 || count < size) return {};
  const std::size_t first = count - count % size;
  if (q.wrong.front() < first) return {};
  return Pattern{"last-block", "all of them in the last, partial block"};
}

std::optional<Pattern> last_left_out(const WrongResult& q) {
  const std::size_t count = q.marks.values.size(), left = q.wrong.size();
  if (q.marks.shape.size() != 1 || q.wrong.front() + left != count || left * 2 >= count) return {};
  const bool is_one = left == 1;
  const std::string which =
      is_one ? "it is the last one"
             : "they are the last " + std::to_string(left) + " of " + std::to_string(count);
  return Pattern{"last-left-out", ", and " + which + ": the grid or a loop ends before " +
                                      (is_one ? "it" : "them") + ", as where a quotient is rounded down"};
}

std::optional<Pattern> last_unwritten(const WrongResult& q) {
  const std::size_t count = q.marks.values.size();
  if (q.marks.shape.size() != 1 || count < 2 || q.wrong.size() != 1 || q.wrong.front() + 1 != count)
    return {};
  return of_values("last-left-out", "is the last one: a guard, the grid or a loop ends before it");
}

std::optional<Pattern> in_places_1d(const WrongResult& q) {
  if (const auto pattern = whole_blocks(q)) return pattern;
  if (const auto pattern = from_index(q)) return pattern;
  return every_nth(q);
}

}  // namespace warpgrade::harness
