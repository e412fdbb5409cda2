// Atomics, each as a few lines of PTX.
#include <doctest/doctest.h>

#include <bit>
#include <functional>

#include "tests/emulator/support/memory_stage.hpp"

using namespace memory_stage;

namespace {

// All lanes update one cell that begins as `start`; out gets the low word of the old value. A second kernel
// run reads the final value of the cell.
struct Atomic {
  std::string type;
  std::string operation;
  std::uint64_t start;
  const char* operand;  // register that holds it: %r1 based
  std::function<std::uint64_t(std::uint64_t old, std::uint64_t lane)> step;
};

std::string bits_of(const std::string& type) { return type.substr(1); }

std::string cell_test(const Atomic& a, const std::string& space, bool final_value) {
  const std::string type = a.type, width = bits_of(type) == "64" ? "64" : "32";
  const std::string reg = width == "64" ? "%rd" : "%r", cell = space == "shared" ? "s" : "g";
  std::string body = "mov.b" + width + " " + reg + "20, " + std::to_string(a.start) + "; st." + space + ".b" +
                     width + " [" + cell + "], " + reg + "20; bar.warp.sync -1;\n";
  body += "cvt.u64.u32 %rd21, %r1; mov.u32 %r21, %r1;\n" + std::string(a.operand) + "\n";
  body +=
      "atom." + space + "." + a.operation + "." + type + " " + reg + "22, [" + cell + "], " + reg + "21;\n";
  if (final_value)
    body += "bar.warp.sync -1; ld." + space + ".b" + width + " " + reg + "22, [" + cell + "];\n";
  if (width == "64") body += "cvt.u32.u64 %r22, %rd22;\n";
  return body + "st.global.u32 [%rd2], %r22;";
}

}  // namespace

TEST_CASE("atomic operations, lane after lane, give the old value and leave the new one") {
  using U = std::uint64_t;
  const auto low = [](U value) { return static_cast<std::uint32_t>(value); };
  const Atomic all[] = {
      {"u32", "add", 5, "", [&](U o, U l) -> U { return low(o + l); }},
      {"s32", "add", 5, "", [&](U o, U l) -> U { return low(o + l); }},
      {"u64", "add", 0xffffffff, "", [](U o, U l) { return o + l; }},
      {"u32", "min", 9, "xor.b32 %r21, %r1, 29;", [](U o, U l) { return std::min(o, l ^ 29); }},
      {"u32", "max", 9, "xor.b32 %r21, %r1, 29;", [](U o, U l) { return std::max(o, l ^ 29); }},
      {"s32", "min", 2, "sub.s32 %r21, 3, %r1;",
       [&](U o, U l) -> U {
         return low(static_cast<U>(std::min(static_cast<std::int32_t>(o), 3 - static_cast<std::int32_t>(l))));
       }},
      {"s32", "max", 0xfffffff0, "sub.s32 %r21, %r1, 9;",
       [&](U o, U l) -> U {
         return low(static_cast<U>(std::max(static_cast<std::int32_t>(o), static_cast<std::int32_t>(l) - 9)));
       }},
      {"u64", "max", 9, "", [](U o, U l) { return std::max(o, l); }},
      {"s64", "min", 9, "sub.s64 %rd21, 4, %rd21;",
       [](U o, U l) {
         return static_cast<U>(std::min(static_cast<std::int64_t>(o), 4 - static_cast<std::int64_t>(l)));
       }},
      {"u32", "inc", 0, "mov.u32 %r21, 4;", [](U o, U) { return o >= 4 ? U{0} : o + 1; }},
      {"u32", "dec", 2, "mov.u32 %r21, 4;", [](U o, U) { return o == 0 || o > 4 ? U{4} : o - 1; }},
      {"b32", "and", 0xffff, "not.b32 %r21, %r1;", [&](U o, U l) -> U { return o & low(~l); }},
      {"b32", "or", 64, "", [](U o, U l) { return o | l; }},
      {"b32", "xor", 64, "", [](U o, U l) { return o ^ l; }},
      {"b64", "xor", 64, "", [](U o, U l) { return o ^ l; }},
      {"b32", "exch", 64, "", [](U, U l) { return l; }},
      {"b64", "exch", 64, "", [](U, U l) { return l; }},
      {"f32", "add", std::bit_cast<std::uint32_t>(0.5f), "cvt.rn.f32.u32 %f1, %r1; mov.b32 %r21, %f1;",
       [](U o, U l) -> U {
         return std::bit_cast<std::uint32_t>(std::bit_cast<float>(static_cast<std::uint32_t>(o)) +
                                             static_cast<float>(l));
       }},
  };
  for (const Atomic& a : all)
    for (const char* space : {"global", "shared"}) {
      CAPTURE(a.type);
      CAPTURE(a.operation);
      std::uint64_t value = a.start;
      std::vector<std::uint64_t> old;
      for (std::uint64_t lane = 0; lane < 32; ++lane) old.push_back(value), value = a.step(value, lane);
      check_in_order(cell_test(a, space, false), [&](auto i) { return static_cast<std::uint32_t>(old[i]); });
      check_in_order(cell_test(a, space, true), [&](auto) { return static_cast<std::uint32_t>(value); });
    }
}

