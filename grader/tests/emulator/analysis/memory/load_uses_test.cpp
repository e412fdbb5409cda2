// What loaded values are used for: flags and data, locks and counters.
#include "analysis/memory/load_uses.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;
using emulator::LoadUse;

namespace {

// Flags of the first instruction with this opcode, or opcode and first modifier.
std::uint8_t uses(const std::string& body, const std::string& opcode) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.global .b64 total;\n.visible .entry k(.param .u64 to) "
      "{\n"
      ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>; .reg .b64 %SP;\n" +
      body + "\nDONE: ret; }");
  const ptx::Function& function = module.functions.at(0);
  const std::vector<std::uint8_t> all = emulator::find_load_uses(function);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (function.instructions[i].form().starts_with(opcode)) return all[i];
  return 0;
}
bool decides(const std::string& body, const std::string& opcode) {
  return has(uses(body, opcode), LoadUse::control_relevant);
}

const std::string kPollCost = "ld.volatile.global.u32 %r1, [%rd1];";

}  // namespace

TEST_CASE("a value decides where a branch, an address or another thread depends on it") {
  CHECK(decides(kPollCost + "setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;", "ld"));
  CHECK(decides(kPollCost + "and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd2], 1;",
                "ld"));
  CHECK(decides(kPollCost + "cvt.u64.u32 %rd2, %r1; ld.global.u32 %r3, [%rd2];", "ld"));
  CHECK(decides(kPollCost + "st.shared.u32 [%rd2], %r1;", "ld"));
  CHECK(decides(kPollCost + "st.u32 [%rd2], %r1;", "ld"));  // generic: may be shared
  CHECK(decides(
      kPollCost + "st.u32 [%SP+8], %r1; ld.u32 %r2, [%SP+8]; setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE;", "ld"));
}

TEST_CASE("a value that is only computed with and stored is data") {
  CHECK_FALSE(decides(kPollCost, "ld"));
  CHECK_FALSE(decides(kPollCost + "add.u32 %r2, %r1, 1; st.global.u32 [%rd2], %r2;", "ld"));
  CHECK_FALSE(
      decides(kPollCost + "st.u32 [%SP+8], %r1; ld.u32 %r2, [%SP+8]; st.global.u32 [%rd2], %r2;", "ld"));
  CHECK_FALSE(decides("atom.global.exch.b32 %r1, [%rd1], 1;", "atom"));
  // A generic address that is made of a parameter of the kernel.
  const std::string to =
      "ld.param.u64 %rd3, [to]; cvt.u64.u32 %rd4, %r2; shl.b64 %rd5, %rd4, 2; add.s64 %rd2, %rd3, %rd5;";
  CHECK_FALSE(decides(to + kPollCost + "st.u32 [%rd2], %r1;", "ld.volatile"));
  CHECK(decides(to + kPollCost + "ld.u64 %rd6, [%rd2]; st.u32 [%rd6], %r1;", "ld.volatile"));
  CHECK(decides(to + kPollCost + "cvta.shared.u64 %rd2, %rd6; st.u32 [%rd2], %r1;", "ld.volatile"));
  CHECK(decides("atom.global.add.u32 %r1, [%rd1], 1; setp.eq.u32 %p1, %r1, 7; @%p1 bra DONE;", "atom"));
}

TEST_CASE("a shuffled value is a flag if control flow depends on the result, and data otherwise") {
  const std::string shuffled = kPollCost + "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1;";
  CHECK_FALSE(decides(shuffled + "add.u32 %r3, %r1, %r2; st.global.u32 [%rd2], %r3;", "ld"));
  CHECK(decides(shuffled + "setp.eq.u32 %p2, %r2, 0; @%p2 bra DONE;", "ld"));
}

TEST_CASE("without optimisation a variable's address is generic, and known to be of global memory") {
  CHECK_FALSE(
      decides(kPollCost + "mov.u64 %rd3, total; cvta.global.u64 %rd2, %rd3; st.u32 [%rd2], %r1;", "ld"));
}

