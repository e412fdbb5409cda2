// Rows of cvt between integers that do not saturate.
#include "isa/functors/convert.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// Conversions share a handler where signs do not matter: a result that is no wider than the source does not
// depend on the source's sign, and a result that fills its register does not depend on its own sign.
template <class T>
using unsigned_tag =
    Tag<std::make_unsigned_t<typename T::value>, std::make_unsigned_t<typename T::storage>, T::type>;
template <class D, class S>
using SourceOf =
    std::conditional_t<sizeof(typename D::value) <= sizeof(typename S::value), unsigned_tag<S>, S>;
template <class D>
using DestinationOf =
    std::conditional_t<sizeof(typename D::value) == sizeof(typename D::storage), unsigned_tag<D>, D>;
// The handler does not depend on the row's type either.
template <class T>
using untyped = Tag<typename T::value, typename T::storage, ptx::Type::none>;

template <class D, class S>
constexpr Operation integer_row(const char* form, ptx::Type to, ptx::Type from) {
  using Destination = untyped<DestinationOf<D>>;
  using Source = untyped<SourceOf<D, S>>;
  return Operation{
      form,
      &lanewise_handler<ConvertInteger<typename Destination::value>, Signature<Destination, Source>>,
      {to, from},
      CounterClass::conversion,
      Shape::lanewise,
      "9.7.9.21"};
}
#define CONVERT(to, in, from, of) \
  integer_row<In<to, in>, In<from, of>>("cvt." #to "." #from, shown<to, in>, shown<from, of>),
#define SATURATE(...)  // isa/rare/convert_integer.cpp
constexpr Operation kRows[] = {
#include "isa/rows/convert_integer.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_integer_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
