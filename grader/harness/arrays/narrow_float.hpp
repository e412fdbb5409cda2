// The 16-bit floating-point types of CUDA on the host. Only their bits and their conversions matter here.
#pragma once
#include <cstdint>

namespace warpgrade::harness {

struct Float16 {  // __half: 5 bits of exponent, 10 of fraction
  Float16() = default;
  explicit Float16(double value);  // rounds to the nearest, ties to even
  double value() const;
  std::uint16_t bits = 0;
};

struct Bfloat16 {  // __nv_bfloat16: the upper half of a float
  Bfloat16() = default;
  explicit Bfloat16(double value);  // rounds to the nearest, ties to even
  double value() const;
  std::uint16_t bits = 0;
};

}  // namespace warpgrade::harness