TEST_CASE("compare and swap in all widths") {
  check_in_order(
      "mov.u32 %r10, 7; st.global.u32 [g], %r10; bar.warp.sync -1; add.u32 %r11, %r1, 7; add.u32 %r12, %r1, "
      "8; "
      "atom.global.cas.b32 %r13, [g], %r11, %r12; st.global.u32 [%rd2], %r13;",
      [](auto i) { return i + 7; });
  check_in_order(
      "mov.u16 %rs1, 7; st.shared.u16 [s+2], %rs1; bar.warp.sync -1; cvt.u16.u32 %rs2, %r1; add.u16 %rs2, "
      "%rs2, 7; "
      "add.u16 %rs3, %rs2, 1; atom.shared.cas.b16 %rs4, [s+2], %rs2, %rs3; cvt.u32.u16 %r13, %rs4; "
      "st.global.u32 [%rd2], %r13;",
      [](auto i) { return i + 7; });
  check_in_order(
      "mov.u64 %rd10, 7; st.global.u64 [g], %rd10; bar.warp.sync -1; cvt.u64.u32 %rd11, %r1; add.u64 %rd11, "
      "%rd11, 7; "
      "add.u64 %rd12, %rd11, 1; atom.global.cas.b64 %rd13, [g], %rd11, %rd12; cvt.u32.u64 %r13, %rd13; "
      "st.global.u32 [%rd2], %r13;",
      [](auto i) { return i + 7; });
}

// nvcc -G writes them so, and ptxas takes them.
TEST_CASE("vector atomics of generic addresses") {
  check(
      "mov.b64 %rd10, 0; st.global.u64 [g], %rd10; bar.warp.sync -1; mov.f32 %f1, 0f3F800000; mov.f32 %f2, "
      "0f40000000; mov.u64 %rd11, g; cvta.global.u64 %rd11, %rd11; "
      "atom.add.v2.f32 {%f4, %f5}, [%rd11], {%f1, %f2}; bar.warp.sync -1; ld.global.f32 %f3, [g+4]; "
      "cvt.rzi.u32.f32 %r10, %f3; st.global.u32 [%rd2], %r10;",
      [](auto) { return 64u; });
}

