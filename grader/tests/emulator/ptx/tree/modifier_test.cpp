#include "ptx/tree/modifier.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::ptx;

TEST_CASE("modifiers: every one is found by its name") {
  for (std::size_t i = 1; i < static_cast<std::size_t>(Modifier::kCount); ++i) {
    const auto modifier = static_cast<Modifier>(i);
    CHECK_MESSAGE(modifier_from_name(name_of(modifier)) == modifier, name_of(modifier));
  }
  CHECK(modifier_from_name("shared::cta") == Modifier::shared_cta);
  CHECK(modifier_from_name("volatile") == Modifier::volatile_);
  CHECK(modifier_from_name("m16n8k32") == Modifier::m16n8k32);
  CHECK(modifier_from_name("const[3]") == Modifier::const_);
  CHECK(modifier_from_name("frobnicate") == Modifier::unknown);
  CHECK(modifier_from_name("") == Modifier::unknown);
}

TEST_CASE("modifiers: every type's name is one, and means that type") {
  for (int i = 1; i <= static_cast<int>(Type::f64); ++i) {
    const auto type = static_cast<Type>(i);
    CHECK(type_of(modifier_from_name(type_name(type))) == type);
    CHECK(is_number_format(modifier_from_name(type_name(type))));
  }
  CHECK(type_of(Modifier::u4) == Type::none);
  CHECK(is_number_format(Modifier::u4));
  CHECK_FALSE(is_number_format(Modifier::f4e));
}

TEST_CASE("modifiers: spaces, vectors, memory orders, atomic operations, cache hints") {
  CHECK(space_of(Modifier::shared_cluster) == Space::shared);
  CHECK(space_of(Modifier::const_) == Space::constant);
  CHECK(space_of(Modifier::cta) == Space::none);
  CHECK(vector_length_of(Modifier::v4) == 4);
  CHECK(vector_length_of(Modifier::x4) == 0);
  CHECK(is_strong(Modifier::acquire));
  CHECK(is_strong(Modifier::volatile_));
  CHECK_FALSE(is_strong(Modifier::weak));
  CHECK(is_atomic(Modifier::cas));
  CHECK_FALSE(is_atomic(Modifier::popc));
  CHECK(is_caching(Modifier::L1_no_allocate));
  CHECK_FALSE(is_caching(Modifier::L2_cache_hint));
}
