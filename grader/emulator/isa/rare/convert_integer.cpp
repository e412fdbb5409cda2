// Rows of cvt.sat between integers.
#include "isa/functors/convert.hpp"
#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {
namespace {

template <class D, class S>
constexpr Operation saturated_row(const char* form, ptx::Type to, ptx::Type from) {
  return Operation{form,
                   &rare_handler<ConvertIntegerSaturated<typename D::value>, Signature<D, S>>,
                   {to, from},
                   CounterClass::conversion,
                   Shape::lanewise,
                   "9.7.9.21"};
}

#define CONVERT(...)  // isa/lanes/convert_integer.cpp
#define SATURATE(to, in, from, of) \
  saturated_row<In<to, in>, In<from, of>>("cvt.sat." #to "." #from, shown<to, in>, shown<from, of>),
constexpr Operation kRows[] = {
#include "isa/rows/convert_integer.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_integer_rows, kRows);
}  // namespace warpgrade::isa::rare
