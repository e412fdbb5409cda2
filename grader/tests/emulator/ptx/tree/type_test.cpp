#include "ptx/tree/type.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::ptx;

TEST_CASE("types: names and sizes go both ways") {
  for (const std::string_view name :
       {"pred", "b8", "b16", "b32", "b64", "b128", "u8", "s16", "u32", "s64", "f16", "f16x2", "bf16",
        "bf16x2", "tf32", "e4m3", "e5m2", "f32", "f64"}) {
    CAPTURE(name);
    CHECK(type_name(type_from_name(name)) == name);
    CHECK(size_in_bytes(type_from_name(name)) > 0);
  }
  CHECK(type_from_name("s128") == Type::none);
  CHECK(type_name(Type::none) == "none");
  CHECK(size_in_bytes(Type::none) == 0);
  CHECK(size_in_bytes(Type::b128) == 16);
  CHECK(size_in_bytes(Type::f16x2) == 4);
}

TEST_CASE("types: integers, signed ones, bits, floats") {
  CHECK(is_integer(Type::u8));
  CHECK(is_integer(Type::s64));
  CHECK_FALSE(is_integer(Type::b32));
  CHECK_FALSE(is_integer(Type::f16));
  CHECK(is_signed(Type::s8));
  CHECK_FALSE(is_signed(Type::u64));
  CHECK(is_integer_or_bits(Type::b8));
  CHECK_FALSE(is_integer_or_bits(Type::pred));
  CHECK_FALSE(is_integer_or_bits(Type::f32));
  CHECK(is_float(Type::f32));
  CHECK_FALSE(is_float(Type::bf16));
}
