// Which kernels are run block after block, so that results never depend on the machine.
#include "analysis/synchronization/block_order_dependence.hpp"

#include <doctest/doctest.h>

#include <string>

#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

bool matters(const std::string& body) {
  emulator::DeviceMemory memory(std::size_t{1} << 24);
  const auto program =
      emulator::Program::load(ptx::parse(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry "
                                         "k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 "
                                         "%rd<9>; .reg .f32 %f<9>;\n" +
                                         body + "\nret; }"),
                              memory);
  return program->impl().code(*program->find_kernel("k"), {}).depends_on_block_order;
}

}  // namespace

TEST_CASE("kernels whose atomics commute may run in parallel") {
  CHECK_FALSE(matters("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1;"));
  CHECK_FALSE(matters("red.global.add.u32 [%rd1], 1;"));
  CHECK_FALSE(matters("atom.global.max.s32 %r1, [%rd1], 1;"));  // the result is not used
  CHECK_FALSE(matters("atom.shared.cas.b32 %r1, [%r2], 0, 1; add.u32 %r3, %r1, 1;"));  // within the block
  CHECK_FALSE(matters("ld.volatile.shared.u32 %r1, [%r2];"));
}

TEST_CASE("kernels that can observe the order of blocks may not") {
  CHECK(matters("red.global.add.f32 [%rd1], %f1;"));
  CHECK(matters("atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd2], %r1;"));
  CHECK(matters("atom.global.exch.b32 %r1, [%rd1], 1;"));
  CHECK(matters("atom.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd2], %r1;"));  // generic: may be global
  CHECK(matters("ld.volatile.global.u32 %r1, [%rd1];"));
  CHECK(matters("ld.acquire.gpu.global.u32 %r1, [%rd1];"));
}
