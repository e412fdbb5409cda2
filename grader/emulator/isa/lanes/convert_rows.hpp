// Macros for the rows of cvt between integers and floating types, and between floating types.
#pragma once

#include "isa/functors/convert.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

using wide_u8 = In<u8, b32>;
using wide_s8 = In<s8, b32>;
using wide_u16 = In<u16, b32>;
using wide_s16 = In<s16, b32>;

}  // namespace warpgrade::isa::WARPGRADE_LANES

#define CVT_ROW(form, to, from, ...) \
  functor_row<__VA_ARGS__, Signature<to, from>>("cvt" form, CounterClass::conversion, "9.7.9.21"),

#define TO_INTEGER_ROW(modifiers, type, in, mode, source, flush) \
  CVT_ROW(modifiers "." #type "." #source, in, source, FloatToInteger<in, source, Integral::mode, flush>)
#define TO_INTEGER_PLAIN(type, in, modifier, mode, source) \
  TO_INTEGER_ROW("." #modifier, type, in, mode, source, false)
// Conversion to integers always saturates: .sat changes nothing.
#define TO_INTEGER(type, in, modifier, mode, source)           \
  TO_INTEGER_ROW("." #modifier, type, in, mode, source, false) \
  TO_INTEGER_ROW("." #modifier ".sat", type, in, mode, source, false)
#define TO_INTEGER_FLUSHED(type, in, modifier, mode, source)         \
  TO_INTEGER_ROW("." #modifier ".ftz", type, in, mode, source, true) \
  TO_INTEGER_ROW("." #modifier ".ftz.sat", type, in, mode, source, true)
#define FROM_INTEGER(type, in, modifier, mode, to) \
  CVT_ROW("." #modifier "." #to "." #type, to, in, IntegerToFloat<to, in, Round::mode>)
#define FLOAT_ROW(modifiers, to, from, mode, ...) \
  CVT_ROW(modifiers "." #to "." #from, to, from, FloatToFloat<to, from, Round::mode, __VA_ARGS__>)
#define NARROW_RELU(modifier, mode, to)                                           \
  FLOAT_ROW("." #modifier ".relu", to, f32, mode, false, false, true)             \
  FLOAT_ROW("." #modifier ".satfinite", to, f32, mode, false, false, false, true) \
  FLOAT_ROW("." #modifier ".relu.satfinite", to, f32, mode, false, false, true, true)
#define WHOLE_ROW(modifiers, type, mode, flush, saturate) \
  CVT_ROW(modifiers "." #type "." #type, type, type, FloatToIntegral<type, Integral::mode, flush, saturate>)
#define WHOLE_PLAIN(modifier, mode, more, type, flush) WHOLE_ROW("." #modifier more, type, mode, flush, false)
#define WHOLE_SATURATED(modifier, mode, more, type, flush) \
  WHOLE_ROW("." #modifier more ".sat", type, mode, flush, true)

// Two floats in one register.
#define PACK_ROW(form, to, sources, ...) \
  functor_row<__VA_ARGS__, Signature<to, UNPACK sources>>(form, CounterClass::conversion, "9.7.9.21"),
#define PACK_TWO_AS(form, mode, to, relu, finite)     \
  PACK_ROW(form "." #to "x2.f32", to##x2, (f32, f32), \
           PackTwo<FormatOf<to>::type, Round::mode, relu, finite, 16>)
