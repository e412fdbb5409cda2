#include "analysis/memory/shared_array_bounds.hpp"

#include <doctest/doctest.h>

#include <string>

#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

// The shared array that must hold the kernel's last load or store, by the names of its arrays a, b (32 bytes
// each) and c (extern).
std::string array_of(const std::string& body) {
  emulator::DeviceMemory memory(std::size_t{16} << 20);
  const auto program = emulator::Program::load(
      ptx::parse(".version 8.0\n.target sm_75\n.address_size 64\n.extern .shared .align 4 .b8 c[];\n"
                 ".visible .entry k(.param .u64 p) {\n.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                 ".shared .align 4 .b8 a[32];\n.shared .align 4 .b8 b[32];\n"
                 "st.shared.u32 [a], %r8; st.shared.u32 [b], %r8; st.shared.u32 [c], %r8;\n" +
                 body + "\nret;\n}"),
      memory);
  const emulator::KernelInfo& kernel = *program->kernels().at(0);
  const auto& bounds = program->impl().code(kernel, {true, false}).shared_array_bounds;
  const auto& instructions = program->module().functions.at(0).instructions;
  for (std::size_t i = instructions.size(); i-- > 0;) {
    if (instructions[i].opcode != ptx::Opcode::ld && instructions[i].opcode != ptx::Opcode::st) continue;
    if (i >= bounds.size() || bounds[i].end == 0) return "any";
    for (const emulator::SharedVariable& array : kernel.shared)
      if (array.offset == bounds[i].begin && bounds[i].end - bounds[i].begin == array.bytes)
        return array.name;
  }
  return "none";
}

}  // namespace

TEST_CASE("a broken instruction, whose last operand is missing") {
  CHECK(array_of("add.s3 %r1, b; ld.shared.u32 %r2, [%r1];") == "k::b");
}

TEST_CASE("an address that is computed from one array") {
  CHECK(array_of("ld.shared.u32 %r1, [b+4];") == "k::b");
  CHECK(array_of("mov.u32 %r1, b; add.s32 %r2, %r3, %r1; ld.shared.u32 %r4, [%r2+128];") == "k::b");
  CHECK(array_of("mov.u32 %r1, a; mad.lo.s32 %r2, %r3, 4, %r1; st.shared.u32 [%r2], %r4;") == "k::a");
  CHECK(array_of("mov.u64 %rd1, a; cvta.shared.u64 %rd2, %rd1; add.s64 %rd3, %rd2, 8; ld.u32 %r4, [%rd3];") ==
        "k::a");
  CHECK(array_of("mov.u32 %r1, b;\nL: add.s32 %r1, %r1, 4; ld.shared.u32 %r4, [%r1];\n"
                 "setp.ne.s32 %p1, %r4, 0; @%p1 bra L;") == "k::b");
}

TEST_CASE("an address that may be in several arrays, or in none that is known") {
  CHECK(array_of("mov.u32 %r1, a; mov.u32 %r2, b; selp.u32 %r3, %r1, %r2, %p1; ld.shared.u32 %r4, [%r3];") ==
        "any");
  CHECK(array_of("ld.shared.u32 %r1, [a]; ld.shared.u32 %r2, [%r1];") == "any");
  CHECK(array_of("mov.u32 %r1, c; ld.shared.u32 %r2, [%r1+4];") == "any");
  CHECK(array_of("mov.u32 %r1, a; shl.b32 %r2, %r1, 1; ld.shared.u32 %r3, [%r2];") == "any");
  CHECK(array_of("mov.u32 %r1, a; @%p1 mov.u32 %r1, b; ld.shared.u32 %r3, [%r1];") == "any");
}
