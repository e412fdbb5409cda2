// From a line of a .def file to a row of the operation table.
#pragma once

#include "isa/lanes/loop.hpp"
#include "isa/lanes/rows.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

struct pred {  // as an operand in a signature: the lanes of a predicate are the bits of one word
  static constexpr ptx::Type type = ptx::Type::pred;
};

template <class... T>
constexpr Operation make_row(const char* form, exec::Handler handler, CounterClass counts,
                             const char* section, Signature<T...>) {
  static_assert(sizeof...(T) <= 8);
  return Operation{form, handler, {T::type...}, counts, Shape::lanewise, section};
}

// The row of a functor with the ordinary lane loop.
template <class F, class S>
constexpr Operation lanewise_row(const char* form, CounterClass counts, const char* section) {
  return make_row(form, &lanewise_handler<F, S>, counts, section, S{});
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
// ROWS(type list, "opcode and modifiers.", functor, signature, counter class, section)
#define ROWS(EACH, form, functor, signature, counts, section) \
  EACH(ROW_OF_TYPE, form, functor, signature, counts, section)
#define ROW_OF_TYPE(type, form, functor, signature, counts, section) \
  lanewise_row<functor, signature<type>>(form #type, CounterClass::counts, section),
// ROW("whole form", functor, (destination, sources …), counter class, section)
#define ROW(form, functor, signature, counts, section) \
  lanewise_row<functor, Signature<UNPACK signature>>(form, CounterClass::counts, section),
#define UNPACK(...) __VA_ARGS__
