// Operand values for tests of the operations: corner cases of each type in all combinations, then random
// values. The same numbers on every machine, so that a GPU's answers can be kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/operation.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::isa::cases {

__extension__ using Raw = unsigned __int128;  // a lane of a register; a predicate is 0 or 1

constexpr int kCases = 2048;  // for each row: 64 warps

inline std::uint64_t mix(std::uint64_t x) {  // splitmix64's finaliser
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

inline std::vector<std::uint64_t> integer_corners(int bits) {
  const std::uint64_t top = std::uint64_t{1} << (std::min(bits, 64) - 1);
  return {0,
          1,
          2,
          3,
          5,
          8,
          16,
          31,
          32,
          33,
          63,
          64,
          100,
          127,
          128,
          255,
          256,
          top - 1,
          top,
          top + 1,
          ~std::uint64_t{0},
          ~std::uint64_t{0} - 1,
          ~std::uint64_t{0} - 2,
          0x00ff00ff00ff00ff,
          0x7fffffff,
          0x80000000,
          0xffffffff,
          0x5555555555555555};
}
// Zero, subnormals, one and its neighbours, integers' limits, the largest, infinity, NaN; both signs.
inline std::vector<std::uint64_t> float_corners(int mantissa, int exponent) {
  const int bits = mantissa + exponent;
  const std::uint64_t one = ((std::uint64_t{1} << (exponent - 1)) - 1) << mantissa;
  const std::uint64_t unit = std::uint64_t{1} << mantissa;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent) - 1) << mantissa;
  std::vector<std::uint64_t> corners = {0,
                                        1,
                                        unit - 1,
                                        unit,
                                        unit + 1,
                                        2 * unit - 1,
                                        one - 1,
                                        one,
                                        one + 1,
                                        one - unit,
                                        one + unit,
                                        one - 2,
                                        one + unit / 2,
                                        one + unit + unit / 2,
                                        infinity - 1,
                                        infinity,
                                        infinity + unit / 2,
                                        infinity + 1,
                                        infinity - unit,
                                        2 * unit,
                                        infinity + unit - 1,
                                        infinity + unit / 2 + unit / 4 + 1};
  for (const int power : {7, 8, 15, 16, 31, 32, 63, 64}) {
    if (one + static_cast<std::uint64_t>(power) * unit < infinity) {
      corners.push_back(one + static_cast<std::uint64_t>(power) * unit);
      corners.push_back(one + static_cast<std::uint64_t>(power) * unit - 1);
    }
  }
  const std::size_t count = corners.size();
  for (std::size_t i = 0; i < count; ++i) corners.push_back(corners[i] | std::uint64_t{1} << bits);
  return corners;
}

inline std::vector<std::uint64_t> make_corners(ptx::Type type) {
  using ptx::Type;
  switch (type) {
    case Type::f16:
      return float_corners(10, 5);
    case Type::bf16:
      return float_corners(7, 8);
    case Type::f32:
      return float_corners(23, 8);
    case Type::f64:
      return float_corners(52, 11);
    case Type::pred:
      return {0, 1};
    case Type::f16x2:
    case Type::bf16x2: {
      auto pairs = type == Type::f16x2 ? float_corners(10, 5) : float_corners(7, 8);
      const auto halves = pairs;
      for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] |= halves[(i * 7 + 3) % halves.size()] << 16;
      return pairs;
    }
    default:
      return integer_corners(type == Type::none ? 32 : 8 * ptx::size_in_bytes(type));
  }
}

inline const std::vector<std::uint64_t>& corners(ptx::Type type) {
  static std::array<std::vector<std::uint64_t>, 32> made;
  auto& list = made[static_cast<std::size_t>(type)];
  if (list.empty()) list = make_corners(type);
  return list;
}

// A random number of the type. Half of the floating ones have exponents near one, so that sums interact.
inline Raw random(ptx::Type type, std::uint64_t seed) {
  const std::uint64_t bits = mix(seed);
  const auto near_one = [&](int mantissa, int bias, int total, std::uint64_t from) {
    const std::uint64_t fraction = from & ((std::uint64_t{1} << mantissa) - 1);
    const std::uint64_t exponent = static_cast<std::uint64_t>(bias - 4) + (from >> 56 & 7);
    return fraction | exponent << mantissa | (from >> 55 & 1) << total;
  };
  if (seed & 1) {
    switch (type) {
      case ptx::Type::f16:
        return near_one(10, 15, 15, bits);
      case ptx::Type::f16x2:
        return near_one(10, 15, 15, bits) | near_one(10, 15, 15, mix(bits)) << 16;
      case ptx::Type::bf16:
        return near_one(7, 127, 15, bits);
      case ptx::Type::bf16x2:
        return near_one(7, 127, 15, bits) | near_one(7, 127, 15, mix(bits)) << 16;
      case ptx::Type::f32:
        return near_one(23, 127, 31, bits);
      case ptx::Type::f64:
        return near_one(52, 1023, 63, bits);
      default:
        return bits >> (bits & 63 & (seed >> 1));  // small numbers as well
    }
  }
  if (type == ptx::Type::b128) return Raw{bits} << 64 | mix(bits);
  return bits;
}

inline Raw truncated(ptx::Type type, Raw value) {
  const int bits = type == ptx::Type::pred ? 1 : 8 * ptx::size_in_bytes(type);
  return bits >= 128 ? value : value & ((Raw{1} << bits) - 1);
}

// Operand `position` of a row's case, as the bits of a lane of its type. Three cases of four take corners.
// The first operand goes through the list of corners. Another operand is shifted against it, further in each
// round: by nothing in the first, so that equal operands meet, by half the list in the second (numbers and
// negatives).
inline Raw operand(ptx::Type type, int position, int index) {
  const auto seed = static_cast<std::uint64_t>(index) * 8 + static_cast<std::uint64_t>(position);
  if (index % 4 == 3 || (index % 16 == 5 && position % 2 == 1)) return truncated(type, random(type, seed));
  const auto& list = corners(type);
  const std::size_t n = list.size(), turn = static_cast<std::size_t>(index - index / 4), round = turn / n;
  const std::size_t shift = round / 2 + round % 2 * (n / 2);
  return truncated(type, Raw{list[(turn + static_cast<std::size_t>(position - 1) * shift) % n]});
}

// The type whose corners an operand takes: rows name some operands by their register only (mov.f32 takes
// b32).
inline ptx::Type value_type(const Operation& row, int position) {
  const std::string_view form = row.form;
  const ptx::Type type = row.operands[static_cast<std::size_t>(position)];
  if (type == ptx::Type::b32 && form.ends_with(".f32")) return ptx::Type::f32;
  if (type == ptx::Type::b64 && form.ends_with(".f64")) return ptx::Type::f64;
  return type;
}

}  // namespace warpgrade::isa::cases
