// The look-up in the operation table, as the decoder does it.
#include "isa/operation.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "isa/form.hpp"
#include "isa/operands.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

// The instructions of a kernel with registers %h (b16), %r (b32), %d (b64), %f, %g (f64), %p.
ptx::Function body(const std::string& text) {
  const std::string head =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .pred %p<5>; .reg .b16 %h<5>; .reg .b32 %r<6>; .reg .b64 %d<5>;\n"
      ".reg .f32 %f<5>; .reg .f64 %g<5>; .reg .b128 %q<3>;\n";
  return ptx::parse(head + text + "\nret;\n}\n").functions.at(0);
}
const isa::Operation* look_up(const std::string& text) {
  const ptx::Function function = body(text);
  return isa::find(function.instructions.at(0), function);
}
std::string form(const std::string& text) {
  const isa::Operation* row = look_up(text);
  return row == nullptr ? "none" : row->form;
}

}  // namespace

TEST_CASE("find: the form is the row's name") {
  CHECK(form("add.s32 %r1, %r2, 3;") == "add.s32");
  CHECK(form("fma.rn.f32 %f1, %f2, %f3, %f4;") == "fma.rn.f32");
  CHECK(form("fma.rn.f32x2 %d1, %d2, %d3, %d4;") == "fma.rn.f32x2");
  CHECK(form("fma.rn.sat.f32x2 %d1, %d2, %d3, %d4;") == "none");
  CHECK(form("fma.f32x2 %d1, %d2, %d3, %d4;") == "none");
  CHECK(form("fma.rn.f32.bf16 %f1, %h1, %h2, %f2;") == "fma.rn.f32.bf16");
  CHECK(form("fma.f32.bf16 %f1, %h1, %h2, %f2;") == "none");
  CHECK(form("mul.wide.s32 %d1, %r1, 4;") == "mul.wide.s32");
  CHECK(form("setp.lt.and.f32 %p1, %f1, %f2, %p2;") == "setp.lt.and.f32");
  CHECK(form("mov.u32 %r1, %tid.x;") == "mov.u32");
  CHECK(form("cvt.rn.f16x2.f32 %r1, %f1, %f2;") == "cvt.rn.f16x2.f32");
  CHECK(form("cvt.rn.f16x2.e4m3x2 %r1, %h1;") == "cvt.rn.f16x2.e4m3x2");
}

TEST_CASE("find: modifiers in another order, types in theirs") {
  CHECK(form("add.ftz.rn.f32 %f1, %f2, %f3;") == "add.rn.ftz.f32");
  CHECK(form("setp.lt.ftz.and.f32 %p1, %f1, %f2, %p2;") == "setp.lt.and.ftz.f32");
  CHECK(form("cvt.u32.s64 %r1, %d1;") == "cvt.u32.s64");
  CHECK(form("cvt.s64.u32 %d1, %r1;") == "cvt.s64.u32");
}

TEST_CASE("find: the operands decide where the name does not") {
  CHECK(form("mov.b64 %d1, {%r1, %r2};") == "mov.b64 r, {a, b}");
  CHECK(form("mov.b64 {%r1, %r2}, %d1;") == "mov.b64 {a, b}, r");
  CHECK(form("mov.b64 {%h1, %h2, %h3, %h4}, %d1;") == "mov.b64 {a, b, c, d}, r");
  CHECK(form("mov.b64 {_, %r2}, %d1;") == "mov.b64 {a, b}, r");
  CHECK(form("mov.b128 %q1, {%d1, %d2};") == "mov.b128 r, {a, b}");
  CHECK(form("min.f32 %f1, %f2, %f3;") == "min.f32");
  CHECK(form("min.f32 %f1, %f2, %f3, %f4;") == "min.f32 d, a, b, c");
}

TEST_CASE("find: the registers' declared widths choose among the rows of cvt") {
  const isa::Operation* narrow = look_up("cvt.s32.s8 %r1, %h1;");
  const isa::Operation* wide = look_up("cvt.s32.s8 %r1, %r2;");
  REQUIRE(narrow != nullptr);
  REQUIRE(wide != nullptr);
  CHECK((narrow->handler != wide->handler));
  CHECK(isa::lane_bytes(narrow->operands[1]) == 2);
  CHECK(isa::lane_bytes(wide->operands[1]) == 4);
  CHECK(isa::lane_bytes(look_up("cvt.u8.u32 %d1, %d2;")->operands[0]) == 8);
  CHECK(form("add.s32 %r1, %d2, %r3;") == "none");  // no such row: widths must agree
}

TEST_CASE("find: what exec runs itself is found by the beginning of its name") {
  const isa::Operation* load = look_up("ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];");
  REQUIRE(load != nullptr);
  CHECK(load->form == std::string("ld"));
  CHECK(load->shape == isa::Shape::memory);
  CHECK((load->handler == nullptr));
  CHECK(look_up("bar.sync 0;")->shape == isa::Shape::barrier);
  CHECK(look_up("bar.warp.sync -1;")->form == std::string("bar.warp.sync"));
  CHECK(look_up("shfl.sync.bfly.b32 %r1|%p1, %r2, %r3, 31, -1;")->form == std::string("shfl.sync"));
  CHECK(look_up("atom.global.add.u32 %r1, [%d1], 1;")->counts == isa::CounterClass::atomic);
  CHECK(look_up("bra.uni L;\nL:")->shape == isa::Shape::control);
}

TEST_CASE("find: null for a form that the table lacks") {
  CHECK(form("add.f99 %r1, %r2, %r3;") == "none");
  CHECK(form("frobnicate.b32 %r1, %r2;") == "none");
}

TEST_CASE("the table is sorted, every row complete, no form and operand widths twice") {
  std::set<std::string> seen;
  std::string_view previous;
  for (const isa::Operation& row : isa::table()) {
    CHECK(previous <= row.form);
    previous = row.form;
    CHECK((row.handler != nullptr) == (row.shape == isa::Shape::lanewise));
    CHECK(std::string_view(row.section).starts_with("9.7."));
    // The order of the modifiers row and col has a meaning; the order of all others has none.
    std::string key = row.form;
    if (row.shape != isa::Shape::matrix) {
      key.clear();
      for (const char16_t each : isa::key_of(row.form)) key += std::to_string(int{each}) + '.';
    }
    for (const ptx::Type type : row.operands) key += ' ' + std::to_string(isa::lane_bytes(type));
    CHECK_MESSAGE(seen.insert(key).second, std::string_view(row.form), " stands twice");
  }
}
