#include "isa/attribute.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

#include "isa/operation.hpp"

using namespace warpgrade;
using enum isa::Attribute;

namespace {

ptx::Instruction of(const char* form) {
  ptx::Instruction instruction;
  instruction.set_form(form);
  return instruction;
}
bool is(const char* form, isa::Attribute one) { return isa::is(of(form), one); }

}  // namespace

TEST_CASE("every opcode and modifier of the operation table is interned, and every opcode has a row") {
  std::set<ptx::Opcode> seen;
  for (const isa::Operation& row : isa::table()) {
    const std::string_view form(row.form);
    ptx::Instruction instruction;
    instruction.set_form(std::string(form.substr(0, form.find(' '))));
    CHECK_MESSAGE(instruction.opcode != ptx::Opcode::unknown, std::string_view(row.form));
    CHECK_MESSAGE(!instruction.has(ptx::Modifier::unknown), std::string_view(row.form));
    seen.insert(instruction.opcode);
  }
  CHECK(seen.size() == static_cast<std::size_t>(ptx::Opcode::kCount) - 1);
}

TEST_CASE("attributes are those of the row, with the modifiers that choose it anywhere in the form") {
  CHECK(is("ld.global.nc.v4.f32", load));
  CHECK_FALSE(is("st.global.f32", load));
  CHECK(is("red.global.add.u32", no_result));
  CHECK_FALSE(is("atom.global.add.u32", no_result));
  CHECK(is("bar.sync", no_result));
  CHECK_FALSE(is("barrier.cta.red.popc.aligned.u32", no_result));
  CHECK(is("bar.warp.sync", member_mask));
  CHECK_FALSE(is("bar.sync", member_mask));
  CHECK(is("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", no_result));
  CHECK_FALSE(is("mbarrier.arrive.expect_tx.shared::cta.b64", no_result));
  CHECK(is("mbarrier.try_wait.parity.shared::cta.b64", repeatable));
  CHECK(is("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", matrix_load));
  CHECK(is("wmma.store.d.sync.aligned.row.m16n16k16.global.f32", writes_global));
  CHECK(is("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", exchange));
  CHECK_FALSE(is("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", exchange));
  CHECK(is("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", collective));
  CHECK(is("cp.async.ca.shared.global", no_global_write));
  CHECK_FALSE(is("cp.async.bulk.global.shared::cta.bulk_group", no_global_write));
}

TEST_CASE("an opcode without the modifiers of any of its rows has the attributes of its most general row") {
  CHECK(is("brx", branch));
  CHECK(is("shfl.b32", exchange));
}

TEST_CASE("arithmetic can be repeated but for what uses the carry flag; unknown opcodes have no attribute") {
  CHECK(is("add.s32", repeatable));
  CHECK(is("rcp.approx.f32", repeatable));
  CHECK_FALSE(is("addc.u32", repeatable));
  for (const isa::Attribute one : {repeatable, load, no_result, ends_block})
    CHECK_FALSE(is("frobnicate.b32", one));
}
