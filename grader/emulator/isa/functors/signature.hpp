// Operand signatures of rows.
#pragma once

#include <cstdint>
#include <type_traits>

#include "isa/operation.hpp"
#include "machine/warp.hpp"
#include "ptx/tree/module.hpp"

#ifndef WARPGRADE_LANES
#define WARPGRADE_LANES rare  // compiled once, for no vector width: isa/rare/
#endif

namespace warpgrade::isa::WARPGRADE_LANES {

using emulator::DecodedInstruction;
using emulator::kFullMask;
using emulator::kWarpSize;
using emulator::Warp;

// A PTX type: the C++ type that functors compute with, and the one that a lane of its register is stored as.
// 8-bit values live in 16-bit lanes (see machine/warp.hpp).
template <class Value, class Storage, ptx::Type kType>
struct Tag {
  using value = Value;
  using storage = Storage;
  static constexpr ptx::Type type = kType;
};
using u8 = Tag<std::uint8_t, std::uint16_t, ptx::Type::u8>;
using s8 = Tag<std::int8_t, std::int16_t, ptx::Type::s8>;
using b8 = Tag<std::uint8_t, std::uint16_t, ptx::Type::b8>;
using u16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::u16>;
using s16 = Tag<std::int16_t, std::int16_t, ptx::Type::s16>;
using b16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::b16>;
using u32 = Tag<std::uint32_t, std::uint32_t, ptx::Type::u32>;
using s32 = Tag<std::int32_t, std::int32_t, ptx::Type::s32>;
using b32 = Tag<std::uint32_t, std::uint32_t, ptx::Type::b32>;
using u64 = Tag<std::uint64_t, std::uint64_t, ptx::Type::u64>;
using s64 = Tag<std::int64_t, std::int64_t, ptx::Type::s64>;
using b64 = Tag<std::uint64_t, std::uint64_t, ptx::Type::b64>;
using f32 = Tag<float, float, ptx::Type::f32>;
using f64 = Tag<double, double, ptx::Type::f64>;
// The narrow floating types are bit patterns to the functors; see formats.hpp.
using f16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::f16>;
using bf16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::bf16>;
using f16x2 = Tag<std::uint32_t, std::uint32_t, ptx::Type::f16x2>;
using bf16x2 = Tag<std::uint32_t, std::uint32_t, ptx::Type::bf16x2>;
using tf32 = Tag<std::uint32_t, std::uint32_t, ptx::Type::tf32>;

// The operand types of a row, destination first.
template <class D, class... S>
struct Signature {};

template <class T>
using unary = Signature<T, T>;
template <class T>
using binary = Signature<T, T, T>;
template <class T>
using ternary = Signature<T, T, T, T>;
template <class T>
using shift_by = Signature<T, T, u32>;
template <class T>
using count_of = Signature<u32, T>;

template <class T>
struct Twice;
template <>
struct Twice<u16> {
  using type = u32;
};
template <>
struct Twice<s16> {
  using type = s32;
};
template <>
struct Twice<u32> {
  using type = u64;
};
template <>
struct Twice<s32> {
  using type = s64;
};
template <class T>
using wide_binary = Signature<typename Twice<T>::type, T, T>;
template <class T>
using wide_ternary = Signature<typename Twice<T>::type, T, T, typename Twice<T>::type>;

struct pred {  // as an operand in a signature: the lanes of a predicate are the bits of one word
  static constexpr ptx::Type type = ptx::Type::pred;
};

template <class... T>
constexpr Operation make_row(const char* form, emulator::Handler handler, CounterClass counts,
                             const char* section, Signature<T...>) {
  static_assert(sizeof...(T) <= 8);
  return Operation{form, handler, {T::type...}, counts, Shape::lanewise, section};
}

}  // namespace warpgrade::isa::WARPGRADE_LANES

// Type lists for .def files: MACRO(type, rest…) for each.
#define EACH_INTEGER(M, ...) \
  M(u16, __VA_ARGS__)        \
  M(s16, __VA_ARGS__) M(u32, __VA_ARGS__) M(s32, __VA_ARGS__) M(u64, __VA_ARGS__) M(s64, __VA_ARGS__)
#define EACH_SIGNED(M, ...) M(s16, __VA_ARGS__) M(s32, __VA_ARGS__) M(s64, __VA_ARGS__)
#define EACH_UNSIGNED(M, ...) M(u16, __VA_ARGS__) M(u32, __VA_ARGS__) M(u64, __VA_ARGS__)
#define EACH_INTEGER_32_64(M, ...) \
  M(u32, __VA_ARGS__) M(s32, __VA_ARGS__) M(u64, __VA_ARGS__) M(s64, __VA_ARGS__)
#define EACH_INTEGER_16_32(M, ...) \
  M(u16, __VA_ARGS__) M(s16, __VA_ARGS__) M(u32, __VA_ARGS__) M(s32, __VA_ARGS__)
#define EACH_INTEGER_32(M, ...) M(u32, __VA_ARGS__) M(s32, __VA_ARGS__)
#define EACH_BITS(M, ...) M(b16, __VA_ARGS__) M(b32, __VA_ARGS__) M(b64, __VA_ARGS__)
#define EACH_BITS_32_64(M, ...) M(b32, __VA_ARGS__) M(b64, __VA_ARGS__)
#define ONLY_S32(M, ...) M(s32, __VA_ARGS__)
#define ONLY_B32(M, ...) M(b32, __VA_ARGS__)
// functor_row() comes from lanes/row.hpp or rare/loop.hpp. ROWS(type list, "opcode and modifiers.", functor,
// signature, counter class, section)
#define ROWS(EACH, form, functor, signature, counts, section) \
  EACH(ROW_OF_TYPE, form, functor, signature, counts, section)
#define ROW_OF_TYPE(type, form, functor, signature, counts, section) \
  functor_row<functor, signature<type>>(form #type, CounterClass::counts, section),
// ROW("whole form", functor, (destination, sources …), counter class, section)
#define ROW(form, functor, signature, counts, section) \
  functor_row<functor, Signature<UNPACK signature>>(form, CounterClass::counts, section),
#define UNPACK(...) __VA_ARGS__
