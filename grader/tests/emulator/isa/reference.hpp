// The reference: a second implementation of what each form does to one lane, from the manual and an H200's
// answers. It uses other means than the functors: wide integers, exact sums, the C library, one bit at a
// time.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "exact.hpp"
#include "isa/operation.hpp"

namespace warpgrade::isa::reference {

using cases::Raw;

// A row's form in parts: "cvt.rn.sat.f16.f32".
struct Form {
  std::string opcode;
  std::vector<std::string> modifiers;  // all that is not a type
  std::vector<std::string> types;      // "f16", "f32"
  std::string pattern;                 // behind the space
  bool has(std::string_view modifier) const {
    for (const auto& word : modifiers) {
      if (word == modifier) return true;
    }
    return false;
  }
};
inline bool names_type(const std::string& word) {
  return ptx::type_from_name(word) != ptx::Type::none || word.ends_with("x2") || word == "s4" ||
         word == "u4" || word == "s2" || word == "u2";
}
inline Form parse_form(std::string_view text) {
  Form form;
  const std::size_t space = std::min(text.find(' '), text.size());
  form.pattern = text.substr(space);
  text = text.substr(0, space);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::string word(text.substr(0, end));
    if (form.opcode.empty())
      form.opcode = word;
    else if (names_type(word))
      form.types.push_back(word);
    else
      form.modifiers.push_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return form;
}

// Operands as the row has them: index = position, destinations unused.
struct Lane {
  std::array<Raw, 8> in{};
  bool carry = false;
};
struct Answer {
  std::array<Raw, 4> out{};
  bool carry = false;
  // Approximations: out[0] is right to this many units in the last place (of each half for a pair), or to
  // this absolute error.
  int units = 0;
  double absolute = 0.0;
};
using Reference = std::function<Answer(const Lane&)>;

inline Answer answer(Raw value) { return Answer{{value}}; }

// Bits and signedness of an integer type's name.
inline int bits_of(const std::string& type) {
  return type == "pred" ? 1 : std::stoi(type.substr(type.find_first_of("0123456789")));
}
inline bool is_signed(const std::string& type) { return type[0] == 's'; }
__extension__ using Integer = __int128;
inline Integer to_integer(const std::string& type, Raw raw) {
  const int bits = bits_of(type);
  const Raw low = bits == 128 ? raw : raw & ((Raw{1} << bits) - 1);
  if (is_signed(type) && (low >> (bits - 1) & 1)) return static_cast<Integer>(low) - (Integer{1} << bits);
  return static_cast<Integer>(low);
}
inline Raw from_integer(int bits, Integer value) {
  return bits == 128 ? static_cast<Raw>(value) : static_cast<Raw>(value) & ((Raw{1} << bits) - 1);
}
inline Integer lowest(const std::string& type) {
  return is_signed(type) ? -(Integer{1} << (bits_of(type) - 1)) : 0;
}
inline Integer highest(const std::string& type) {
  return (Integer{1} << (bits_of(type) - is_signed(type))) - 1;
}
inline Integer clamp(const std::string& type, Integer value) {
  return value < lowest(type) ? lowest(type) : (value > highest(type) ? highest(type) : value);
}

}  // namespace warpgrade::isa::reference
