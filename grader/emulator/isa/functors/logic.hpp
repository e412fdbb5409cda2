// Functors of the logic and shift instructions and of prmt (PTX ISA 9.7.8 and 9.7.9.7).
#pragma once

#include "isa/functors/integer.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {  // cnot
  template <class T>
  static T apply(T a) {
    return a == 0 ? T{1} : T{0};
  }
};
struct Copy {
  template <class T>
  static T apply(T a) {
    return a;
  }
};
struct ShiftLeft {
  template <class T>
  static T apply(T a, std::uint32_t n) {
    return shift_left(a, n);
  }
};
struct ShiftRight {
  template <class T>
  static T apply(T a, std::uint32_t n) {
    return shift_right(a, n);
  }
};
// shf: the 64 bits b:a, shifted by a count that is taken modulo 32 or is at most 32.
template <bool kWrap>
static inline std::uint32_t funnel_count(std::uint32_t n) {
  if constexpr (kWrap) return n & 31;
  return n > 32 ? 32 : n;
}
template <bool kWrap>
struct FunnelLeft {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) << funnel_count<kWrap>(n) >> 32);
  }
};
template <bool kWrap>
struct FunnelRight {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> funnel_count<kWrap>(n));
  }
};

// Byte `selector & 7` of b:a; with bit 3, its sign in all 8 bits.
static inline std::uint32_t permuted_byte(std::uint64_t bytes, std::uint32_t selector) {
  const auto byte = static_cast<std::uint32_t>(bytes >> (selector & 7) * 8) & 0xff;
  const std::uint32_t sign = byte >> 7 ? 0xffu : 0u;
  return selector & 8 ? sign : byte;
}
struct Permute {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    return permuted_byte(bytes, selector) | permuted_byte(bytes, selector >> 4) << 8 |
           permuted_byte(bytes, selector >> 8) << 16 | permuted_byte(bytes, selector >> 12) << 24;
  }
};
// The special modes are four fixed selectors each, chosen by the low two bits of c.
template <std::uint32_t k0, std::uint32_t k1, std::uint32_t k2, std::uint32_t k3>
struct PermuteMode {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t low = c & 1 ? k1 : k0, high = c & 1 ? k3 : k2;
    return Permute::apply(a, b, c & 2 ? high : low);
  }
};
using PermuteForward4 = PermuteMode<0x3210, 0x4321, 0x5432, 0x6543>;
using PermuteBackward4 = PermuteMode<0x5670, 0x6701, 0x7012, 0x0123>;
using PermuteReplicate8 = PermuteMode<0x0000, 0x1111, 0x2222, 0x3333>;
using PermuteEdgeLeft = PermuteMode<0x3210, 0x3211, 0x3222, 0x3333>;
using PermuteEdgeRight = PermuteMode<0x0000, 0x1110, 0x2210, 0x3210>;
using PermuteReplicate16 = PermuteMode<0x1010, 0x3232, 0x1010, 0x3232>;

}  // namespace warpgrade::isa::WARPGRADE_LANES
