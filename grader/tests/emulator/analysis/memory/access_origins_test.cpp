// The pointer behind an address, updates of one word, and branches that lead past a store.
#include "analysis/memory/access_origins.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;
using ptx::Opcode;

namespace {

// A kernel with the parameters A and B, whose pointers are in %rd1 and %rd2.
struct Kernel {
  explicit Kernel(const std::string& body)
      : module(ptx::parse(".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry k(.param .u64 A, .param .u64 B, .param .u32 n) {\n"
                          ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"
                          "ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B]; ld.param.u32 %r1, [n];\n" +
                          body + "\nEND: ret; }")) {}
  const ptx::Function& function() const { return module.functions.at(0); }
  std::size_t last(Opcode opcode) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < function().instructions.size(); ++i)
      if (function().instructions[i].opcode == opcode &&
          !function().instructions[i].has(ptx::Modifier::param))
        found = i;
    return found;
  }
  std::string pointer(Opcode opcode) const {
    return emulator::find_pointer_parameter(function(), last(opcode)).value_or("");
  }
  bool updates() const { return emulator::is_update(function(), last(Opcode::ld), last(Opcode::st)); }
  ptx::Module module;
};

}  // namespace

TEST_CASE("an index never changes the array that an address belongs to") {
  const Kernel kernel(
      "mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; cvta.to.global.u64 %rd5, %rd4;"
      "st.global.u32 [%rd5+8], %r1;");
  CHECK(kernel.pointer(Opcode::st).ends_with("A"));
}

TEST_CASE("of two pointers, and of a loaded one, none is named") {
  CHECK(Kernel("selp.b64 %rd3, %rd1, %rd2, %p1; st.global.u32 [%rd3], %r1;").pointer(Opcode::st).empty());
  CHECK(Kernel("ld.global.u64 %rd3, [%rd1]; st.global.u32 [%rd3], %r1;").pointer(Opcode::st).empty());
}

TEST_CASE("an update puts back what it has read from the same word") {
  const std::string load = "ld.global.f32 %f1, [%rd1+4]; add.f32 %f2, %f1, %f3; ";
  CHECK(Kernel(load + "st.global.f32 [%rd1+4], %f2;").updates());
  CHECK_FALSE(Kernel(load + "st.global.f32 [%rd1+8], %f2;").updates());
  CHECK_FALSE(Kernel(load + "st.global.f32 [%rd2+4], %f2;").updates());
  CHECK_FALSE(Kernel(load + "st.global.f32 [%rd1+4], %f4;").updates());
}

TEST_CASE("the branch that leads some threads past a store") {
  const std::string row = "mov.u32 %r2, %tid.y; setp.ge.s32 %p1, %r2, %r1; ";
  const Kernel early(row + "@%p1 bra END; bar.sync 0; st.shared.u32 [%r3], %r1;");
  const auto found = emulator::find_skipping_branch(early.function(), early.last(Opcode::st));
  REQUIRE(found);
  CHECK(early.function().instructions[*found].opcode == Opcode::bra);

  const Kernel uniform("setp.ge.s32 %p1, %r1, 0; @%p1 bra END; st.shared.u32 [%r3], %r1;");
  CHECK_FALSE(emulator::find_skipping_branch(uniform.function(), uniform.last(Opcode::st)));

  const Kernel guarded(row + "@%p1 st.shared.u32 [%r3], %r1;");
  CHECK(emulator::find_skipping_branch(guarded.function(), guarded.last(Opcode::st)) ==
        guarded.last(Opcode::st));
}
