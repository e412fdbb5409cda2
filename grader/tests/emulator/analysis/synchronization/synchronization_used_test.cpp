// Which method of the race check each kernel of a module gets.
#include "analysis/synchronization/synchronization_used.hpp"

#include <doctest/doctest.h>

#include <string>

#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

constexpr const char* kHead = ".version 8.0\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 s[64];\n";
constexpr const char* kRegisters = "{\n.reg .b32 %r<9>; .reg .b16 %rs<9>; .reg .b64 %rd<9>;\n";

emulator::RaceNeeds needs_of(const std::string& text, const std::string& kernel = "k") {
  emulator::DeviceMemory memory(std::size_t{1} << 24);
  const auto program = emulator::Program::load(ptx::parse(text), memory);
  return program->impl().code(*program->find_kernel(kernel), {.observed = true}).race_needs;
}

emulator::RaceNeeds needs(const std::string& body) {
  return needs_of(std::string(kHead) + ".visible .entry k()\n" + kRegisters + body + "\nret;\n}\n");
}

}  // namespace

TEST_CASE("the PTX says which method a kernel needs") {
  CHECK_FALSE(
      needs("bar.sync 0; bar.warp.sync -1; bar.warp.sync 0xffffffff; ld.shared.u32 %r1, [s];").history);
  CHECK_FALSE(needs("bar.sync 0; bar.warp.sync -1; ld.shared.u32 %r1, [s];").split);
  CHECK(needs("bar.warp.sync 0xffff;").history);
  CHECK(needs("bar.warp.sync %r1;").history);
  CHECK(needs("bar.sync 1, 64;").history);
  CHECK(needs("bar.arrive 1, 64;").history);
  CHECK(needs("membar.cta;").history);
  CHECK(needs("fence.acq_rel.gpu;").history);
  CHECK(needs("st.release.cta.shared.u32 [s], %r1;").history);
  CHECK(needs("ld.shared.u8 %rs1, [s];").split);
  CHECK(needs("atom.shared.add.u32 %r1, [s], 1;").split);
  CHECK(needs("ld.relaxed.cta.shared.u32 %r1, [s];").split);
  CHECK_FALSE(needs("ld.shared.v4.u8 {%rs1,%rs2,%rs3,%rs4}, [s];").split);
}

TEST_CASE("a kernel needs the checks of its own code and of its callees, not of other kernels") {
  const std::string text = std::string(kHead) + ".func fences()\n" + kRegisters + "membar.cta;\nret;\n}\n" +
                           ".visible .entry plain()\n" + kRegisters + "bar.sync 0;\nret;\n}\n" +
                           ".visible .entry calls()\n" + kRegisters + "call fences;\nret;\n}\n" +
                           ".visible .entry bytes()\n" + kRegisters + "ld.shared.u8 %rs1, [s];\nret;\n}\n";
  CHECK_FALSE(needs_of(text, "plain").history);
  CHECK_FALSE(needs_of(text, "plain").split);
  CHECK(needs_of(text, "calls").history);
  CHECK_FALSE(needs_of(text, "calls").split);
  CHECK_FALSE(needs_of(text, "bytes").history);
  CHECK(needs_of(text, "bytes").split);
}

TEST_CASE("the PTX says whether one block may let another know what it has done") {
  CHECK_FALSE(needs("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1; bar.sync 0;").handover);
  CHECK_FALSE(needs("atom.global.add.u32 %r1, [%rd1], 1; red.global.add.u32 [%rd1], 1;").handover);
  CHECK_FALSE(needs("ld.volatile.shared.u32 %r1, [s]; atom.shared.cas.b32 %r1, [s], 0, 1;").handover);
  CHECK_FALSE(needs("bar.sync 1, 64;").handover);
  CHECK(needs("ld.volatile.global.u32 %r1, [%rd1];").handover);
  CHECK(needs("st.volatile.u32 [%rd1], %r1;").handover);
  CHECK(needs("st.relaxed.gpu.global.u32 [%rd1], %r1;").handover);
  CHECK(needs("atom.global.cas.b32 %r1, [%rd1], 0, 1;").handover);
  CHECK(needs("atom.global.exch.b32 %r1, [%rd1], 0;").handover);
  CHECK(needs("atom.add.release.gpu.u32 %r1, [%rd1], 1;").handover);
  CHECK(needs("red.release.gpu.global.add.u32 [%rd1], 1;").handover);
  CHECK(needs("membar.gl;").handover);
  CHECK(needs("fence.acq_rel.gpu;").handover);
}
