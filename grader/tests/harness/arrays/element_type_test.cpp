#include "arrays/element_type.hpp"

#include <doctest/doctest.h>

#include <array>

#include "base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("every type has a name, a size and a number in memory") {
  for (int i = 0; i < 12; ++i) {
    const auto type = static_cast<ElementType>(i);
    CHECK(type_named(name_of(type)) == type);
    std::array<std::byte, 8> bytes{};
    store_element(type, bytes.data(), {5, 5});
    CHECK(load_element(type, bytes.data()).value == 5);
  }
  CHECK(type_of<std::uint8_t>() == ElementType::u8);
  CHECK(type_of<std::int64_t>() == ElementType::i64);
  CHECK(type_of<int>() == ElementType::i32);
  CHECK(size_of(ElementType::bfloat16) == 2);
  CHECK(contains(message_of<DataError>([] { type_named("real"); }), "'real' is not a type"));
}
