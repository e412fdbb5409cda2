// Names of shared variables in the source.
#include "symbols/shared_variables.hpp"

#include <doctest/doctest.h>

using warpgrade::emulator::short_name;

TEST_CASE("a shared variable has its name in the source") {
  CHECK(short_name("smooth::_ZZ6smoothE4tile") == "tile");
  CHECK(short_name("_ZZ1kILi1EEvPfE3one") == "one");
  CHECK(short_name("smooth::tile") == "tile");
  CHECK(short_name("d") == "d");
  CHECK(short_name("_Znot") == "_Znot");
}

TEST_CASE("an array of which nvcc keeps one element has its name in the source") {
  CHECK(short_name("k::_ZZ1kILi1EEvPfE3one_$_0") == "one");
  CHECK(short_name("_ZZ3addfE5total_$_0") == "total");
}
