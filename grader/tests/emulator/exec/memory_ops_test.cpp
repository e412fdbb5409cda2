// Loads, stores, atomics and their like, each as a few lines of PTX.
#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <functional>

#include "stage.hpp"

namespace {

using stage::Ran;
using stage::Stage;
namespace exec = warpgrade::exec;
namespace observe = warpgrade::observe;

// A kernel k(int* out, int n): %r1 is the thread's number in its block, %r2 the block's, %rd1 points to out,
// %rd2 to out[number of the thread in the grid]; s is a shared array, g a global one, c a constant one.
std::string kernel(const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.global .align 16 .b8 g[1024];
.const .align 16 .u32 c[8] = {10, 11, 12, 13, 14, 15, 16, 17};
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<9>;
  .reg .b16 %rs<40>;
  .reg .b32 %r<90>;
  .reg .f32 %f<9>;
  .reg .f64 %fd<9>;
  .reg .b64 %rd<60>;
  .reg .b128 %rq<9>;
  .shared .align 16 .b8 s[2048];
  .local .align 16 .b8 l[64];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd2, %rd1, %rd2;
  mov.u32 %r5, s;
)" + body +
         "\nret;\n}\n";
}

// Runs it in every way and checks out[i] == expected(i). Where lanes meet in one word, CUDA leaves their
// order open: lowest first is the order of warps, and the scalar path's may be another.
enum class Order { any, lowest_lane_first };
void check(const std::string& body, const std::function<std::uint32_t(std::uint32_t)>& expected,
           unsigned threads = 32, Order order = Order::any) {
  for (const stage::Way& way : stage::ways()) {
    if (way.scalar && order == Order::lowest_lane_first) continue;
    Stage on = Stage::of_text(kernel(body));
    on.block = {threads, 1, 1};
    const Ran ran = on.run("k", 0, way);
    CAPTURE(body);
    CAPTURE(way.name);
    REQUIRE(ran.succeeded());
    for (std::uint32_t i = 0; i < threads; ++i) {
      CAPTURE(i);
      CHECK(static_cast<std::uint32_t>(ran.out[i]) == expected(i));
    }
  }
}

void check_in_order(const std::string& body, const std::function<std::uint32_t(std::uint32_t)>& expected) {
  check(body, expected, 32, Order::lowest_lane_first);
}

Ran run_once(const std::string& body, const stage::Way& way = stage::ways()[2]) {
  return Stage::of_text(kernel(body)).run("k", 0, way);
}

// For the time of a test, the builds of the lane code one after the other.
struct EachVariant {
  template <class Test>
  explicit EachVariant(Test test) {
#ifdef WARPGRADE_ONLY_V1
    const char* variants[] = {"v1"};
#else
    const char* variants[] = {"v1", "v3", "v4"};
#endif
    for (const char* variant : variants) {
      if (std::string(variant) == "v3" && !__builtin_cpu_supports("avx2")) continue;
      if (std::string(variant) == "v4" && !__builtin_cpu_supports("avx512vl")) continue;
      setenv("WARPGRADE_LANES", variant, 1);
      CAPTURE(variant);
      test();
    }
    unsetenv("WARPGRADE_LANES");
  }
};

// Word i of s is 100 + i, for 512 words, written by 32 threads.
const std::string kFillShared = R"(
  mov.u32 %r80, %r1;
FILL:
  shl.b32 %r81, %r80, 2;
  add.u32 %r81, %r81, %r5;
  add.u32 %r82, %r80, 100;
  st.shared.u32 [%r81], %r82;
  add.u32 %r80, %r80, 32;
  setp.lt.u32 %p8, %r80, 512;
  @%p8 bra FILL;
  bar.sync 0;
)";

}  // namespace

