#include "patterns/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <ranges>
#include <utility>

#include "patterns/axes.hpp"
#include "patterns/carried_on.hpp"
#include "patterns/displaced.hpp"
#include "patterns/in_blocks.hpp"
#include "patterns/pattern_places.hpp"
#include "patterns/unreached.hpp"

namespace warpgrade::harness {
namespace {

bool all_never_written(const WrongResult& q) {
  return q.all([&](std::size_t i) { return q.marks.values[i] == Mark::never_written; });
}

bool all_zero(const WrongResult& q) {
  return q.all([&](std::size_t i) { return q.result.at(i).value == 0; });
}

// Whether those are wrong that should be negative, and no other.
bool are_the_negative_ones(const WrongResult& q) {
  const Expected& expected = q.data.expected(q.result.name);
  if (q.wrong.size() < enough || q.wrong.size() == q.marks.values.size()) return false;
  for (std::size_t i = 0; i < q.marks.values.size(); ++i)
    if ((expected.at(i).value() < 0) != (q.marks.values[i] != Mark::right)) return false;
  return true;
}

// A pattern if all wrong integers are below the expected ones, or all are above.
std::optional<Pattern> by_size(const WrongResult& q) {
  constexpr std::size_t fewest = 2;
  if (is_floating(q.result.type) || q.wrong.size() < fewest) return {};
  const Expected& expected = q.data.expected(q.result.name);
  const auto got = [&](std::size_t i) { return Number(q.result.at(i), true); };
  // Only an array that had values before the launch is updated in place.
  const bool is_updated = q.data.array(q.result.name).role == Role::inout;
  const auto words = [&](const char* size, const char* why) {
    return std::string("is too ") + size +
           (is_updated ? std::string(", as if some updates were ") + why : "");
  };
  if (q.all([&](std::size_t i) { return got(i) < expected.at(i); }))
    return of_values("too-small", words("small", "lost"));
  if (q.all([&](std::size_t i) { return got(i) > expected.at(i); }))
    return of_values("too-large", words("large", "made twice"));
  return {};
}

// Whether each wrong element of an array that is updated is what it was before the launch.
bool is_unchanged(const WrongResult& q) {
  const Array& before = q.data.array(q.result.name);
  if (before.role != Role::inout) return false;
  const bool is_whole = !is_floating(before.type);
  return q.all(
      [&](std::size_t i) { return Number(q.result.at(i), is_whole) == Number(before.at(i), is_whole); });
}

// A pattern if all wrong integers are the same one, such as that with which an array was filled.
std::optional<Pattern> one_value(const WrongResult& q) {
  if (is_floating(q.result.type) || q.wrong.size() < enough) return {};
  if (q.data.array(q.result.name).role == Role::inout) return {};  // one update of each may be left
  const std::int64_t first = q.result.at(q.wrong.front()).integer;
  if (!q.all(
          [&](std::size_t i) { return q.marks.values[i] == Mark::wrong && q.result.at(i).integer == first; }))
    return {};
  return of_values("one-value", "is " + std::to_string(first));
}

// All values of a type in their order: the integer, and the value of a float.
std::vector<std::pair<std::int64_t, double>> sorted(const Array& array) {
  std::vector<std::pair<std::int64_t, double>> values;
  for (std::size_t i = 0; i < array.count(); ++i) {
    const RawNumber raw = array.at(i);
    values.emplace_back(is_floating(array.type) ? 0 : raw.integer, is_floating(array.type) ? raw.value : 0);
  }
  std::ranges::sort(values);
  return values;
}

// Whether the expected result is a reordering of an array, as of a sort, and the result has all its values.
bool is_in_another_order(const WrongResult& q) {
  const Array& before = q.data.array(q.result.name);
  const Array& expected = q.data.expected(q.result.name).values;
  if (before.role != Role::inout || q.wrong.size() < enough || expected.bytes.empty()) return false;
  if (q.result.shape.size() != 1 || is_floating(before.type) != is_floating(expected.type)) return false;
  const auto values = sorted(q.result);
  return values.front() != values.back() && values == sorted(before) && values == sorted(expected);
}

Pattern negated(const WrongResult& q) {
  const auto is_negative = [&](std::size_t i) { return q.data.expected(q.result.name).at(i).value() < 0; };
  const auto all = std::views::iota(std::size_t{0}, q.marks.values.size());
  if (q.wrong.size() < all.size() && q.all(is_negative) &&
      static_cast<std::size_t>(std::ranges::count_if(all, is_negative)) == q.wrong.size())
    return of_values("absolute-value", "should be negative, and has the right size: its sign is lost");
  return of_values("negated", "is the negative of what it should be");
}

bool is_negated(const WrongResult& q) {
  constexpr std::size_t fewest = 4;  // of whole numbers: fewer may be negated by chance
  const Expected& expected = q.data.expected(q.result.name);
  const bool is_whole = !is_floating(q.result.type);
  return (!is_whole || q.wrong.size() >= fewest) && q.all([&](std::size_t i) {
    const RawNumber got = q.result.at(i);
    return expected.at(i).value() != 0 && q.marks.values[i] == Mark::wrong &&
           is_right(expected, i, {-got.value, -got.integer});
  });
}

// A pattern if all wrong elements are the same small number of times what they should be.
std::optional<Pattern> multiplied(const WrongResult& q) {
  constexpr std::size_t fewest = 4;
  constexpr int largest = 4;
  const Expected& expected = q.data.expected(q.result.name);
  const bool is_whole = !is_floating(q.result.type);
  if (q.wrong.size() < fewest) return {};
  const auto is_fraction = [&](std::size_t i, int times) {
    const RawNumber got = q.result.at(i);
    if (q.marks.values[i] != Mark::wrong || (is_whole && got.integer % times != 0)) return false;
    return is_right(expected, i, {got.value / times, got.integer / times});
  };
  for (int times = 2; times <= largest; ++times)
    if (q.all([&](std::size_t i) { return is_fraction(i, times); })) {
      const std::string many = times == 2 ? "twice" : std::to_string(times) + " times";
      return of_values("multiplied",
                       "is " + many + " what it should be, as if all that it is made of were added " + many);
    }
  return {};
}

// A pattern that the wrong floats show without knowing how they were computed.
std::optional<Pattern> of_numbers(const WrongResult& q) {
  constexpr double largest = 1 << 20;  // beyond, too few digits are left for a fraction
  if (!is_floating(q.result.type)) return {};
  const Expected& expected = q.data.expected(q.result.name);
  const auto is_whole = [](double value) { return std::fabs(value) < largest && std::trunc(value) == value; };
  if (q.all([&](std::size_t i) {
        return q.marks.values[i] == Mark::wrong && std::isnan(q.result.at(i).value);
      }))
    return of_values(
        "not-a-number",
        "is NaN, as if it were added to what stood there before, which is not 0, or computed from a "
        "value that nobody has set");
  if (q.wrong.size() >= enough && q.all([&](std::size_t i) { return std::isinf(q.result.at(i).value); }))
    return of_values("infinite",
                     "is infinite: what a search begins with and nothing has replaced, or a quotient by 0");
  // No sum or product of ordinary numbers is so small, but small integers are, taken as the bits of a float.
  if (q.result.type == ElementType::f32 && q.all([&](std::size_t i) {
        return q.marks.values[i] == Mark::wrong &&
               std::fpclassify(static_cast<float>(q.result.at(i).value)) == FP_SUBNORMAL &&
               std::isnormal(static_cast<float>(expected.at(i).value()));
      }))
    return of_values(
        "bits-of-an-integer",
        "is a number near 0 whose bits are those of a small integer: (int)x is its value without the "
        "fraction, __float_as_int(x) keeps its bits");
  if (q.all(
          [&](std::size_t i) { return is_whole(q.result.at(i).value) && !is_whole(expected.at(i).value()); }))
    return of_values("whole-numbers",
                     "is a whole number, as if it or a value on the way to it were an integer");
  return {};
}

// Whether all wrong doubles are within what the rounding of floats adds.
bool is_as_exact_as_floats(const WrongResult& q) {
  if (q.result.type != ElementType::f64) return false;
  const Expected& expected = q.data.expected(q.result.name);
  const double coarser = rounding_tolerance(ElementType::f32, 1) / rounding_tolerance(ElementType::f64, 1);
  return q.all([&](std::size_t i) {
    const double allowed = coarser * expected.tolerance_of(i);
    return q.marks.values[i] == Mark::wrong &&
           is_close(q.result.at(i).value, expected.at(i).value(), allowed);
  });
}

// A pattern if all elements differ from the expected ones by the same amount: whole numbers exactly,
// others but for what rounding adds.
std::optional<Pattern> same_difference(const WrongResult& q) {
  constexpr double rounding = 1e-5;  // relative to the largest element
  constexpr double telling = 100;    // least difference, relative to what rounding may add
  if (q.wrong.size() < std::max(enough, q.marks.values.size())) return {};
  const Expected& expected = q.data.expected(q.result.name);
  const bool is_whole = !is_floating(q.result.type);
  const auto difference = [&](std::size_t i) {
    return is_whole ? static_cast<double>(q.result.at(i).integer - expected.at(i).integer())
                    : q.result.at(i).value - expected.at(i).value();
  };
  const double first = difference(q.wrong.front());
  double rounded = 0;
  for (const std::size_t i : q.wrong) {
    if (q.marks.values[i] == Mark::never_written) return {};
    if (!is_whole) rounded = std::max(rounded, rounding * std::fabs(expected.at(i).value()));
  }
  const auto is_same = [&](double allowed) {  // NaN fails each comparison
    return std::fabs(first) > telling * allowed &&
           q.all([&](std::size_t i) { return std::fabs(difference(i) - first) <= allowed; });
  };
  // Beside a number that is large enough, all that is expected vanishes.
  if (q.all([&](std::size_t i) { return q.result.at(i).value == q.result.at(q.wrong.front()).value; }))
    return {};
  if (!is_same(0) && !is_same(rounded)) return {};
  char amount[32];
  std::snprintf(amount, sizeof amount, "%.6g", std::fabs(first));
  const std::string words = first > 0 ? "is too large by " : "is too small by ";
  return of_values("same-difference", words + amount + ", the same for all, as if no sum began at 0");
}

// The pattern of values, with the name and the words of a pattern of places.
Pattern with_places(Pattern pattern, const Pattern& places) {
  pattern.name = places.name;
  pattern.words += places.words;
  return pattern;
}

// The pattern of elements that the kernel should have changed and has not.
Pattern unchanged(const WrongResult& cells) {
  Pattern pattern = of_values("unchanged", "is what it was before the launch: no update has changed it");
  auto mistake = unreached(cells);
  if (!mistake) mistake = right_in_each_block(cells);
  if (!mistake) mistake = last_left_out(cells);
  if (mistake) return with_places(pattern, *mistake);
  if (cells.marks.shape.size() == 1 && cells.wrong.size() < cells.marks.values.size())
    if (const auto places = in_places_1d(cells)) pattern.words += ", and " + places->words;
  return pattern;
}

// A pattern in the values of the wrong elements. `cells`: the same, or the vectors that they are parts of.
std::optional<Pattern> by_value(const WrongResult& q, const WrongResult& cells, const FindPattern& own) {
  // A result of zeros alone does not show which of the lab's own mistakes was made. Zeros among right
  // elements may.
  const bool is_zero = all_zero(q);
  if (own && !(is_zero && q.wrong.size() == q.marks.values.size()))
    if (auto pattern = own(q)) return pattern;
  if (is_unchanged(q)) return unchanged(cells);
  if (is_zero) {
    if (are_the_negative_ones(q))
      return of_values("negative-ones",
                       "is 0 and should be negative, as if a search for the largest began at 0, or what is "
                       "below 0 were cut off");
    const auto places = right_in_each_block(cells);
    const Pattern zeros = of_values("zeros", "is 0");
    return places ? with_places(zeros, *places) : zeros;
  }
  if (is_negated(q)) return negated(q);
  if (auto pattern = of_numbers(q)) return pattern;
  if (is_as_exact_as_floats(q))
    return of_values("rounded-to-float",
                     "is right to about 7 digits, as if it or a value on the way to it were a float");
  if (auto pattern = same_difference(q)) return pattern;
  if (auto pattern = multiplied(q)) return pattern;
  if (auto pattern = members_exchanged(q)) return pattern;
  if (is_in_another_order(q))
    return of_values("another-order",
                     "has the value of another element: all values are there, in another order");
  if (auto pattern = in_another_layout(q)) return pattern;
  if (const auto pattern = same_in_each_block(q)) return pattern;
  if (const auto pattern = displaced(q)) return pattern;
  return carried_on(q);
}

// Whether the patterns of tiles describe the places in this array.
bool has_tiles(const WrongResult& q) {
  return q.marks.shape.size() == 1 || (q.marks.shape.size() == 2 && q.shape());
}

// `cells`: the same elements, or the vectors that they are parts of.
std::optional<Pattern> in_places(const WrongResult& q, const WrongResult& cells) {
  if (!has_tiles(q))
    if (const auto pattern = in_slices(q)) return pattern;
  if (cells.marks.shape.size() == 1) return in_places_1d(cells);
  if (cells.marks.shape.size() == 2 && cells.shape()) return in_places_2d(cells);
  return {};
}

// Whether each block is right or wrong as a whole, and some are right: the kernel leaves out the others.
bool are_whole_blocks(const WrongResult& cells) {
  const std::size_t rank = cells.marks.shape.size();
  if (!cells.shape() || cells.shape()->blocks || rank == 0 || rank > 2) return false;
  if (cells.wrong.size() == cells.marks.values.size()) return false;
  std::map<std::vector<std::int64_t>, std::pair<std::size_t, std::size_t>> of_block;  // elements, wrong ones
  for (std::size_t i = 0; i < cells.marks.values.size(); ++i) {
    std::vector<std::int64_t> block = index_of(cells.marks.shape, i);
    for (std::size_t axis = 0; axis < rank; ++axis) block[rank - 1 - axis] /= cells.shape()->outputs[axis];
    auto& [elements, wrong] = of_block[block];
    ++elements;
    wrong += cells.marks.values[i] != Mark::right;
  }
  return std::ranges::all_of(of_block, [](const auto& each) {
    return each.second.second == 0 || each.second.second == each.second.first;
  });
}

Pattern never_written(const WrongResult& q, const WrongResult& cells) {
  Pattern pattern{"never-written", "none of them was ever written"};
  if (auto last = last_unwritten(q)) return *last;
  if (const auto mistake = unreached(cells)) return {mistake->name, pattern.words + mistake->words};
  if (const auto border = at_border(cells)) {
    pattern.words += ", " + border->words;
  } else if (const auto edge = at_edge(cells)) {
    return {"edge-left-out", pattern.words + ", " + edge->words +
                                 ": no guard may leave out what has neighbours "
                                 "missing"};
  } else if (are_whole_blocks(cells)) {
    pattern.name = "blocks-never-written";
    const auto places = in_places(q, cells);
    if (places && places->name == kDiagonal) pattern.name = places->name;
    pattern.words += places ? ", " + places->words : ", they are those of whole blocks";
  } else if (const auto places = right_in_each_block(cells)) {
    return with_places(pattern, *places);
  } else if (const auto last = last_left_out(cells)) {
    return with_places(pattern, *last);
  } else if (const auto slices = has_tiles(q) ? std::optional<Pattern>() : in_slices(q)) {
    pattern.words += ", " + slices->words;
  } else {
    pattern.words += written_in_each_block(cells);
  }
  return pattern;
}

std::string of_which_unwritten(const WrongResult& q) {
  const auto count = std::ranges::count(q.marks.values, Mark::never_written);
  return count == 0 ? "" : ", and " + std::to_string(count) + " of them were never written";
}

std::optional<Pattern> nearly_all(const WrongResult& q) {
  const std::size_t count = q.marks.values.size();
  if (q.wrong.size() * nearly < count * (nearly - 1) || (q.marks.shape.size() == 2 && q.shape())) return {};
  return Pattern{"nearly-all", "nearly all are, the others may be right by chance"};
}

std::vector<std::size_t> wrong_of(const Marks& marks) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < marks.values.size(); ++i)
    if (marks.values[i] != Mark::right) wrong.push_back(i);
  return wrong;
}

}  // namespace

