#include "checks/global_race/writable_allocations.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;
using emulator::WritableAllocations;

namespace {

// A kernel that reads through its first pointer and writes through its second, and a variable that is
// written.
struct Stage {
  emulator::DeviceMemory memory{std::size_t{1} << 24};
  std::unique_ptr<emulator::Program> program = emulator::Program::load(
      ptx::parse(".version 8.0\n.target sm_75\n.address_size 64\n.global .b32 total;\n.global .b32 limit;\n"
                 ".visible .entry k(.param .u64 from, .param .u64 to) {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                 "ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to]; ld.global.u32 %r1, [%rd1];\n"
                 "ld.global.u32 %r2, [limit]; st.global.u32 [%rd2], %r1; st.global.u32 [total], %r2; ret; }"),
      memory);
  emulator::Allocation* one = memory.allocate(4096, emulator::Allocation::Kind::device);
  emulator::Allocation* other = memory.allocate(4096, emulator::Allocation::Kind::device);

  WritableAllocations of(std::uint64_t from, std::uint64_t to) {
    const std::uint64_t arguments[2] = {from, to};
    emulator::LaunchRequest request;
    request.kernel = program->find_kernel("k");
    request.parameters = std::as_bytes(std::span(arguments));
    const emulator::WrittenGlobals& written = program->impl().code(*request.kernel, {true, false}).written;
    return WritableAllocations(written, request, memory);
  }
};

}  // namespace

TEST_CASE("arrays are written that the launch's pointers lead to") {
  Stage stage;
  const WritableAllocations written = stage.of(stage.one->base, stage.other->base + 1024);
  CHECK_FALSE(written.may_be(stage.one));
  CHECK(written.may_be(stage.other));
  CHECK(written.may_be(nullptr));  // several
  CHECK(written.may_be(stage.program->find_variable("total")));
  CHECK_FALSE(written.may_be(stage.program->find_variable("limit")));
}

TEST_CASE("one array may be read and written") {
  Stage stage;
  CHECK(stage.of(stage.one->base, stage.one->base + 64).may_be(stage.one));
}

TEST_CASE("a pointer beside every array leads to any of them, and none to none") {
  Stage stage;
  CHECK(stage.of(stage.one->base, stage.other->base - 4).may_be(stage.one));
  CHECK_FALSE(stage.of(stage.one->base, 0).may_be(stage.one));
}
