// Words that a struct copy moves side by side.
#include "analysis/memory/struct_copies.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

// Distances from the last store to the stores of the same copy.
std::string beside_last(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n" +
      body + "\nret; }");
  const ptx::Function& function = module.functions.at(0);
  std::size_t last = 0;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (function.instructions[i].opcode == ptx::Opcode::st) last = i;
  std::string found;
  for (const int distance : {-4, 4})
    if (const auto beside = emulator::find_adjacent_word(function, last, distance))
      found += std::to_string(distance) + function.registers.at(static_cast<std::size_t>(beside->reg)).name;
  return found;
}

const std::string kLoads = "ld.u32 %r1, [%rd1+8]; ld.u32 %r2, [%rd1+12];";

}  // namespace

TEST_CASE("the word beside a copied one") {
  CHECK(beside_last(kLoads + "st.u32 [%rd2+8], %r1; st.u32 [%rd2+12], %r2;") == "-4%r1");
  CHECK(beside_last(kLoads + "st.u32 [%rd2+12], %r2; st.u32 [%rd2+8], %r1;") == "4%r2");
  CHECK(
      beside_last("add.s64 %rd4, %rd1, 4; add.s64 %rd5, %rd4, 4; ld.u32 %r1, [%rd1+8]; ld.u32 %r2, [%rd5+4];"
                  "add.s64 %rd3, %rd2, 8; st.u32 [%rd2+8], %r1; st.u32 [%rd3+4], %r2;") == "-4%r1");
}

TEST_CASE("words that are not of one copy") {
  CHECK(
      beside_last("ld.u32 %r1, [%rd1+8]; st.u32 [%rd2+8], %r1; ld.u32 %r2, [%rd1+12]; st.u32 [%rd2+12], %r2;")
          .empty());                                                                    // by members
  CHECK(beside_last(kLoads + "st.u32 [%rd3+8], %r1; st.u32 [%rd2+12], %r2;").empty());  // elsewhere
  CHECK(beside_last(kLoads + "st.u32 [%rd2+12], %r1; st.u32 [%rd2+8], %r2;").empty());  // exchanged
  CHECK(beside_last(kLoads + "add.s32 %r2, %r2, 1; st.u32 [%rd2+8], %r1; st.u32 [%rd2+12], %r2;").empty());
  CHECK(beside_last("ld.global.u32 %r1, [%rd1+8]; ld.global.u32 %r2, [%rd1+12];"
                    "st.global.u32 [%rd2+8], %r1; st.global.u32 [%rd2+12], %r2;")
            .empty());  // optimised
}
