#include "comparison/any_order.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "comparison/compare.hpp"
#include "patterns/marks.hpp"
#include "patterns/members.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t most_compared = 1 << 26;  // elements, where each wrong row looks for the nearest

class RowsInOrder {
 public:
  RowsInOrder(Expected& expected, const Array& result, std::size_t rows)
      : expected_(expected), before_(expected), result_(result), source_(rows, none) {
    for (std::size_t axis = 1; axis < result.shape.size(); ++axis)
      width_ *= static_cast<std::size_t>(result.shape[axis]);
  }

  void put() {
    std::vector<std::size_t> missing = take_equal();
    std::vector<std::size_t> wrong;
    for (std::size_t row = 0; row < source_.size(); ++row)
      if (source_[row] == none) wrong.push_back(row);
    if (wrong.size() * wrong.size() * width_ <= most_compared)
      take_nearest(wrong, missing);
    else
      take_by_size(wrong, missing);
    for (std::size_t row = 0; row < source_.size(); ++row) move(source_[row], row);
  }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);
  using Key = std::vector<std::pair<std::int64_t, double>>;

  static std::pair<std::int64_t, double> key(const RawNumber& raw, ElementType type) {
    return is_floating(type) ? std::pair{std::int64_t{0}, raw.value} : std::pair{raw.integer, 0.0};
  }
  Key key_of(const Array& array, std::size_t row) const {
    Key found;
    for (std::size_t i = row * width_; i < (row + 1) * width_; ++i)
      found.push_back(key(array.at(i), array.type));
    return found;
  }

  // Finds an equal expected row for each row of the result. Returns the rows that are left.
  std::vector<std::size_t> take_equal() {
    std::map<Key, std::vector<std::size_t>> known;
    for (std::size_t row = source_.size(); row-- > 0;) known[key_of(before_.values, row)].push_back(row);
    for (std::size_t row = 0; row < source_.size(); ++row) {
      const auto found = known.find(key_of(result_, row));
      if (found == known.end() || found->second.empty()) continue;
      source_[row] = found->second.back();
      found->second.pop_back();
    }
    std::vector<std::size_t> left;
    for (const auto& [_, rows] : known) left.insert(left.end(), rows.begin(), rows.end());
    std::sort(left.begin(), left.end());
    return left;
  }

  std::size_t common(std::size_t row, std::size_t source) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < width_; ++i)
      count += is_right(before_, source * width_ + i, result_.at(row * width_ + i));
    return count;
  }

  // Pairs of rows with more in common are matched first, so that a row that is right but for rounding gets
  // its own.
  void take_nearest(const std::vector<std::size_t>& wrong, std::vector<std::size_t>& missing) {
    for (std::size_t wanted = width_ + 1; wanted-- > 0;)
      for (const std::size_t row : wrong) {
        if (source_[row] != none) continue;
        const auto found =
            std::ranges::find_if(missing, [&](std::size_t source) { return common(row, source) >= wanted; });
        if (found == missing.end()) continue;
        source_[row] = *found;
        missing.erase(found);
      }
  }

  void take_by_size(std::vector<std::size_t>& wrong, std::vector<std::size_t>& missing) {
    std::ranges::sort(wrong, {}, [&](std::size_t row) { return key_of(result_, row); });
    std::ranges::sort(missing, {}, [&](std::size_t row) { return key_of(before_.values, row); });
    for (std::size_t i = 0; i < wrong.size(); ++i) source_[wrong[i]] = missing[i];
  }

  void move(std::size_t from, std::size_t to) {
    for (std::size_t i = 0; i < width_; ++i)
      expected_.set(to * width_ + i, before_.at(from * width_ + i), before_.tolerance_of(from * width_ + i));
  }

  Expected& expected_;
  const Expected before_;
  const Array& result_;
  std::size_t width_ = 1;
  std::vector<std::size_t> source_;  // by row of the result, the expected row
};

std::size_t first_behind_rows(const Array& result, std::int64_t count) {
  const std::int64_t extent = result.shape.front(), rows = std::clamp<std::int64_t>(count, 0, extent);
  return extent == 0 ? 0
                     : static_cast<std::size_t>(rows) * (result.count() / static_cast<std::size_t>(extent));
}

// An output holds nothing before the launch: what lies behind the rows may be anything.
void leave_out_rest(Expected& expected, Array& result, std::int64_t count) {
  if (result.shape.empty()) return;
  for (std::size_t i = first_behind_rows(result, count); i < result.count(); ++i) {
    expected.set(i, 0, 0);
    result.set(i, {});
  }
}

bool has_all_rows(const Expected& expected, const Array& result, std::int64_t count) {
  const std::size_t behind = first_behind_rows(result, count);
  for (std::size_t i = 0; i < behind; ++i)
    if (!is_right(expected, i, result.at(i))) return false;
  return true;
}

// The expected rows in the order of the result's; where all of them are there with their members exchanged,
// in the order of these.
Expected in_best_order(const Expected& given, const Array& result, std::int64_t count) {
  Expected expected = given;
  put_in_order(expected, result, count);
  if (count < 1 || result.shape.empty() || has_all_rows(expected, result, count)) return expected;
  for (const MemberOrder& order : other_orders(result.shape)) {
    const Array array = put_back(result, order);
    Expected exchanged = given;
    put_in_order(exchanged, array, count);
    if (has_all_rows(exchanged, array, count)) return exchanged;
  }
  return expected;
}

}  // namespace

void put_in_order(Expected& expected, const Array& result, std::int64_t count) {
  if (expected.values.bytes.empty() || result.shape.empty()) return;
  const auto rows = static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, result.shape.front()));
  RowsInOrder(expected, result, rows).put();
}

Outcome compare_in_any_order(const Dataset& data, const Array& result, std::int64_t count,
                             const FindPattern& own) {
  Dataset in_order = data;
  Expected& expected = in_order.expected(result.name);
  expected = in_best_order(expected, result, count);
  if (in_order.array(result.name).role != Role::output) return compare(in_order, result, nullptr, own);
  Array written = result;
  leave_out_rest(expected, written, count);
  return compare(in_order, written, nullptr, own);
}

}  // namespace warpgrade::harness