TEST_CASE("floating-point atomics in double, half and pairs") {
  check(
      "mov.b64 %rd10, 0; st.global.u64 [g], %rd10; bar.warp.sync -1; cvt.rn.f64.u32 %fd1, %r1; "
      "red.global.add.f64 [g], %fd1; bar.warp.sync -1; ld.global.f64 %fd2, [g]; cvt.rzi.u32.f64 %r10, %fd2; "
      "st.global.u32 [%rd2], %r10;",
      [](auto) { return 31u * 16; });
  // 1.0 and 2.0 in half precision, 32 times.
  check(
      "mov.b32 %r10, 0; st.shared.u32 [s], %r10; bar.warp.sync -1; mov.b32 %r11, 0x40003c00; "
      "atom.shared.add.noftz.f16x2 %r12, [s], %r11; bar.warp.sync -1; ld.shared.u32 %r13, [s]; st.global.u32 "
      "[%rd2], %r13;",
      [](auto) { return 0x54005000u; });
  check(
      "mov.b32 %r10, 0; st.shared.u32 [s], %r10; bar.warp.sync -1; mov.b16 %rs1, 0x3f80; "
      "atom.shared.add.noftz.bf16 %rs2, [s], %rs1; bar.warp.sync -1; ld.shared.u32 %r13, [s]; st.global.u32 "
      "[%rd2], %r13;",
      [](auto) { return 0x4200u; });
  check(
      "mov.b64 %rd10, 0; st.global.u64 [g], %rd10; bar.warp.sync -1; mov.f32 %f1, 0f3F800000; mov.f32 %f2, "
      "0f40000000; "
      "red.global.add.v2.f32 [g], {%f1, %f2}; bar.warp.sync -1; ld.global.f32 %f3, [g+4]; cvt.rzi.u32.f32 "
      "%r10, %f3; "
      "st.global.u32 [%rd2], %r10;",
      [](auto) { return 64u; });
}

TEST_CASE("atom.add.f32 flushes subnormal numbers on global memory, not on shared") {
  const auto sum = [](const std::string& space, const std::string& cell) {
    return "mov.b32 %r10, 1; st." + space + ".u32 [" + cell +
           "], %r10; bar.warp.sync -1; mov.b32 %f1, 0f00000003; " + "setp.eq.u32 %p1, %r1, 0; @%p1 red." +
           space + ".add.f32 [" + cell + "], %f1; bar.warp.sync -1; ld." + space + ".u32 %r13, [" + cell +
           "]; st.global.u32 [%rd2], %r13;";
  };
  check(sum("global", "g"), [](auto) { return 0u; });
  check(sum("shared", "s"), [](auto) { return 4u; });
}

TEST_CASE("atomics of many blocks on several workers lose nothing") {
  const char* body =
      "atom.global.add.u32 %r10, [g], 1; red.global.add.u64 [g+8], 1; red.global.max.u32 [g+16], %r4;\n"
      "AGAIN: ld.relaxed.gpu.global.u32 %r11, [g+20]; add.u32 %r12, %r11, 3; "
      "atom.global.cas.b32 %r13, [g+20], %r11, %r12; setp.ne.u32 %p1, %r13, %r11; @%p1 bra AGAIN;\n"
      "st.global.u32 [%rd2], %r10;";
  const char* report =
      "ld.global.u32 %r10, [g]; ld.global.u32 %r11, [g+8]; ld.global.u32 %r12, [g+16]; "
      "ld.global.u32 %r13, [g+20]; st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};";
  std::string text = kernel(body), second = kernel(report);
  second = second.substr(second.find(".visible"));
  second.replace(second.find("entry k"), 7, "entry r");
  Stage on = Stage::of_text(text + second);
  on.grid = {64, 1, 1};
  on.block = {96, 1, 1};
  Ran ran = on.run("k", 0, {"four workers", false, true, true, 4});
  REQUIRE(ran.succeeded());
  std::vector<bool> seen(64 * 96);
  for (const std::int32_t old : ran.out) seen.at(static_cast<std::size_t>(old)) = true;
  for (const bool each : seen) CHECK(each);
  on.grid = {1, 1, 1};
  on.block = {1, 1, 1};
  ran = on.run("r", 0, {}, 4);
  CHECK(ran.out[0] == 64 * 96);
  CHECK(ran.out[1] == 64 * 96);
  CHECK(ran.out[2] == 64 * 96 - 1);
  CHECK(ran.out[3] == 3 * 64 * 96);
}
