// Structs of the result whose members are exchanged: each of them is right, and stands in another one's
// place.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "patterns/pattern.hpp"

namespace warpgrade::harness {

// The member that each one is stored as.
using MemberOrder = std::vector<std::size_t>;

// All orders but their own, of the last dimension of an array. None where it has more than four members.
std::vector<MemberOrder> other_orders(const Shape& shape);

// The array with its members where they belong, if they were stored in this order.
Array put_back(const Array& stored, const MemberOrder& order);

// If every wrong struct is right with its members in one other order.
std::optional<Pattern> members_exchanged(const WrongResult& wrong);

}  // namespace warpgrade::harness