TEST_CASE("a narrow element is extended to its register by the type's sign") {
  const std::string store = "mov.b32 %r10, 0x818283f4; st.shared.b32 [s], %r10; bar.warp.sync -1;\n";
  check(store + "ld.shared.s8 %r11, [s]; st.global.u32 [%rd2], %r11;", [](auto) { return 0xfffffff4u; });
  check(store + "ld.shared.u8 %r11, [s]; st.global.u32 [%rd2], %r11;", [](auto) { return 0xf4u; });
  check(store + "ld.shared.b8 %r11, [s+3]; st.global.u32 [%rd2], %r11;", [](auto) { return 0x81u; });
  check(store + "ld.shared.s16 %r11, [s+2]; st.global.u32 [%rd2], %r11;", [](auto) { return 0xffff8182u; });
  check(store + "ld.shared.u16 %r11, [s+2]; st.global.u32 [%rd2], %r11;", [](auto) { return 0x8182u; });
  check(store + "ld.shared.s8 %rs1, [s]; cvt.u32.u16 %r11, %rs1; st.global.u32 [%rd2], %r11;",
        [](auto) { return 0xfff4u; });
  check(store +
            "ld.shared.s32 %rd3, [s]; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r11, %rd3; st.global.u32 [%rd2], "
            "%r11;",
        [](auto) { return 0xffffffffu; });
  check(store +
            "ld.shared.u32 %rd3, [s]; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r11, %rd3; st.global.u32 [%rd2], "
            "%r11;",
        [](auto) { return 0u; });
}

TEST_CASE("a narrow store keeps the low bytes and leaves its neighbours") {
  check(R"(mov.b32 %r10, 0x11223344; st.shared.b32 [s], %r10; mov.b32 %r10, 0xaabbccdd; bar.warp.sync -1;
    st.shared.u8 [s+1], %r10; st.shared.u16 [s+2], %r10; bar.warp.sync -1; ld.shared.u32 %r11, [s];
    st.global.u32 [%rd2], %r11;)",
        [](auto) { return 0xccdddd44u; });
  check("mov.b64 %rd3, 0x1122334455667788; st.global.u32 [%rd2], %rd3;", [](auto) { return 0x55667788u; });
}

TEST_CASE("vectors, with elements that go nowhere") {
  check(kFillShared + R"(ld.shared.v4.u32 {%r11, _, %r13, %r14}, [s+16]; add.u32 %r11, %r11, %r13;
    add.u32 %r11, %r11, %r14; st.global.u32 [%rd2], %r11;)",
        [](auto) { return 104u + 106 + 107; });
  check(kFillShared +
            R"(mul.lo.u32 %r10, %r1, 16; add.u32 %r10, %r10, %r5; ld.shared.v2.u64 {%rd10, %rd11}, [%r10];
    shr.u64 %rd11, %rd11, 32; cvt.u32.u64 %r11, %rd11; st.global.u32 [%rd2], %r11;)",
        [](auto i) { return 100 + 4 * i + 3; });
  check(R"(mul.lo.u32 %r10, %r1, 16; add.u32 %r10, %r10, %r5; add.u32 %r11, %r1, 1; add.u32 %r12, %r1, 2;
    st.shared.v4.b32 [%r10], {%r1, %r11, %r12, 9}; bar.warp.sync -1; xor.b32 %r13, %r10, 16;
    ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r13]; mad.lo.u32 %r24, %r22, 100, %r23; st.global.u32 [%rd2], %r24;)",
        [](auto i) { return ((i ^ 1) + 2) * 100 + 9; });
  check(
      R"(st.shared.v2.b16 [s], {1, 2}; bar.warp.sync -1; ld.shared.v2.u8 {%rs1, %rs2}, [s+2]; cvt.u32.u16 %r10, %rs1;
    st.global.u32 [%rd2], %r10;)",
      [](auto) { return 2u; });
}

