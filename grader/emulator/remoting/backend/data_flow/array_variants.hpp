// Other forms of an array, in which a program that prepares its inputs on the host sends them: its elements
// converted to another type, and its axes in another order.
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

// Types with unlike bytes, "e2" is bfloat16: an integer that is not negative has the same bytes with and
// without a sign.
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
// All variants of both, but for the form that they have; no more than `most` bytes of each array.
std::vector<ArrayVariant> variants(std::string_view one, std::string_view other, const ArrayForm& form,
                                   std::size_t most);

// Whether most numbers of an array, zeros left out, are numbers of the other one: it is a rearrangement.
bool is_mostly_of(std::string_view array, const ArrayForm& form, std::string_view other,
                  const ArrayForm& other_form);

}  // namespace warpgrade::remoting
