// Rows of cvt between integers and floating types, and among the latter.
#include "isa/lanes/convert.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

using wide_u8 = In<u8, b32>;
using wide_s8 = In<s8, b32>;
using wide_u16 = In<u16, b32>;
using wide_s16 = In<s16, b32>;

#define CVT_ROW(form, to, from, ...) \
  lanewise_row<__VA_ARGS__, Signature<to, from>>("cvt" form, CounterClass::conversion, "9.7.9.21"),

#define TO_INTEGER(type, in, source, modifier, mode)               \
  CVT_ROW("." #modifier "." #type "." #source, in, source,         \
          FloatToInteger<in, source, Integral::mode, false>)       \
  CVT_ROW("." #modifier ".sat." #type "." #source, in, source,     \
          FloatToInteger<in, source, Integral::mode, false>)       \
  CVT_ROW("." #modifier ".ftz." #type "." #source, in, source,     \
          FloatToInteger<in, source, Integral::mode, true>)        \
  CVT_ROW("." #modifier ".ftz.sat." #type "." #source, in, source, \
          FloatToInteger<in, source, Integral::mode, true>)
#define FROM_INTEGER(type, in, to, modifier, mode) \
  CVT_ROW("." #modifier "." #to "." #type, to, in, IntegerToFloat<to, in, Round::mode>)
#define FLOAT_TO_FLOAT(form, to, from, mode, flush, saturate) \
  CVT_ROW(form "." #to "." #from, to, from, FloatToFloat<to, from, Round::mode, flush, saturate>)
#define FLUSHED_OR_NOT(form, to, from, mode)               \
  FLOAT_TO_FLOAT(form, to, from, mode, false, false)       \
  FLOAT_TO_FLOAT(form ".ftz", to, from, mode, true, false) \
  FLOAT_TO_FLOAT(form ".sat", to, from, mode, false, true) \
  FLOAT_TO_FLOAT(form ".ftz.sat", to, from, mode, true, true)
#define WIDEN(to, from) FLUSHED_OR_NOT("", to, from, nearest_even)
#define KEEP(type) FLUSHED_OR_NOT("", type, type, nearest_even)
#define NARROW(modifier, mode, to, from) FLUSHED_OR_NOT("." #modifier, to, from, mode)
#define NARROW_RELU(modifier, mode, to)                                  \
  CVT_ROW("." #modifier ".relu." #to ".f32", to, f32,                    \
          FloatToFloat<to, f32, Round::mode, false, false, true>)        \
  CVT_ROW("." #modifier ".satfinite." #to ".f32", to, f32,               \
          FloatToFloat<to, f32, Round::mode, false, false, false, true>) \
  CVT_ROW("." #modifier ".relu.satfinite." #to ".f32", to, f32,          \
          FloatToFloat<to, f32, Round::mode, false, false, true, true>)
#define TO_INTEGRAL_MODE(type, modifier, mode)                   \
  CVT_ROW("." #modifier "." #type "." #type, type, type,         \
          FloatToIntegral<type, Integral::mode, false, false>)   \
  CVT_ROW("." #modifier ".ftz." #type "." #type, type, type,     \
          FloatToIntegral<type, Integral::mode, true, false>)    \
  CVT_ROW("." #modifier ".sat." #type "." #type, type, type,     \
          FloatToIntegral<type, Integral::mode, false, true>)    \
  CVT_ROW("." #modifier ".ftz.sat." #type "." #type, type, type, \
          FloatToIntegral<type, Integral::mode, true, true>)
#define TO_INTEGRAL(type)              \
  TO_INTEGRAL_MODE(type, rni, nearest) \
  TO_INTEGRAL_MODE(type, rzi, zero)    \
  TO_INTEGRAL_MODE(type, rmi, down)    \
  TO_INTEGRAL_MODE(type, rpi, up)

constexpr Operation kRows[] = {
#include "isa/rows/convert_float.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_float_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
