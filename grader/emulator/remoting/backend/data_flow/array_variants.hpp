// Variants of an array that a program sends if it prepares its inputs on the host: the elements converted to
// another type, or the axes in another order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::remoting {

// An array as the head of its .npy file describes it.
struct ArrayForm {
  std::string type = "i1";  // "f4"
  std::vector<std::size_t> shape;
  std::size_t element() const { return static_cast<std::size_t>(type.back() - '0'); }  // bytes
};

// Types whose bytes differ. "e2" is bfloat16. Unsigned types are left out: an integer that is not negative
// has the same bytes in both.
std::span<const char* const> number_types();
// The elements converted to another type; empty where an integer type does not hold a number.
std::string converted(std::string_view array, const std::string& from, const std::string& to);
// The elements with the axes of `shape` in the order `axes`.
std::string transposed(std::string_view array, std::size_t element, const std::vector<std::size_t>& shape,
                       const std::vector<std::size_t>& axes);

// A variant of two arrays of the same form.
struct ArrayVariant {
  std::string one, other;
  std::size_t element = 1;  // bytes
  bool is_turned = false;   // its axes are in another order
};
// All variants of both arrays except their own form, of at most `most` bytes for each array.
std::vector<ArrayVariant> variants(std::string_view one, std::string_view other, const ArrayForm& form,
                                   std::size_t most);

// Whether most numbers of an array, not counting zeros, also occur in the other one, so that it is a
// rearrangement.
bool is_mostly_of(std::string_view array, const ArrayForm& form, std::string_view other,
                  const ArrayForm& other_form);

}  // namespace warpgrade::remoting
