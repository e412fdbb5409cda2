// A GPU's answers to the cases of every row, as one hash for each row: h200_answers.tsv.
#pragma once

#include <string>

#include "row_runner.hpp"

namespace warpgrade::isa::cases {

// Fowler–Noll–Vo with a shift, so that high bits count too.
class Digest {
 public:
  void add(Raw value) {
    add_word(static_cast<std::uint64_t>(value));
    add_word(static_cast<std::uint64_t>(value >> 64));
  }
  void add_word(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }
  std::string text() const {
    std::string digits(16, '0');
    for (int i = 0; i < 16; ++i)
      digits[static_cast<std::size_t>(15 - i)] = "0123456789abcdef"[hash_ >> 4 * i & 15];
    return digits;
  }

 private:
  std::uint64_t hash_ = 0x14650fb0739d0383;
};

// The key of a row in the file: form and widths of the registers.
inline std::string name_of(const Operation& row) {
  std::string name = row.form;
  for (const ptx::Type type : row.operands) {
    if (type == ptx::Type::none) break;
    name += (name.size() == std::string_view(row.form).size() ? "\t" : ",") +
            std::to_string(lane_bytes(type) * 8);
  }
  return name;
}

}  // namespace warpgrade::isa::cases
