// Liveness, and the number of slots for code that is nearly in SSA form.
#include "analysis/registers/register_allocation.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "analysis/flow/def_use.hpp"
#include "machine/warp.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

struct Analysed {
  ptx::Function function;
  std::vector<emulator::LiveInterval> intervals;
  emulator::RegisterSlots slots;
  std::size_t index(const std::string& name) const {
    for (std::size_t r = 0; r < function.registers.size(); ++r) {
      if (function.registers[r].name == name) return r;
    }
    return 0;
  }
  std::uint32_t slot(const std::string& name) const { return slots.slot[index(name)]; }
};

Analysed analyse(const std::string& body) {
  Analysed made;
  made.function =
      ptx::parse(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n" +
                 body + "\n}")
          .functions[0];
  const emulator::ControlFlow flow = emulator::build_control_flow(made.function);
  made.intervals = emulator::find_live_intervals(made.function, flow,
                                                 std::vector<bool>(made.function.registers.size(), false));
  made.slots = emulator::assign_slots(made.function, made.intervals);
  return made;
}

}  // namespace

TEST_CASE("thousands of registers that live briefly share two slots") {
  std::string body = ".reg .b32 %r<4002>;\nmov.u32 %r0, 1;\n";
  for (int i = 1; i < 4000; ++i)
    body += "add.u32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", 1;\n";
  const Analysed made = analyse(body + "ret;");
  CHECK(made.slots.bytes <= 2 * 128);
}

TEST_CASE("two values that live at the same time have slots of their own") {
  const Analysed made = analyse(R"(.reg .b32 %a, %b, %c, %d;
    mov.u32 %a, 1; mov.u32 %b, 2; add.u32 %c, %a, %b; add.u32 %d, %c, %b; add.u32 %d, %d, %a; ret;)");
  CHECK(made.slot("%a") != made.slot("%b"));
  CHECK(made.slot("%c") != made.slot("%a"));
  CHECK(made.slot("%c") != made.slot("%b"));
}

TEST_CASE("a value that the next iteration needs is live throughout the loop") {
  const Analysed made = analyse(R"(.reg .b32 %keep, %t<3>; .reg .pred %p;
    mov.u32 %keep, 1;
  again: add.u32 %t0, %keep, 1;
    mov.u32 %t1, 5;
    add.u32 %t2, %t1, %t0;
    setp.lt.u32 %p, %t2, 9;
    @%p bra again;
    ret;)");
  for (const char* other : {"%t0", "%t1", "%t2"}) CHECK(made.slot(other) != made.slot("%keep"));
}

TEST_CASE("a guarded write does not end the value before it") {
  const Analysed made = analyse(R"(.reg .b32 %a, %b, %c; .reg .pred %p;
    mov.u32 %a, 1; setp.eq.u32 %p, %a, 0; mov.u32 %b, 3; mov.u32 %c, %b; @%p mov.u32 %a, 2; add.u32 %c, %a, %c; ret;)");
  CHECK(made.slot("%b") != made.slot("%a"));
  CHECK(made.slot("%c") != made.slot("%a"));
}

TEST_CASE("registers that may be read before they are written are zeroed") {
  const Analysed made = analyse(R"(.reg .b32 %a, %b; .reg .pred %p;
    @%p mov.u32 %a, 1; mov.u32 %b, 2; add.u32 %b, %a, %b; ret;)");
  CHECK(made.intervals[made.index("%a")].before_entry);
  CHECK_FALSE(made.intervals[made.index("%b")].before_entry);
  CHECK(made.slots.zeroed.size() == 2);  // %a and %p
}

TEST_CASE("the elements of a vector load do not share a slot with its address") {
  const Analysed made = analyse(R"(.reg .b64 %x, %y, %at;
    mov.u64 %at, 64; ld.global.v2.u64 {%x, %y}, [%at]; st.global.u64 [%x], %y; ret;)");
  CHECK(made.slot("%x") != made.slot("%at"));
  CHECK(made.slot("%y") != made.slot("%at"));
}

TEST_CASE("registers that an instruction reads and writes") {
  auto used = [](const std::string& text) {
    const ptx::Function function = ptx::parse(
                                       ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry "
                                       "k(.param .u64 p) {\n.reg .b32 %a, %b, %c, %d; .reg "
                                       ".b64 %x; .reg .pred %p, %q;\n" +
                                       text + " ret; }")
                                       .functions[0];
    const emulator::RegistersUsed both = emulator::registers_used(function.instructions[0]);
    std::string found;
    for (std::int32_t r : both.written) found += function.registers[static_cast<std::size_t>(r)].name;
    found += "<";
    for (std::int32_t r : both.read) found += function.registers[static_cast<std::size_t>(r)].name;
    return found;
  };
  CHECK(used("add.u32 %a, %b, %c;") == "%a<%b%c");
  CHECK(used("@%p st.global.u32 [%x], %a;") == "<%p%x%a");
  CHECK(used("ld.global.v2.u32 {%a, %b}, [%x+4];") == "%a%b<%x");
  CHECK(used("setp.lt.and.u32 %p|%q, %a, %b, !%p;") == "%p%q<%a%b%p");
  CHECK(used("shfl.sync.down.b32 %a|%p, %b, %c, 31, -1;") == "%a%p<%b%c");
  CHECK(used("atom.global.add.u32 %a, [%x], %b;") == "%a<%x%b");
  CHECK(used("red.global.add.u32 [%x], %b;") == "<%x%b");
  CHECK(used("bar.red.popc.u32 %a, 0, %p;") == "%a<%p");
  CHECK(used("bar.sync %a, %b;") == "<%a%b");
}
