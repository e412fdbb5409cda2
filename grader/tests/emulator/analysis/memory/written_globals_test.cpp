// Which memory a kernel may write, found from its code.
#include "analysis/memory/written_globals.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

emulator::WrittenGlobals written(const std::string& body, const std::string& before = "") {
  emulator::DeviceMemory memory(std::size_t{1} << 24);
  const auto program = emulator::Program::load(
      ptx::parse(".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 total[4];\n" + before +
                 ".visible .entry k(.param .u64 from, .param .u64 to, .param .u32 n, .param .align 8 .b8 "
                 "both[16]) {\n.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>;\n"
                 ".shared .b32 tile[32];\n" +
                 body + "\nret; }"),
      memory);
  const emulator::KernelInfo* kernel = program->find_kernel("k");
  return program->impl().code(*kernel, {true, false}).written;
}

const std::string kParameters =
    "ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to]; ld.param.u32 %r1, [n];\n";
using Offsets = std::set<std::uint32_t>;

// The written globals of a body that only writes through parameters.
Offsets parameters(const std::string& body) {
  const emulator::WrittenGlobals found = written(kParameters + body);
  CHECK_FALSE(found.anywhere);
  return found.parameters;
}

bool anywhere(const std::string& body, const std::string& before = "") {
  return written(kParameters + body, before).anywhere;
}

}  // namespace

TEST_CASE("a write leads to the parameters that its address was made of") {
  const std::string at = "mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;";
  CHECK(parameters(at + "st.global.u32 [%rd4], %r1;") == Offsets{8, 16});
  CHECK(parameters(at + "st.u32 [%rd4], %r1;") == Offsets{8, 16});
  CHECK(parameters(at + "red.global.add.u32 [%rd4+4], 1;") == Offsets{8, 16});
  CHECK(parameters(at + "atom.global.add.u32 %r2, [%rd4], 1;") == Offsets{8, 16});
  CHECK(parameters("cvta.to.global.u64 %rd5, %rd2; st.global.u32 [%rd5], 0;") == Offsets{8});
  CHECK(parameters("selp.b64 %rd5, %rd1, %rd2, %p1; st.global.u32 [%rd5], 0;") == Offsets{0, 8});
  CHECK(parameters("L: add.s64 %rd2, %rd2, 4; st.global.u32 [%rd2], 0; @%p1 bra L;") == Offsets{8});
  CHECK(parameters("ld.param.u64 %rd5, [both+8]; st.global.u32 [%rd5], 0;") == Offsets{32});
  CHECK(parameters("ld.param.v2.u64 {%rd5, %rd6}, [both]; st.global.u32 [%rd6], 0;") == Offsets{24, 32});
}

TEST_CASE("a pointer that is only read from is not written, and an index is no pointer") {
  CHECK(parameters("ld.global.u32 %r2, [%rd1];").empty());
  CHECK(parameters("ld.global.u32 %r2, [%rd1]; mul.wide.s32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3;"
                   "st.global.u32 [%rd4], 1;") == Offsets{8});
  CHECK(parameters("ld.global.f64 %fd1, [%rd1]; cvt.rzi.s64.f64 %rd3, %fd1; add.s64 %rd4, %rd2, %rd3;"
                   "st.global.u32 [%rd4], 1;") == Offsets{8});
  CHECK(parameters("st.shared.u32 [tile], %r1;").empty());
  CHECK(parameters("cp.async.ca.shared.global [%r1], [%rd1], 4;").empty());
}

TEST_CASE("a variable is written under its name") {
  CHECK(written("st.global.u32 [total+4], 1;").variables == std::set<std::string>{"total"});
  CHECK(written("mov.u64 %rd1, total; red.global.add.u32 [%rd1], 1;").variables ==
        std::set<std::string>{"total"});
  CHECK(written("ld.global.u32 %r1, [total];").variables.empty());
}

TEST_CASE("a pointer that comes from memory or from a caller may lead anywhere") {
  CHECK(anywhere("ld.global.u64 %rd5, [%rd1]; st.global.u32 [%rd5], 1;"));
  CHECK(anywhere("ld.global.v2.u32 {%r2, %r3}, [%rd1]; mov.b64 %rd5, {%r2, %r3}; st.global.u32 [%rd5], 1;"));
  CHECK(anywhere("or.b64 %rd5, %rd3, %rd4; st.global.u32 [%rd5], 1;"));
  CHECK(
      anywhere("mov.u64 %rd5, both; cvta.param.u64 %rd6, %rd5; ld.param.u64 %rd7, [%rd6];"
               "st.global.u32 [%rd7], 1;"));
  CHECK(anywhere("st.global.u32 [4096], 1;"));
  const std::string call = "{ .param .b64 a; st.param.b64 [a], %rd1; call f, (a); }";
  const auto callee = [](const std::string& body) {
    return ".func f(.param .b64 p) { .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
           "ld.param.b64 %rd1, [p]; L: " +
           body + "@%p1 bra L; ret; }\n";
  };
  CHECK(anywhere(call, callee("st.global.u32 [%rd1], 1;")));
  CHECK_FALSE(anywhere(call, callee("ld.global.u32 %r1, [%rd1];")));
}

TEST_CASE("memory that a kernel allocates outlives it") {
  const std::string declared = ".extern .func (.param .b64 r) malloc (.param .b64 n);\n";
  const std::string call =
      "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd1; call.uni (r), malloc, (n); ld.param.b64 %rd3, "
      "[r]; "
      "}\n";
  CHECK(written(kParameters + call, declared).heap);
  CHECK_FALSE(written(kParameters + "st.global.u32 [%rd2], %r1;").heap);
}
