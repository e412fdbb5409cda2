#include "operand_mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "patterns/displaced.hpp"

namespace warpgrade::harness {
namespace {

// Elements of the result in a row or a column, those of one block.
struct Line {
  std::int64_t first, step;      // index of the first one, and how far apart two are
  std::int64_t inside, longest;  // elements that exist, and those that the block covers
};

// The right value on the line that is closest to what element `i` holds, if that is closer than its own right
// value. Outside the result, products of what counts as 0 give 0.
double closest(const WrongResult& q, std::size_t i, const Line& line) {
  const Expected& expected = q.data.expected(q.result.name);
  const double held = q.result.at(i).value;
  double best = expected.at(i).value();
  const auto look_at = [&](double value) {
    if (std::fabs(value - held) < std::fabs(best - held)) best = value;
  };
  for (std::int64_t at = 0; at < std::min(line.inside, line.longest); ++at)
    look_at(expected.at(static_cast<std::size_t>(line.first + at * line.step)).value());
  if (line.inside < line.longest) look_at(0);
  return best;
}

}  // namespace

std::vector<Hypothesis> operand_mistakes(const WrongResult& q) {
  if (q.shape() == nullptr || q.shape()->one_output_each()) return {};
  // Where each value is there once, the results may as well be stored in another order.
  if (const auto found = displaced(q); found && found->name == "displaced") return {};
  const std::int64_t rows = q.result.shape[0], columns = q.result.shape[1];
  const std::int64_t wide = q.shape()->outputs[0], high = q.shape()->outputs[1];
  const auto in_column = [=, &q](std::size_t i) {
    const std::int64_t at = static_cast<std::int64_t>(i), first = at / columns / high * high;
    return closest(q, i, {first * columns + at % columns, columns, rows - first, high});
  };
  const auto in_row = [=, &q](std::size_t i) {
    const std::int64_t at = static_cast<std::int64_t>(i), first = at % columns / wide * wide;
    return closest(q, i, {at / columns * columns + first, 1, columns - first, wide});
  };
  return {
      {"A-operand-of-another",
       "is right for another row of its block: the operand of A is read, or multiplied, by an index that is "
       "not its row's",
       in_column},
      {"B-operand-of-another",
       "is right for another column of its block: the operand of B is read, or multiplied, by an index that "
       "is not its column's",
       in_row}};
}

}  // namespace warpgrade::harness