TEST_CASE("a load is verified where a swap of its word takes it for the old value") {
  const auto verified = [](const std::string& body) { return has(uses(body, "ld"), LoadUse::validated); };
  const std::string swap = "atom.global.cas.b64 %rd6, [%rd5], %rd4, %rd7;";
  CHECK(verified("ld.global.u64 %rd4, [%rd5];" + swap));
  CHECK(verified("ld.global.u64 %rd4, [total]; mov.u64 %rd5, total;" + swap));
  CHECK(verified("ld.global.u64 %rd4, [%rd1+8]; add.s64 %rd5, %rd1, 8;" + swap));
  CHECK(verified("ld.global.f64 %fd1, [%rd5]; mov.b64 %rd4, %fd1; add.f64 %fd2, %fd1, %fd1;" + swap));
  CHECK(verified("ld.global.u64 %rd3, [%rd5]; mov.u64 %rd4, %rd3; LOOP:" + swap +
                 "setp.ne.s64 %p1, %rd6, %rd4; mov.u64 %rd4, %rd6; @%p1 bra LOOP;"));
  CHECK(verified("ld.global.u32 %r1, [%rd5]; cvt.u64.u32 %rd4, %r1;" + swap));
  const std::string element = "shl.b64 %rd2, %rd8, 3; add.s64 %rd3, %rd1, %rd2; ld.global.u64 %rd4, [%rd3];";
  const auto of = [](const std::string& index, const std::string& size) {
    return "shl.b64 %rd0, " + index + ", " + size + "; add.s64 %rd5, %rd1, %rd0;";
  };
  CHECK(verified(element + of("%rd8", "3") + swap));
  // As inline assembly has it: the element's address from the pointer before its conversion.
  const auto inline_swap = [&](const std::string& pointer) {
    return verified(
        "cvta.to.global.u64 %rd1, %rd2; add.s64 %rd3, %rd1, %rd8; ld.global.u64 %rd4, [%rd3];"
        "add.s64 %rd5, " +
        pointer + ", %rd8;" + swap);
  };
  CHECK(inline_swap("%rd2"));
  CHECK_FALSE(inline_swap("%rd7"));
  CHECK_FALSE(verified(element + of("%rd7", "3") + swap));
  CHECK_FALSE(verified(element + of("%rd8", "4") + swap));
  const std::string own =
      "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd1, %rd2; "
      "ld.global.u64 %rd4, [%rd3]; cvt.u64.u32 %rd0, %r2; add.s64 %rd5, %rd1, %rd0;";
  CHECK(verified(own + "mov.u32 %r2, %tid.x;" + swap));
  CHECK_FALSE(verified(own + "mov.u32 %r2, %tid.y;" + swap));
  CHECK_FALSE(verified(own + "mov.u32 %r2, %clock;" + swap));
  CHECK_FALSE(verified("ld.global.u64 %rd4, [%rd1];" + swap));    // a load of another word
  CHECK_FALSE(verified("ld.global.u64 %rd4, [%rd5+8];" + swap));  // also of another word
  CHECK_FALSE(verified("ld.global.u64 %rd7, [%rd5];" + swap));    // the new value
  CHECK_FALSE(verified("ld.global.u64 %rd3, [%rd5]; add.u64 %rd4, %rd3, 1;" + swap));
}

TEST_CASE("a swap of constants takes a lock unless it acquires") {
  const auto takes = [](const std::string& body) { return has(uses(body, "atom"), LoadUse::takes_lock); };
  CHECK(takes("atom.global.cas.b32 %r1, [%rd1], 0, 1;"));
  CHECK(takes("mov.u32 %r2, 0; mov.u32 %r3, 1; atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"));
  CHECK_FALSE(takes("atom.global.cas.b32 %r1, [%rd1], 1, 1;"));  // only looks
  CHECK_FALSE(takes("atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1;"));
  CHECK_FALSE(takes("atom.global.cas.b32 %r1, [%rd1], 0, %r4;"));
  CHECK_FALSE(takes("atom.global.exch.b32 %r1, [%rd1], 1;"));
  const std::string waits = "setp.ne.s32 %p1, %r1, 0; @%p1 bra END; END:";
  CHECK(takes("atom.global.exch.b32 %r1, [%rd1], 1;" + waits));
  CHECK_FALSE(takes("atom.acquire.gpu.global.exch.b32 %r1, [%rd1], 1;" + waits));
  CHECK_FALSE(takes("atom.global.exch.b32 %r1, [%rd1], %r4;" + waits));
}
