#include "arrays/random_values.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace warpgrade::harness;

TEST_CASE("the generator is SplitMix64: its published first outputs for seed 1234567") {
  CHECK(random_bits(1234567, 0) == 6457827717110365317u);
  CHECK(random_bits(1234567, 1) == 3203168211198807973u);
  CHECK(random_bits(1234567, 2) == 9817491932198370423u);
}

static Array filled(ElementType type, const std::string& values, std::uint64_t seed,
                    const std::string& name = "x") {
  Array array = make_array(name, type, {4000}, Role::input);
  fill_random(array, values, seed);
  return array;
}

TEST_CASE("another seed or another array gives other values, and the same ones the same") {
  const Array first = filled(ElementType::f32, "zero-mean", 1);
  CHECK(first.bytes == filled(ElementType::f32, "zero-mean", 1).bytes);
  CHECK(first.bytes != filled(ElementType::f32, "zero-mean", 2).bytes);
  CHECK(first.bytes != filled(ElementType::f32, "zero-mean", 1, "y").bytes);
}

TEST_CASE("bytes take all values, and whole numbers are small and not 0") {
  std::set<std::int64_t> bytes;
  const Array image = filled(ElementType::u8, "", 3);
  for (std::size_t i = 0; i < image.count(); ++i) bytes.insert(image.at(i).integer);
  CHECK(bytes.size() == 256);
  const Array whole = filled(ElementType::half, "integers", 3);
  std::set<double> values;
  for (std::size_t i = 0; i < whole.count(); ++i) values.insert(whole.at(i).value);
  CHECK(values == std::set<double>{-8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("fractions lie in (-1, 1) with mean 0 in every type") {
  for (const ElementType type :
       {ElementType::half, ElementType::bfloat16, ElementType::f32, ElementType::f64}) {
    const Array array = filled(type, "zero-mean", 3);
    double sum = 0;
    for (std::size_t i = 0; i < array.count(); ++i) {
      CHECK(std::fabs(array.at(i).value) < 1);
      sum += array.at(i).value;
    }
    CHECK(std::fabs(sum / 4000) < 0.05);
  }
}
