// Loads, stores and similar instructions, each as a few lines of PTX.
#include <doctest/doctest.h>

#include "tests/emulator/support/memory_stage.hpp"

using namespace memory_stage;

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
  struct LanePattern {
    unsigned a, m, b, d;
    unsigned operator()(unsigned i) const { return a * (i % m) + b * (i / m) + d; }
  };
  const LanePattern patterns[] = {{1, 32, 0, 0}, {1, 32, 0, 5},  {0, 32, 0, 7}, {0, 16, 1, 3},
                                  {1, 16, 0, 9}, {1, 16, 32, 0}, {2, 32, 0, 1}, {15, 32, 0, 0},
                                  {1, 8, 16, 2}, {0, 1, 3, 100}};
  EachVariant([&] {
    for (const LanePattern& p : patterns) {
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

TEST_CASE("a generic address is resolved by its window, lane by lane") {
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
  CHECK(ran.result.status == emulator::LaunchStatus::illegal_address);
  CHECK(ran.found(emulator::FindingKind::write_to_constant) == 1);
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
  CHECK(ran.result.status == emulator::LaunchStatus::illegal_address);
  REQUIRE(ran.first(emulator::FindingKind::out_of_bounds_write) != nullptr);
  CHECK(ran.first(emulator::FindingKind::out_of_bounds_write)->site.thread.x == 20);
  CHECK(ran.first(emulator::FindingKind::out_of_bounds_write)->lanes == 12);
  ran = run_once("add.u32 %r10, %r5, %r1; ld.shared.u32 %r11, [%r10];");
  CHECK(ran.result.status == emulator::LaunchStatus::misaligned_address);
  CHECK(ran.first(emulator::FindingKind::misaligned)->site.thread.x == 1);
  ran = run_once("mov.u32 %r10, -4; ld.shared.u32 %r11, [%r10];");
  CHECK(ran.result.status == emulator::LaunchStatus::illegal_address);
  ran = run_once("mov.u32 %r10, -4; ld.shared.u32 %r11, [%r10+8]; st.global.u32 [%rd2], %r11;");
  CHECK(ran.succeeded());  // addresses of 32 bits wrap
  ran = run_once("st.local.u32 [l+64], %r1;");
  CHECK(ran.result.status == emulator::LaunchStatus::illegal_address);
  ran = run_once("atom.global.add.u32 %r10, [%rd2+2], 1;");
  CHECK(ran.result.status == emulator::LaunchStatus::misaligned_address);
  ran = run_once(
      "ld.global.u32 %r10, [%rd1+124]; ld.global.v2.u32 {%r10, %r11}, [%rd1+120]; ld.global.u32 %r10, "
      "[%rd1+128];");
  CHECK(ran.found(emulator::FindingKind::out_of_bounds_read) == 1);
}

TEST_CASE("an instruction that is not emulated is refused by name") {
  for (const char* form :
       {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r1, [%r5];",
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd2, {%r1}], [%r5];",
        "multimem.ld_reduce.relaxed.sys.global.add.u32 %r10, [%rd2];", "wgmma.commit_group.sync.aligned;",
        "atom.global.add.u16 %rs1, [g], 1;"}) {
    const std::string text = form;
    const Ran ran = run_once(text);
    CAPTURE(text);
    CHECK(ran.result.status == emulator::LaunchStatus::not_supported);
    REQUIRE(ran.result.findings.size() == 1);
    CHECK(ran.result.findings[0].message.find(text.substr(
              0, text.find(' ') < text.find(';') ? text.find(' ') : text.find(';'))) != std::string::npos);
  }
}