TEST_CASE("every address pattern of a full warp, in every build of the lane code") {
  // Word index of lane i in s: a·(i mod m) + b·(i/m) + d.
  struct Pattern {
    unsigned a, m, b, d;
    unsigned operator()(unsigned i) const { return a * (i % m) + b * (i / m) + d; }
  };
  const Pattern patterns[] = {{1, 32, 0, 0},  {1, 32, 0, 5}, {0, 32, 0, 7},  {0, 16, 1, 3}, {1, 16, 0, 9},
                              {1, 16, 32, 0}, {2, 32, 0, 1}, {15, 32, 0, 0}, {1, 8, 16, 2}, {0, 1, 3, 100}};
  EachVariant([&] {
    for (const Pattern& p : patterns) {
      const auto number = [](unsigned value) { return std::to_string(value); };
      const std::string index =
          "rem.u32 %r10, %r1, " + number(p.m) + "; div.u32 %r11, %r1, " + number(p.m) +
          "; mul.lo.u32 %r10, %r10, " + number(p.a) + "; mad.lo.u32 %r10, %r11, " + number(p.b) +
          ", %r10; add.u32 %r10, %r10, " + number(p.d) +
          "; shl.b32 %r10, %r10, 2; add.u32 %r10, %r10, %r5; cvt.u64.u32 %rd10, %r10;\n";
      check(kFillShared + index + "ld.shared.u32 %r12, [%r10]; st.global.u32 [%rd2], %r12;",
            [&](auto i) { return 100 + p(i); });
      check(kFillShared + index + "ld.shared.u32 %r12, [%rd10+4]; st.global.u32 [%rd2], %r12;",
            [&](auto i) { return 101 + p(i); });
      check(kFillShared + index +
                "mov.u32 %r12, 1; setp.lt.u32 %p1, %r1, 21; @%p1 ld.shared.u32 %r12, [%r10]; "
                "st.global.u32 [%rd2], %r12;",
            [&](auto i) { return i < 21 ? 100 + p(i) : 1; });
      check(kFillShared + index +
                "cvta.shared.u64 %rd10, %rd10; ld.u32 %r12, [%rd10]; st.global.u32 [%rd2], %r12;",
            [&](auto i) { return 100 + p(i); });
    }
  });
}

TEST_CASE("where lanes store to one word the highest wins") {
  EachVariant([] {
    for (const char* where : {"s", "s+8"}) {
      const std::string at = where;
      check_in_order("st.shared.u32 [" + at + "], %r1; bar.warp.sync -1; ld.shared.u32 %r10, [" + at +
                         "]; st.global.u32 [%rd2], %r10;",
                     [](auto) { return 31u; });
      check_in_order("setp.ne.u32 %p1, %r1, 31; @%p1 st.shared.u32 [" + at +
                         "], %r1; bar.warp.sync -1; ld.shared.u32 %r10, [" + at +
                         "]; st.global.u32 [%rd2], %r10;",
                     [](auto) { return 30u; });
    }
    check_in_order(
        "shr.u32 %r10, %r1, 2; shl.b32 %r10, %r10, 2; add.u32 %r10, %r10, %r5; st.shared.u32 [%r10], %r1; "
        "bar.warp.sync -1; ld.shared.u32 %r11, [%r10]; st.global.u32 [%rd2], %r11;",
        [](auto i) { return i | 3; });
  });
}

TEST_CASE("a generic address is what its window says, lane by lane") {
  check(R"(shl.b32 %r10, %r1, 2; cvt.u64.u32 %rd10, %r10; mov.u64 %rd11, s; cvta.shared.u64 %rd11, %rd11;
    add.u64 %rd11, %rd11, %rd10; mov.u64 %rd12, g; cvta.global.u64 %rd12, %rd12; add.u64 %rd12, %rd12, %rd10;
    mov.u64 %rd13, l; cvta.local.u64 %rd13, %rd13;
    rem.u32 %r11, %r1, 3; setp.eq.u32 %p1, %r11, 0; setp.eq.u32 %p2, %r11, 1;
    selp.b64 %rd14, %rd12, %rd13, %p2; selp.b64 %rd14, %rd11, %rd14, %p1;
    mul.lo.u32 %r12, %r1, 7; st.u32 [%rd14], %r12; ld.u32 %r13, [%rd14];
    isspacep.shared %p3, %rd14; isspacep.global %p4, %rd14; isspacep.local %p5, %rd14;
    selp.u32 %r14, 1000, 0, %p3; selp.u32 %r15, 2000, 0, %p4; selp.u32 %r16, 4000, 0, %p5;
    add.u32 %r13, %r13, %r14; add.u32 %r13, %r13, %r15; add.u32 %r13, %r13, %r16; st.global.u32 [%rd2], %r13;)",
        [](auto i) {
          return 7 * i + (i % 3 == 0 ? 1000u : i % 3 == 1 ? 2000u : 4000u);
        });
}

