// What a number may be made of others by: their sum, the largest of them, …
#pragma once
#include <string>
#include <vector>

namespace warpgrade::harness {

// The operations that give `value` of these numbers. `allowed`: a difference that counts as none.
// `is_integer`: a fraction is lost.
std::vector<std::string> operations_giving(double value, const std::vector<double>& numbers, double allowed,
                                           bool is_integer);

}  // namespace warpgrade::harness
