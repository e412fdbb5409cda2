#include "ptx/parser/names.hpp"

#include <doctest/doctest.h>

#include "ptx/parser/parser.hpp"

using namespace warpgrade::ptx;
using Kind = Names::Meaning::Kind;

TEST_CASE("names: an inner scope hides an outer one until it ends") {
  Function function;
  function.name = "f";
  Names names(function);
  names.declare_range("%r", 4, Type::b32, {});
  CHECK(names.find("%r3").index == 3);
  names.open();
  names.declare_registers("%r3", Type::pred, 1, {});
  CHECK(names.find("%r3").index == 4);
  CHECK(names.find("%r2").index == 2);
  names.close();
  CHECK(names.find("%r3").index == 3);
}

TEST_CASE("names: a prefix may end in a digit") {
  Function function;
  Names names(function);
  names.declare_range("t", 2, Type::b32, {});
  names.declare_range("t1", 3, Type::b64, {});
  CHECK(names.find("t1").index == 1);
  CHECK(names.find("t12").index == 4);
  CHECK(names.find("t2").kind == Kind::nothing);
  CHECK(names.find("t").kind == Kind::nothing);
}

TEST_CASE("names: variables and labels of one name get different ones") {
  Function function;
  function.name = "f";
  Names names(function);
  Variable a, b;
  names.open();
  names.declare_variable("x", a);
  CHECK(names.declare_label("L", {}) == "L");
  const std::int32_t first = names.scope();
  names.close();
  names.open();
  names.declare_variable("x", b);
  CHECK(names.declare_label("L", {}) == "L.1");
  CHECK(*names.find("x").name == "f::x.1");
  CHECK(a.name == "f::x");
  CHECK(*names.find_label(first, "L") == "L");
  CHECK(*names.find_label(names.scope(), "L") == "L.1");
  names.close();
  CHECK(names.find_label(names.scope(), "L") == nullptr);
  CHECK(names.find("x").kind == Kind::nothing);
}
