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
#define FLOAT_TO_FLOAT(modifiers, to, from, mode, flush) \
  FLOAT_ROW(modifiers, to, from, mode, flush, false)     \
  FLOAT_ROW(modifiers ".sat", to, from, mode, flush, true)
#define EXACT(to, from) FLOAT_TO_FLOAT("", to, from, nearest_even, false)
#define EXACT_FLUSHED(to, from) FLOAT_TO_FLOAT(".ftz", to, from, nearest_even, true)
#define EXACT_BRAIN(modifiers, to, from, flush) FLOAT_ROW(modifiers, to, from, nearest_even, flush, false)
#define NARROW(modifier, mode, to, from) FLOAT_TO_FLOAT("." #modifier, to, from, mode, false)
#define NARROW_FLUSHED(modifier, mode, to, from) FLOAT_TO_FLOAT("." #modifier ".ftz", to, from, mode, true)
#define NARROW_BRAIN(modifier, mode, more, to, from, flush) \
  FLOAT_ROW("." #modifier more, to, from, mode, flush, false)
#define NARROW_RELU(modifier, mode, to)                                           \
  FLOAT_ROW("." #modifier ".relu", to, f32, mode, false, false, true)             \
  FLOAT_ROW("." #modifier ".satfinite", to, f32, mode, false, false, false, true) \
  FLOAT_ROW("." #modifier ".relu.satfinite", to, f32, mode, false, false, true, true)
#define WHOLE_ROW(modifiers, type, mode, flush, saturate) \
  CVT_ROW(modifiers "." #type "." #type, type, type, FloatToIntegral<type, Integral::mode, flush, saturate>)
#define WHOLE(modifier, mode, type)                  \
  WHOLE_ROW("." #modifier, type, mode, false, false) \
  WHOLE_ROW("." #modifier ".sat", type, mode, false, true)
#define WHOLE_BRAIN(modifier, mode, type) WHOLE_ROW("." #modifier, type, mode, false, false)
#define WHOLE_FLUSHED(modifier, mode, type)                \
  WHOLE_ROW("." #modifier ".ftz", type, mode, true, false) \
  WHOLE_ROW("." #modifier ".ftz.sat", type, mode, true, true)

constexpr Operation kRows[] = {
#include "isa/rows/convert_float.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_float_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
