#include "patterns/members.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace warpgrade::harness {
namespace {

constexpr std::int64_t most_members = 4;
constexpr std::size_t fewest_structs = 2;  // one may be so by chance

std::size_t wrong_structs(const WrongResult& q, std::size_t members) {
  std::set<std::size_t> structs;
  for (const std::size_t i : q.wrong) structs.insert(i / members);
  return structs.size();
}

bool explains(const WrongResult& q, const MemberOrder& order) {
  const Expected& expected = q.data.expected(q.result.name);
  return std::ranges::all_of(q.wrong, [&](std::size_t i) {
    const std::size_t first = i / order.size() * order.size();
    for (std::size_t member = 0; member < order.size(); ++member)
      if (!is_right(expected, first + member, q.result.at(first + order[member]))) return false;
    return true;
  });
}

}  // namespace

std::vector<MemberOrder> other_orders(const Shape& shape) {
  if (shape.size() < 2 || shape.back() < 2 || shape.back() > most_members) return {};
  MemberOrder order(static_cast<std::size_t>(shape.back()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<MemberOrder> orders;
  while (std::ranges::next_permutation(order).found) orders.push_back(order);
  return orders;
}

Array put_back(const Array& stored, const MemberOrder& order) {
  Array array = stored;
  for (std::size_t i = 0; i < array.count(); ++i)
    array.set(i, stored.at(i / order.size() * order.size() + order[i % order.size()]));
  return array;
}

std::optional<Pattern> members_exchanged(const WrongResult& q) {
  for (const MemberOrder& order : other_orders(q.marks.shape)) {
    if (wrong_structs(q, order.size()) < fewest_structs) return {};
    if (!explains(q, order)) continue;
    std::string each = "each " + q.result.name;
    for (std::size_t axis = 1; axis < q.marks.shape.size(); ++axis) each += "[·]";
    if (order.size() == 2)
      return Pattern{"members-exchanged", "the two numbers of " + each + " are right, but exchanged"};
    std::string stored;
    for (std::size_t place = 0; place < order.size(); ++place)
      stored += (place ? ", " : "") + std::to_string(std::ranges::find(order, place) - order.begin());
    return Pattern{"members-exchanged", "the numbers of " + each + " are right, but stand in the order " +
                                            stored + ", counted from 0"};
  }
  return {};
}

}  // namespace warpgrade::harness
