// Which loads wait for a flag, and which rely on one.
#include "analysis/memory/flag_loads.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/sanitized.hpp"

using namespace warpgrade;

namespace {

emulator::FlagLoads roles(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n" +
      body + "\nret; }");
  emulator::FlagLoads found;
  emulator::add_flag_loads(module.functions.at(0), 100, found);
  return found;
}
bool polls(const std::string& body) { return !roles(body).polls.empty(); }
bool untested(const std::string& body) { return !roles(body).untested.empty(); }

const std::string kLoad = "ld.volatile.global.u32 %r1, [%rd1];", kTest = "setp.eq.s32 %p1, %r1, 0;";

}  // namespace

TEST_CASE("a load polls that is repeated at one address until its value lets the loop end") {
  CHECK(polls("WAIT: " + kLoad + kTest + "@%p1 bra WAIT;"));
  CHECK(polls("WAIT: ld.relaxed.gpu.global.u32 %r1, [%rd1];" + kTest + "@%p1 bra WAIT;" + kLoad));
  CHECK(roles("WAIT: " + kLoad + kTest + "@%p1 bra WAIT;").polls.contains(100));
  CHECK_FALSE(polls(kLoad + kTest + "@%p1 bra END; END:"));
  CHECK_FALSE(polls("WAIT: " + kLoad + "setp.eq.s32 %p1, %r2, 0; @%p1 bra WAIT;"));
}

TEST_CASE("a load polls where one way round the loop keeps the address and another one moves it") {
  const std::string next =
      "add.s64 %rd2, %rd1, -4; mov.u64 %rd1, %rd2; setp.ge.s32 %p2, %r2, 0; @%p2 bra NEXT;";
  const std::string start = "mov.u64 %rd1, %rd5; NEXT: ";
  CHECK(polls(start + kLoad + kTest + "@%p1 bra NEXT;" + next));
  CHECK_FALSE(polls(start + kLoad + kTest + "@%p1 bra END;" + next + "END:"));
}

TEST_CASE("a walk along links is no wait") {
  CHECK_FALSE(
      polls("NEXT: ld.volatile.global.u64 %rd2, [%rd1]; setp.eq.s64 %p1, %rd2, %rd1; @%p1 bra END;"
            "mov.u64 %rd1, %rd2; bra NEXT; END:"));
}

TEST_CASE("a word is tested where a comparison, a vote or another function gets bits of it") {
  CHECK(untested(kLoad + "st.shared.u32 [%r2], %r1;"));
  CHECK(untested(kLoad + "add.s32 %r3, %r1, %r2; setp.lt.s32 %p1, %r3, 0;"));
  CHECK_FALSE(untested(kLoad + kTest));
  CHECK_FALSE(untested(kLoad + "shr.u32 %r2, %r1, 30; setp.eq.s32 %p1, %r2, 0;"));
  CHECK_FALSE(untested(kLoad + "add.s32 %r2, %r1, -1; setp.eq.s32 %p1, %r2, 0;"));
  CHECK_FALSE(untested("ld.global.u32 %r1, [%rd1];"));
  // The register held something else before.
  CHECK(untested("mov.u32 %r2, %r1; setp.eq.s32 %p1, %r2, 0; @%p1 bra END;" + kLoad +
                 "END: st.shared.u32 [%r3], %r1;"));
}

TEST_CASE("an atomic that counts arrives where a comparison for equality gets its value") {
  const auto arrives = [](const std::string& body) { return !roles(body + kLoad).arrivals.empty(); };
  const std::string count = "atom.global.add.u32 %r3, [%rd1], 1;";
  CHECK(arrives(count + "setp.eq.s32 %p1, %r3, %r4;"));
  CHECK(arrives(count + "add.s32 %r5, %r3, 1; mov.u32 %r6, %r5; setp.ne.s32 %p1, %r6, %r4;"));
  CHECK_FALSE(arrives(count + "setp.lt.s32 %p1, %r3, %r4;"));  // a number that is drawn
  CHECK_FALSE(arrives(count + "shr.u32 %r5, %r3, 1; setp.eq.s32 %p1, %r5, %r4;"));
  CHECK_FALSE(arrives("atom.global.exch.b32 %r3, [%rd1], 1; setp.eq.s32 %p1, %r3, 0;"));
}

TEST_CASE("the search ends in a function of thousands of waits") {
  if (is_sanitized()) return;  // it takes seconds, and the other cases run the same code
  constexpr std::size_t kWaits = 6000;
  std::string body;
  for (std::size_t i = 0; i < kWaits; ++i) {
    const std::string label = "WAIT" + std::to_string(i);
    body += label + ": " + kLoad + kTest + "@%p1 bra " + label + ";";
  }
  const std::size_t found = roles(body).polls.size();
  CHECK(found > 0);
  CHECK(found < kWaits);
}

TEST_CASE("a load is early whose value is used only behind a load that polls") {
  const std::string data = "ld.relaxed.gpu.global.u32 %r3, [%rd2];", use = "st.global.u32 [%rd3], %r3;",
                    wait = "WAIT: ld.acquire.gpu.global.u32 %r1, [%rd1];" + kTest + "@%p1 bra WAIT;";
  const auto early = [](const std::string& body) { return !roles(body).early.empty(); };
  CHECK(roles(data + wait + use).early.contains(100));
  CHECK(early("WAIT: " + data + kLoad + kTest + "@%p1 bra WAIT;" + use));
  CHECK(early(data + "mov.u32 %r4, %r3;" + wait + "st.global.u32 [%rd3], %r4;"));
  CHECK_FALSE(early(wait + data + use));
  CHECK_FALSE(early(data + use + wait + use));
  CHECK_FALSE(early(data + "setp.eq.s32 %p2, %r2, 0; @%p2 bra END;" + wait + "END:" + use));
  CHECK_FALSE(early(data + wait));  // nothing uses it
  CHECK_FALSE(early(data + use));
}
