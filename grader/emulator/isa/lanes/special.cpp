// Rows of the approximate functions.
#include "isa/functors/special.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

using RECIPROCAL_UPPER = UpperHalf<FloatReciprocal, false>;
using SQUARE_ROOT_UPPER = UpperHalf<ReciprocalSquareRoot, true>;

#define SPECIAL(form, functor, section)                                                              \
  functor_row<Float<functor>, unary<f32>>(form ".f32", CounterClass::special_function, section),     \
      functor_row<Float<functor, true>, unary<f32>>(form ".ftz.f32", CounterClass::special_function, \
                                                    section),

constexpr Operation kRows[] = {
#include "isa/rows/special.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(special_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
