#include "ptx/tree/opcode.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::ptx;

TEST_CASE("opcodes: every one is found by its name") {
  for (std::size_t i = 1; i < static_cast<std::size_t>(Opcode::kCount); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    CHECK(opcode_from_name(name_of(opcode)) == opcode);
  }
  CHECK(opcode_from_name("ld") == Opcode::ld);
  CHECK(opcode_from_name("and") == Opcode::and_);
}

TEST_CASE("opcodes: other names are unknown") {
  for (const char* name : {"", "frobnicate", "LD", "ld.global", "and_"})
    CHECK(opcode_from_name(name) == Opcode::unknown);
  CHECK(name_of(Opcode::unknown).empty());
}
