// Loads of several words, and which of them a condition depends on.
#include "analysis/memory/wide_loads.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

emulator::FlagLoads loads(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n" +
      body + "\nret; }");
  emulator::FlagLoads found;
  emulator::add_wide_loads(module.functions.at(0), 100, found);
  return found;
}
const std::string kLoad = "ld.volatile.global.u64 %rd2, [%rd1];";

// The words of the first load that conditions depend on, and whether one comparison depends on both.
std::pair<int, bool> tested(const std::string& body) {
  const emulator::WideLoad load = loads(kLoad + body).wide.at(100);
  return {load.tested, load.is_tested_at_once};
}

}  // namespace

TEST_CASE("a wide load is a strong load or atomic of more than one word") {
  CHECK(loads(kLoad).wide.size() == 1);
  CHECK(loads("ld.relaxed.gpu.global.v2.u32 {%r1, %r2}, [%rd1];").wide.size() == 1);
  CHECK(loads("atom.global.add.u64 %rd2, [%rd1], 0;").wide.size() == 1);
  CHECK(loads("ld.global.u64 %rd2, [%rd1];").wide.empty());
  CHECK(loads("ld.volatile.global.u32 %r1, [%rd1];").wide.empty());
  CHECK(loads("ld.volatile.shared.u64 %rd2, [%r1];").wide.empty());
}

TEST_CASE("what a compare-and-swap expects is no wide load") {
  CHECK(loads("atom.global.cas.b64 %rd2, [%rd1], 0, 1;").wide.empty());
  CHECK(loads(kLoad + "atom.global.cas.b64 %rd3, [%rd1], %rd2, 7;").wide.empty());
}

TEST_CASE("a load may be torn where a strong store or exchange is narrower") {
  const auto torn = [](const std::string& body) { return loads(kLoad + body).may_be_torn(); };
  CHECK(torn("st.volatile.global.u32 [%rd1], %r1;"));
  CHECK(torn("atom.global.exch.b32 %r2, [%rd1], %r1;"));
  CHECK_FALSE(torn("st.volatile.global.u64 [%rd1], %rd2;"));
  CHECK_FALSE(torn("st.volatile.global.v2.u32 [%rd1], {%r1, %r2};"));
  CHECK_FALSE(torn("st.global.u32 [%rd1], %r1;"));
  const std::string four = "ld.volatile.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];";
  CHECK(torn(four + "st.volatile.global.u64 [%rd1], %rd2;"));
}

TEST_CASE("a comparison depends on the words whose bits it gets") {
  using Words = std::pair<int, bool>;
  CHECK(tested("") == Words{0, false});
  CHECK(tested("setp.eq.s64 %p1, %rd2, 0;") == Words{3, true});
  CHECK(tested("shr.u64 %rd3, %rd2, 32; setp.eq.s64 %p1, %rd3, 0;") == Words{2, false});
  CHECK(tested("shr.u64 %rd3, %rd2, 31; setp.eq.s64 %p1, %rd3, 0;") == Words{3, true});
  CHECK(tested("cvt.u32.u64 %r1, %rd2; setp.eq.s32 %p1, %r1, 0;") == Words{1, false});
  CHECK(tested("and.b64 %rd3, %rd2, -4294967296; setp.eq.s64 %p1, %rd3, 0;") == Words{2, false});
  CHECK(tested("mov.b64 {%r1, %r2}, %rd2; setp.eq.s32 %p1, %r2, 0;") == Words{2, false});
  CHECK(tested("mov.b64 {_, %r2}, %rd2; setp.eq.s32 %p1, %r2, 0;") == Words{2, false});
  CHECK(tested("setp.gt.u64 %p1, %rd2, 4294967295;") == Words{2, false});
  CHECK(tested("setp.lt.u64 %p1, %rd2, 4294967296;") == Words{2, false});
  CHECK(tested("setp.lt.u64 %p1, %rd2, 4294967295;") == Words{3, true});
  CHECK(tested("setp.eq.s64 %p1, %rd2, %rd3;") == Words{3, false});
}

TEST_CASE("the elements of a vector are words of their own") {
  const emulator::FlagLoads found = loads(
      "ld.volatile.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; setp.eq.s32 %p1, %r3, 0;"
      "ld.volatile.global.v2.u64 {%rd2, %rd3}, [%rd1]; setp.eq.s64 %p1, %rd3, 0;");
  CHECK(found.wide.at(100).tested == 4);
  CHECK(found.wide.at(102).tested == 12);
  CHECK(found.wide.at(102).is_tested_at_once);
}
