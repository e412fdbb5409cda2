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

// Conversion to integers always saturates: .sat changes nothing.
#define TO_INTEGER_AS(modifiers, type, in, source, mode, flush)                                           \
  CVT_ROW(modifiers "." #type "." #source, in, source, FloatToInteger<in, source, Integral::mode, flush>) \
  CVT_ROW(modifiers ".sat." #type "." #source, in, source, FloatToInteger<in, source, Integral::mode, flush>)
#define TO_INTEGER(type, in, source, modifier, mode) \
  TO_INTEGER_AS("." #modifier, type, in, source, mode, false)
#define TO_INTEGER_FLUSHED(type, in, source, modifier, mode) \
  TO_INTEGER_AS("." #modifier ".ftz", type, in, source, mode, true)
#define FROM_INTEGER(type, in, to, modifier, mode) \
  CVT_ROW("." #modifier "." #to "." #type, to, in, IntegerToFloat<to, in, Round::mode>)
#define FLOAT_TO_FLOAT(modifiers, to, from, mode, flush)                                            \
  CVT_ROW(modifiers "." #to "." #from, to, from, FloatToFloat<to, from, Round::mode, flush, false>) \
  CVT_ROW(modifiers ".sat." #to "." #from, to, from, FloatToFloat<to, from, Round::mode, flush, true>)
#define EXACT(to, from) FLOAT_TO_FLOAT("", to, from, nearest_even, false)
#define EXACT_FLUSHED(to, from) FLOAT_TO_FLOAT(".ftz", to, from, nearest_even, true)
#define NARROW(modifier, mode, to, from) FLOAT_TO_FLOAT("." #modifier, to, from, mode, false)
#define NARROW_FLUSHED(modifier, mode, to, from) FLOAT_TO_FLOAT("." #modifier ".ftz", to, from, mode, true)
#define RELU(modifiers, to, mode, relu, finite) \
  CVT_ROW(modifiers "." #to ".f32", to, f32, FloatToFloat<to, f32, Round::mode, false, false, relu, finite>)
#define NARROW_RELU(modifier, mode, to)                   \
  RELU("." #modifier ".relu", to, mode, true, false)      \
  RELU("." #modifier ".satfinite", to, mode, false, true) \
  RELU("." #modifier ".relu.satfinite", to, mode, true, true)
#define WHOLE_AS(modifiers, type, mode, flush)                                                            \
  CVT_ROW(modifiers "." #type "." #type, type, type, FloatToIntegral<type, Integral::mode, flush, false>) \
  CVT_ROW(modifiers ".sat." #type "." #type, type, type, FloatToIntegral<type, Integral::mode, flush, true>)
#define WHOLE(modifier, mode, type) WHOLE_AS("." #modifier, type, mode, false)
#define WHOLE_FLUSHED(modifier, mode, type) WHOLE_AS("." #modifier ".ftz", type, mode, true)

constexpr Operation kRows[] = {
#include "isa/rows/convert_float.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_float_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
