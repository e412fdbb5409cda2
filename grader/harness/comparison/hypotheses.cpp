#include "comparison/hypotheses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpgrade::harness {
namespace {

// Bits in which all wrong elements together must agree with a hypothesis: one in 2^10 does so by chance.
constexpr double kEnoughBits = 10;
// Tolerance relative to the largest value: a kernel adds in fp32, a hypothesis in double.
constexpr double kRounding = 1e-5;

// The largest magnitude of an expected value or of a finite result among the wrong elements.
double scale_of(const WrongResult& q) {
  const Expected& expected = q.data.expected(q.result.name);
  double scale = 0;
  for (const std::size_t i : q.wrong)
    for (const double value : {expected.at(i).value(), q.result.at(i).value})
      if (std::isfinite(value)) scale = std::max(scale, std::fabs(value));
  return scale;
}

// The largest power of two between 1 and 1/64 that divides all wrong elements and their expected values; 0
// if none does. Such values agree in fewer bits than a float has: sums of whole numbers are always whole.
double grain_of(const WrongResult& q) {
  constexpr double finest = 1.0 / 64;
  const Expected& expected = q.data.expected(q.result.name);
  double grain = 1;
  for (const std::size_t i : q.wrong)
    for (const double value : {expected.at(i).value(), q.result.at(i).value})
      while (std::isfinite(value) && std::fmod(value, grain) != 0)
        if ((grain /= 2) < finest) return 0;
  return grain;
}

bool leaves_out(const Hypothesis& hypothesis, std::size_t element) {
  return hypothesis.leaves_out && hypothesis.leaves_out(element);
}

// Whether the mistake would also have made most of the right elements wrong: so the kernel makes another one.
bool is_refuted(const Hypothesis& hypothesis, const WrongResult& q) {
  constexpr std::size_t sample = 64;
  const std::size_t count = q.marks.values.size(), step = std::max<std::size_t>(1, count / sample);
  std::size_t right = 0, spoilt = 0;
  for (std::size_t i = 0; i < count; i += step) {
    if (q.marks.values[i] != Mark::right) continue;
    if (leaves_out(hypothesis, i)) return true;
    const double value = hypothesis.value(i);
    ++right;
    spoilt += !is_right(q.data.expected(q.result.name), i, {value, std::llround(value)});
  }
  return hypothesis.is_exact ? spoilt > 0 : 2 * spoilt > right;
}

bool explains(const Hypothesis& hypothesis, const WrongResult& q, double scale, double grain) {
  const bool is_whole = !is_floating(q.result.type);
  double bits = 0;
  std::size_t right = 0;
  for (const std::size_t i : q.wrong) {
    const bool is_left_out = q.marks.values[i] == Mark::never_written;
    if (is_left_out != leaves_out(hypothesis, i)) return false;
    if (is_left_out) continue;
    const double value = hypothesis.value(i);
    const double allowed =
        is_whole ? 0.0 : kRounding * std::max({scale, std::fabs(value), std::numeric_limits<double>::min()});
    if (!std::isfinite(value) && !std::isfinite(q.result.at(i).value))
      continue;  // both are inf or NaN, so there are no digits to compare
    if (!is_close(q.result.at(i).value, value, allowed)) return false;
    bits += std::log2(1 + std::fabs(value) / std::max(allowed, grain));
    if (is_right(q.data.expected(q.result.name), i, {value, is_whole ? std::llround(value) : 0})) ++right;
  }
  // A hypothesis that gives the right values does not explain wrong ones.
  return bits >= kEnoughBits && 2 * right <= q.wrong.size() && !is_refuted(hypothesis, q);
}

}  // namespace

std::optional<Pattern> explained(const WrongResult& q, const std::vector<Hypothesis>& hypotheses) {
  const bool some_left_out = std::any_of(q.wrong.begin(), q.wrong.end(), [&](std::size_t i) {
    return q.marks.values[i] == Mark::never_written;
  });
  const auto may = [&](const Hypothesis& each) { return !some_left_out || each.leaves_out; };
  if (std::ranges::none_of(hypotheses, may)) return {};
  const double scale = scale_of(q), grain = grain_of(q);
  for (const Hypothesis& each : hypotheses)
    if (may(each) && explains(each, q, scale, grain)) return of_values(each.name, each.words);
  return {};
}

}  // namespace warpgrade::harness