TEST_CASE("each lane has local memory of its own") {
  check(
      "st.local.u32 [l+8], %r1; ld.local.u32 %r10, [l+8]; st.global.u32 [%rd2], %r10;",
      [](auto i) { return i; }, 96);
}

TEST_CASE("constant memory") {
  check("ld.const.u32 %r10, [c+12]; st.global.u32 [%rd2], %r10;", [](auto) { return 13u; });
  check(
      "rem.u32 %r10, %r1, 8; mul.wide.u32 %rd10, %r10, 4; mov.u64 %rd11, c; add.u64 %rd11, %rd11, %rd10; "
      "ld.const.u32 %r10, [%rd11]; cvta.const.u64 %rd11, %rd11; ld.u32 %r11, [%rd11]; add.u32 %r10, %r10, "
      "%r11; "
      "isspacep.const %p1, %rd11; selp.u32 %r12, 100, 0, %p1; add.u32 %r10, %r10, %r12; st.global.u32 "
      "[%rd2], %r10;",
      [](auto i) { return 120 + 2 * (i % 8); });
  const Ran ran = run_once("mov.u64 %rd11, c; cvta.const.u64 %rd11, %rd11; st.u32 [%rd11], %r1;");
  CHECK(ran.result.status == exec::Status::illegal_address);
  CHECK(ran.found(observe::Kind::write_to_constant) == 1);
}

TEST_CASE("volatile, ordered and hinted accesses read and write as plain ones do") {
  const auto same = [](auto i) { return i + 5; };
  for (const char* how : {".volatile.global", ".relaxed.gpu.global", ".mmio.relaxed.sys.global", ".global.cs",
                          ".weak.global", ".global.L1::no_allocate"}) {
    const std::string form = how;
    CAPTURE(form);
    check("add.u32 %r10, %r1, 5; st" + form + ".u32 [%rd2], %r10; ld" + form +
              ".u32 %r11, [%rd2]; st.global.u32 [%rd2], %r11;",
          same);
  }
  check(
      "add.u32 %r10, %r1, 5; st.release.gpu.global.u32 [%rd2], %r10; ld.acquire.gpu.global.u32 %r11, [%rd2]; "
      "st.global.u32 [%rd2], %r11;",
      same);
  check(
      "add.u32 %r10, %r1, 5; st.global.u32 [%rd2], %r10; ld.global.nc.L1::evict_last.L2::128B.u32 %r11, "
      "[%rd2]; "
      "prefetch.global.L2 [%rd2]; discard.global.L2 [%rd2], 128; st.global.u32 [%rd2], %r11;",
      same);
}

