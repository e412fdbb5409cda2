// What a program makes of an array before it sends it: another type, another order of the axes.
#include "remoting/backend/data_flow/array_variants.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace warpgrade::remoting;

namespace {

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

}  // namespace

TEST_CASE("numbers are converted as a cast converts them, and integers that are too large not at all") {
  const std::string floats = bytes_of<float>({0.1f, -3, 65504, 0});
  CHECK(converted(floats, "f4", "f8") == bytes_of<double>({static_cast<double>(0.1f), -3, 65504, 0}));
  CHECK(converted(floats, "f4", "f2") ==
        bytes_of<_Float16>(
            {static_cast<_Float16>(0.1f), static_cast<_Float16>(-3), static_cast<_Float16>(65504), 0}));
  CHECK(converted(bytes_of<float>({1, -3}), "f4", "e2") == bytes_of<std::uint16_t>({0x3f80, 0xc040}));
  CHECK(converted(floats, "f4", "i4").empty());
  const std::string integers = bytes_of<std::int32_t>({1, -2, 127});
  CHECK(converted(integers, "i4", "i1") == bytes_of<std::int8_t>({1, -2, 127}));
  CHECK(converted(integers, "i4", "i8") == bytes_of<std::int64_t>({1, -2, 127}));
  CHECK(converted(integers, "i4", "f4") == bytes_of<float>({1, -2, 127}));
  CHECK(converted(bytes_of<std::int32_t>({256}), "i4", "i1").empty());
  CHECK(converted(bytes_of<std::uint8_t>({200}), "u1", "i2") == bytes_of<std::int16_t>({200}));
}

TEST_CASE("axes in another order") {
  const std::string matrix = bytes_of<int>({0, 1, 2, 10, 11, 12});
  CHECK(transposed(matrix, 4, {2, 3}, {1, 0}) == bytes_of<int>({0, 10, 1, 11, 2, 12}));
  const std::string cube = bytes_of<int>({0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(transposed(cube, 4, {2, 2, 2}, {2, 0, 1}) == bytes_of<int>({0, 2, 4, 6, 1, 3, 5, 7}));
  CHECK(transposed({}, 4, {0, 3}, {1, 0}).empty());
}

TEST_CASE("variants are of both arrays, and take no more than they may") {
  const std::string one = bytes_of<float>({0.5f, 1, 2, 3, 4, 5}),
                    other = bytes_of<float>({5, 4, 3, 2, 1, 0.5f});
  const std::vector<ArrayVariant> all = variants(one, other, {"f4", {2, 3}}, 1000);
  CHECK(all.size() == 7);  // double, half, bfloat16, and four that are turned
  for (const ArrayVariant& each : all) CHECK(each.one.size() == each.other.size());
  CHECK(variants(one, other, {"f4", {2, 3}}, 50).size() == 1);
}

TEST_CASE("a rearrangement holds the numbers of the other array") {
  const ArrayForm floats{"f4", {}}, doubles{"f8", {}};
  const std::string one = bytes_of<float>({1, 2, 3, 0}), other = bytes_of<double>({3, 2, 1, 7});
  CHECK(is_mostly_of(one, floats, other, doubles));
  CHECK_FALSE(is_mostly_of(other, doubles, one, floats));
  CHECK_FALSE(is_mostly_of(bytes_of<float>({0, 0}), floats, one, floats));
}
