#include "arrays/number.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

using namespace warpgrade::harness;

TEST_CASE("sums and products carry the magnitudes of their terms") {
  const Number a = 0.75, b = -0.5;
  CHECK((a + b).value() == 0.25);
  CHECK((a + b).scale() == 1.25);
  CHECK((a - b).scale() == 1.25);
  CHECK((a * b + a * a).scale() == 0.375 + 0.5625);
  CHECK((a / b).value() == -1.5);
  CHECK((a / b).scale() == 1.5);
  CHECK((-a).scale() == 0.75);
}

TEST_CASE("a long sum is what its additions give") {
  const std::vector<float> whole = {3, -4, 0, 1e9f}, fractions = {0.1f, -2.25f, 7};
  for (const std::span<const float> values :
       {std::span(whole), std::span(fractions), std::span(whole).first(0)}) {
    Number added;
    for (const float value : values) added += Number(static_cast<double>(value));
    const Number sum = sum_of(values);
    CHECK(sum.value() == added.value());
    CHECK(sum.scale() == added.scale());
    CHECK(sum.is_integer() == added.is_integer());
    CHECK(sum.tolerance(ElementType::f32) == added.tolerance(ElementType::f32));
    CHECK((sum * sum).tolerance(ElementType::f32) == (added * added).tolerance(ElementType::f32));
  }
}

TEST_CASE("integers are exact modulo 2^64, and divide as in C") {
  const Number large = std::int64_t{1} << 62;
  CHECK((large + 1 - large).integer() == 1);
  CHECK((large * 4).integer() == 0);
  CHECK((Number(-7) / 2).integer() == -3);
  CHECK(Number(7).tolerance(ElementType::u32) == 0);
}

TEST_CASE("the integer of a floating-point value lacks its fraction") {
  CHECK(Number(2.75).integer() == 2);
  CHECK(Number(-2.75).integer() == -2);
  CHECK((Number(7.0) / 2.0).integer() == 3);
}

TEST_CASE("the integer of a value that no integer has is the nearest, and 0 for what is no number") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max(),
                 kLeast = std::numeric_limits<std::int64_t>::min();
  CHECK(Number(0x1p63).integer() == kMost);
  CHECK(Number(INFINITY).integer() == kMost);
  CHECK(Number(-0x1p70).integer() == kLeast);
  CHECK(Number(NAN).integer() == 0);
}

TEST_CASE("whole numbers must be exact while every order of the operations is") {
  const Number sum = Number(3.0) * 5.0 + 1.0;
  CHECK(sum.tolerance(ElementType::f32) == 0);
  const Number large = Number(8191.0) * 8191.0;
  CHECK(large.tolerance(ElementType::f32) == rounding_tolerance(ElementType::f32, 8191.0 * 8191.0));
  CHECK(large.tolerance(ElementType::f64) == 0);
  CHECK((Number(3.0) / 2.0).tolerance(ElementType::f32) > 0);
}

TEST_CASE("a copy must be exact where the type holds it") {
  CHECK(Number(0.1f).tolerance(ElementType::f32) == 0);
  CHECK(Number(0.1).tolerance(ElementType::f32) == rounding_tolerance(ElementType::f32, 0.1));
  CHECK((Number(0.5) + 0.25).tolerance(ElementType::half) == 32 * 0x1p-11 * 0.75);
}

TEST_CASE("functions have the scale of their value and of their argument's errors") {
  CHECK(sqrt(Number(4.0)).value() == 2);
  CHECK(sqrt(Number(4.0)).scale() == 3);
  CHECK(exp(Number(0.0)).scale() == 1);
  CHECK(rsqrt(Number(4.0)).value() == 0.5);
  CHECK(sin(Number(1.0)).value() == std::sin(1.0));
  CHECK(max(Number(1.0), Number(2.0)).value() == 2);
  CHECK(abs(Number(-3)).integer() == 3);
}
