// Rows of selp, slct and testp.
#include "isa/functors/compare.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// operands: d, a, b, p
template <class T>
const DecodedInstruction* selp(Warp& warp, const DecodedInstruction* at) {
  const auto *a = lanes<T>(warp, at->operand[1]), *b = lanes<T>(warp, at->operand[2]);
  const std::uint32_t p = predicate_operand(warp, at, 3);
  for_lanes<T>(warp, at->operand[0], [=](int i) { return choose(p, i, a[i], b[i]); });
  return at + 1;
}

struct SelectBySign {
  template <class T>
  static T apply(T a, T b, std::int32_t c) {
    return c >= 0 ? a : b;
  }
  template <class T>
  static T apply(T a, T b, float c) {
    return c >= 0.0f ? a : b;
  }  // NaN selects b, −0 selects a
};
struct SelectBySignFlushed {
  template <class T>
  static T apply(T a, T b, float c) {
    return SelectBySign::apply(a, b, flush(c));
  }
};

// testp looks at the bits: exponent and fraction of a float or double.
template <class T>
struct Fields {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr Word fraction = (Word{1} << (sizeof(T) == 4 ? 23 : 52)) - 1;
  static constexpr Word exponent = static_cast<Word>(~fraction) & static_cast<Word>(~Word{0} >> 1);
  Word bits;
  explicit Fields(T x) : bits(__builtin_bit_cast(Word, x)) {}
  bool has_exponent() const { return (bits & exponent) != 0; }
  bool top_exponent() const { return (bits & exponent) == exponent; }
  bool has_fraction() const { return (bits & fraction) != 0; }
};
struct IsFinite {
  template <class T>
  static bool apply(Fields<T> x) {
    return !x.top_exponent();
  }
};
struct IsInfinite {
  template <class T>
  static bool apply(Fields<T> x) {
    return x.top_exponent() && !x.has_fraction();
  }
};
struct IsNan {
  template <class T>
  static bool apply(Fields<T> x) {
    return x.top_exponent() && x.has_fraction();
  }
};
struct IsNotNan {
  template <class T>
  static bool apply(Fields<T> x) {
    return !IsNan::apply(x);
  }
};
struct IsNormal {  // zero counts as normal
  template <class T>
  static bool apply(Fields<T> x) {
    return !x.top_exponent() && (x.has_exponent() || !x.has_fraction());
  }
};
struct IsSubnormal {
  template <class T>
  static bool apply(Fields<T> x) {
    return !x.has_exponent() && x.has_fraction();
  }
};
template <class F, class T>
const DecodedInstruction* testp(Warp& warp, const DecodedInstruction* at) {
  const auto* a = lanes<T>(warp, at->operand[1]);
  write_mask(warp, at->operand[0],
             gather_mask([=](int i) { return F::apply(Fields<typename T::value>(a[i])); }));
  return at + 1;
}

#define SELECT(type, as) \
  make_row("selp." #type, &selp<as>, CounterClass::compare, "9.7.6.3", Signature<as, as, as, pred>{}),
#define SELECT_BY_SIGN(type, as)                                                                         \
  functor_row<SelectBySign, Signature<as, as, as, s32>>("slct." #type ".s32", CounterClass::compare,     \
                                                        "9.7.6.4"),                                      \
      functor_row<SelectBySign, Signature<as, as, as, f32>>("slct." #type ".f32", CounterClass::compare, \
                                                            "9.7.6.4"),                                  \
      functor_row<SelectBySignFlushed, Signature<as, as, as, f32>>("slct.ftz." #type ".f32",             \
                                                                   CounterClass::compare, "9.7.6.4"),
#define TEST(property, functor)                                                                   \
  make_row("testp." #property ".f32", &testp<functor, f32>, CounterClass::compare, "9.7.3.1",     \
           Signature<pred, f32>{}),                                                               \
      make_row("testp." #property ".f64", &testp<functor, f64>, CounterClass::compare, "9.7.3.1", \
               Signature<pred, f64>{}),

constexpr Operation kRows[] = {
#include "isa/rows/select.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(select_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
