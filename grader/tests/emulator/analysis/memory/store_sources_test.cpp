// The origin of a stored value.
#include "analysis/memory/store_sources.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

emulator::StoreSource last_store(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n" +
      body + "\nret; }");
  const ptx::Function& function = module.functions.at(0);
  std::size_t last = 0;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (function.instructions[i].opcode == ptx::Opcode::st) last = i;
  return emulator::find_store_source(function, last);
}

}  // namespace

TEST_CASE("a load that is made wider") {
  CHECK(last_store("ld.global.u8 %r1, [%rd1]; st.global.u32 [%rd2], %r1;").loaded == 1);
  CHECK(last_store("ld.u16 %rs1, [%rd1]; cvt.u32.u16 %r1, %rs1; cvt.u64.u32 %rd3, %r1; st.u64 [%rd2], %rd3;")
            .loaded == 2);
  CHECK(last_store("ld.u8 %rs1, [%rd1]; cvt.u32.u16 %r1, %rs1; and.b32 %r2, %r1, 255; st.u32 [%rd2], %r2;")
            .loaded == 1);
  CHECK(last_store("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1;").loaded == 0);
  CHECK(last_store("ld.global.u8 %r1, [%rd1]; shl.b32 %r2, %r1, 8; st.global.u32 [%rd2], %r2;").loaded == 0);
}

TEST_CASE("a value that is computed") {
  const std::string load = "ld.global.u32 %r1, [%rd1];";
  CHECK(last_store(load + "add.s32 %r2, %r1, 1; st.global.u32 [%rd2], %r2;").computed);
  CHECK(last_store(load + "shl.b32 %r2, %r1, 1; st.global.u32 [%rd2], %r2;").computed);
  CHECK_FALSE(last_store(load + "shl.b32 %r2, %r1, 16; st.global.u32 [%rd2], %r2;").computed);
  CHECK_FALSE(last_store(load + "mov.u32 %r2, %r1; st.global.u32 [%rd2], %r2;").computed);
}

TEST_CASE("a bit-field that is put into its word") {
  const std::string load = "ld.global.u32 %r1, [%rd1+4]; and.b32 %r2, %r1, -8;";
  CHECK(last_store(load + "or.b32 %r3, %r2, %r4; st.global.u32 [%rd1+4], %r3;").kept == ~std::uint64_t{7});
  CHECK(last_store(load + "or.b32 %r3, %r4, %r2; st.global.u32 [%rd1+4], %r3;").kept == ~std::uint64_t{7});
  CHECK(last_store(load + "st.global.u32 [%rd1+4], %r2;").kept == ~std::uint64_t{7});
  CHECK(last_store("ld.shared.u8 %r1, [%r5]; and.b32 %r2, %r1, 7; bfi.b32 %r3, %r4, %r2, 3, 13;"
                   "st.shared.u8 [%r5], %r3;")
            .kept == std::uint64_t{7});
  CHECK_FALSE(last_store(load + "or.b32 %r3, %r2, %r4; st.global.u32 [%rd1+8], %r3;").kept);  // elsewhere
  CHECK_FALSE(last_store(load + "or.b32 %r3, %r2, %r4; st.global.u16 [%rd1+4], %r3;")
                  .kept);  // a store of another size
  CHECK_FALSE(last_store(load + "add.u32 %r3, %r2, %r4; st.global.u32 [%rd1+4], %r3;").kept);
  CHECK_FALSE(
      last_store("ld.global.u32 %r1, [%rd1]; and.b32 %r2, %r1, %r4; st.global.u32 [%rd1], %r2;").kept);
}