namespace {

// All lanes do it on one cell that starts as `start`; out = old value, low word. Then the cell's final value
// is compared through a second kernel run.
struct Atomic {
  const char* type;
  const char* operation;
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

TEST_CASE("an asynchronous copy arrives when it is waited for, and not before") {
  const std::string fill =
      "shl.b32 %r10, %r1, 4; add.u32 %r10, %r10, %r5; cvt.u64.u32 %rd10, %r10; mul.wide.u32 %rd11, %r1, 16; "
      "mov.u64 %rd12, g; add.u64 %rd12, %rd12, %rd11; add.u32 %r11, %r1, 50; "
      "st.global.v4.u32 [%rd12], {%r11, 2, 3, 4}; st.shared.v4.u32 [%r10], {7, 7, 7, 7};\n";
  const std::string out = "ld.shared.u32 %r12, [%r10]; st.global.u32 [%rd2], %r12;";
  check(fill + "cp.async.ca.shared.global [%r10], [%rd12], 16; cp.async.commit_group;" + out +
            "cp.async.wait_all;",
        [](auto) { return 7u; });
  check(fill + "cp.async.ca.shared.global [%r10], [%rd12], 16; cp.async.wait_all;" + out,
        [](auto i) { return i + 50; });
  check(fill +
            "cp.async.cg.shared.global [%r10], [%rd12], 16; cp.async.commit_group; cp.async.commit_group; "
            "cp.async.wait_group 1;" +
            out,
        [](auto i) { return i + 50; });
  check(fill + "cp.async.ca.shared.global [%r10], [%rd12], 4; cp.async.commit_group; cp.async.wait_group 1;" +
            out,
        [](auto) { return 7u; });
  check(
      fill + "mov.u32 %r13, 0; cp.async.ca.shared.global [%r10], [%rd12], 16, %r13; cp.async.wait_all;" + out,
      [](auto) { return 0u; });
  check(
      fill +
          "mov.u32 %r13, 8; cp.async.ca.shared.global.L2::128B [%r10], [%rd12], 16, %r13; cp.async.wait_all; "
          "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r10]; add.u32 %r20, %r21, %r22; st.global.u32 "
          "[%rd2], %r20;",
      [](auto) { return 2u; });
}

TEST_CASE("faults: the lowest lane that fails, and nothing is stored") {
  Ran ran = run_once(
      "setp.ge.u32 %p1, %r1, 20; selp.u32 %r10, 4096, 0, %p1; add.u32 %r10, %r10, %r5; st.shared.u32 [%r10], "
      "%r1;");
  CHECK(ran.result.status == exec::Status::illegal_address);
  REQUIRE(ran.first(observe::Kind::out_of_bounds_write) != nullptr);
  CHECK(ran.first(observe::Kind::out_of_bounds_write)->site.thread.x == 20);
  CHECK(ran.first(observe::Kind::out_of_bounds_write)->lanes == 12);
  ran = run_once("add.u32 %r10, %r5, %r1; ld.shared.u32 %r11, [%r10];");
  CHECK(ran.result.status == exec::Status::misaligned_address);
  CHECK(ran.first(observe::Kind::misaligned)->site.thread.x == 1);
  ran = run_once("mov.u32 %r10, -4; ld.shared.u32 %r11, [%r10];");
  CHECK(ran.result.status == exec::Status::illegal_address);
  ran = run_once("mov.u32 %r10, -4; ld.shared.u32 %r11, [%r10+8]; st.global.u32 [%rd2], %r11;");
  CHECK(ran.succeeded());  // addresses of 32 bits wrap
  ran = run_once("st.local.u32 [l+64], %r1;");
  CHECK(ran.result.status == exec::Status::illegal_address);
  ran = run_once("atom.global.add.u32 %r10, [%rd2+2], 1;");
  CHECK(ran.result.status == exec::Status::misaligned_address);
  ran = run_once(
      "ld.global.u32 %r10, [%rd1+124]; ld.global.v2.u32 {%r10, %r11}, [%rd1+120]; ld.global.u32 %r10, "
      "[%rd1+128];");
  CHECK(ran.found(observe::Kind::out_of_bounds_read) == 1);
}

TEST_CASE("what is not emulated is refused by its name") {
  for (const char* form :
       {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r1, [%r5];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [%r5], %r1;",
        "multimem.ld_reduce.relaxed.sys.global.add.u32 %r10, [%rd2];", "wgmma.commit_group.sync.aligned;",
        "atom.global.add.u16 %rs1, [g], %rs2;"}) {
    const std::string text = form;
    const Ran ran = run_once(text);
    CAPTURE(text);
    CHECK(ran.result.status == exec::Status::not_supported);
    REQUIRE(ran.result.findings.size() == 1);
    CHECK(ran.result.findings[0].message.find(text.substr(
              0, text.find(' ') < text.find(';') ? text.find(' ') : text.find(';'))) != std::string::npos);
  }
}
