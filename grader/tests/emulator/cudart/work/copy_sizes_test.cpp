#include "cudart/work/copy_sizes.hpp"

#include <doctest/doctest.h>

using warpgrade::cudart::mistaken_size;

TEST_CASE("a copy that is too large: elements for bytes, or the size of a pointer") {
  CHECK(mistaken_size(400, 100).starts_with(": the copy is 4 times as large, as if one size were a number"));
  CHECK(mistaken_size(4000, 8).starts_with(": that is the size of a pointer"));
  CHECK(mistaken_size(101, 100) == "");
  CHECK(mistaken_size(8, 8) == "");
}
