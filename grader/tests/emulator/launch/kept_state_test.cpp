// What a kernel may leave for the next launch, found from its code.
#include "launch/kept_state.hpp"

#include <doctest/doctest.h>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

using Names = std::vector<std::string>;

Names kept(const std::string& body) {
  emulator::DeviceMemory memory(std::size_t{1} << 24);
  const auto program = emulator::Program::load(
      ptx::parse(
          ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 total[4];\n.global .b32 after;\n"
          ".global .attribute(.managed) .b32 both;\n.const .b32 shape[4];\n.extern .func (.param .b64 r) "
          "malloc (.param .b64 n);\n"
          ".visible .entry k(.param .u64 to) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
          ".shared .b32 tile[32];\nld.param.u64 %rd1, [to];\n" +
          body + "\nret; }"),
      memory);
  emulator::Program::Impl& impl = program->impl();
  return emulator::kept_state(impl.code(*program->find_kernel("k"), {true, false}), impl);
}

}  // namespace

TEST_CASE("the module's variables that a kernel may write") {
  CHECK(kept("st.global.u32 [%rd1], 1;").empty());
  CHECK(kept("ld.global.u32 %r1, [total]; st.global.u32 [%rd1], %r1;").empty());
  CHECK(kept("st.shared.u32 [tile], 1;").empty());
  CHECK(kept("st.global.u32 [total+4], 1;") == Names{"total"});
  CHECK(kept("st.global.u32 [both], 1;") == Names{"both"});
  CHECK(kept("atom.global.add.u32 %r1, [after], 1; st.global.u32 [total], 1;") == Names{"after", "total"});
}

TEST_CASE("a pointer that came out of memory may be that of any variable") {
  CHECK(kept("ld.global.u64 %rd2, [%rd1]; st.global.u32 [%rd2], 1;") == Names{"after", "both", "total"});
}

TEST_CASE("the device heap") {
  CHECK(kept("{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd1; call.uni (r), malloc, (n); "
             "ld.param.b64 %rd3, [r]; }") == Names{"the device heap"});
}