bool WrongResult::all(const std::function<bool(std::size_t)>& test) const {
  return std::all_of(wrong.begin(), wrong.end(), test);
}

std::optional<Pattern> at_border(const WrongResult& q) {
  if (!q.shape()) return {};
  if (q.marks.shape.size() == 1) return at_border_1d(q);
  if (q.marks.shape.size() == 2) return at_border_2d(q);
  return {};
}

std::string index_list(const std::vector<bool>& in) {
  constexpr int most_groups = 8;
  std::string words;
  int groups = 0;
  for (std::size_t first = 0; first < in.size(); ++first) {
    if (!in[first]) continue;
    if (++groups > most_groups)
      return words + ", … (" + std::to_string(std::count(in.begin(), in.end(), true)) + " of " +
             std::to_string(in.size()) + ")";
    std::size_t last = first;
    while (last + 1 < in.size() && in[last + 1]) ++last;
    words += (words.empty() ? "" : ", ") + std::to_string(first);
    if (last > first) words += "–" + std::to_string(last);
    first = last;
  }
  return words;
}

Pattern find_pattern(const Dataset& data, const Array& result, const Marks& marks, const Coverage& coverage,
                     const FindPattern& own) {
  const WrongResult q{data, result, marks, coverage, wrong_of(marks)};
  const Marks vectors = of_vectors(marks, coverage.vector);
  const WrongResult cells{data, result, vectors, coverage, wrong_of(vectors)};
  if (all_never_written(q)) {
    const auto pattern = own ? own(q) : std::nullopt;
    return pattern ? *pattern : never_written(q, cells);
  }
  if (const auto pattern = by_value(q, cells, own)) return *pattern;
  if (const auto pattern = at_border(cells)) return *pattern;
  if (const auto pattern = at_edge(cells)) return *pattern;
  if (const auto pattern = one_value(q)) return *pattern;
  if (const auto pattern = by_size(q)) return *pattern;
  if (q.wrong.size() == marks.values.size()) return {"all", "not one is right" + of_which_unwritten(q)};
  if (const auto pattern = beside_diagonal(q)) return *pattern;
  if (const auto pattern = in_places(q, cells)) return *pattern;
  if (const auto pattern = edges_of_blocks(cells)) return *pattern;
  if (const auto pattern = nearly_all(q)) return *pattern;
  return {"scattered", "they are scattered over the result"};
}

}  // namespace warpgrade::harness
