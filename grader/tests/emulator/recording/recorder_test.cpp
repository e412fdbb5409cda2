// A recorded launch gives the results and findings of one that is not recorded, and each step once.
#include "recording/recorder.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "machine/launch.hpp"
#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/gpu_limits.hpp"

using namespace warpgrade;

namespace {

// Two warps write a word each, meet, and read the other's; without the barrier they race. Lanes 0 to 3
// diverge.
constexpr const char* kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry work(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  BARRIER
  xor.b32 %r5, %r2, 128;
  add.u32 %r5, %r3, %r5;
  ld.shared.u32 %r6, [%r5];
  setp.ge.u32 %p1, %r1, 4;
  @%p1 bra done;
  add.u32 %r6, %r6, 100;
done:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
)";

struct Launched {
  emulator::LaunchResult result;
  std::uint32_t out[64] = {};
};

Launched run(const std::string& barrier, std::optional<emulator::RecordingRequest> record) {
  std::string text = kText;
  text.replace(text.find("BARRIER"), 7, barrier);
  emulator::DeviceMemory memory(1 << 20);
  const auto program = emulator::Program::load(ptx::parse(text), memory);
  emulator::LaunchRequest request;
  request.kernel = program->find_kernel("work");
  request.grid = {2, 1, 1};
  request.block = {64, 1, 1};
  emulator::Allocation* out = memory.allocate(256, emulator::Allocation::Kind::device, "out");
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out->base, 8);
  request.parameters = parameters;
  emulator::LaunchOptions options;
  options.record = record;
  Launched launched;
  launched.result = emulator::launch(request, memory, stage::h200(), options);
  std::memcpy(launched.out, out->data(), sizeof launched.out);
  return launched;
}

}  // namespace

TEST_CASE("a recording changes nothing: results and findings are those of an unrecorded launch") {
  for (const char* barrier : {"bar.sync 0;", ""}) {
    CAPTURE(barrier);
    const Launched plain = run(barrier, {}), recorded = run(barrier, emulator::RecordingRequest{});
    CHECK(std::memcmp(plain.out, recorded.out, sizeof plain.out) == 0);
    REQUIRE(plain.result.findings.size() == recorded.result.findings.size());
    for (std::size_t i = 0; i < plain.result.findings.size(); ++i)
      CHECK(plain.result.findings[i].message == recorded.result.findings[i].message);
    CHECK_FALSE(plain.result.recording.has_value());
    REQUIRE(recorded.result.recording.has_value());
    CHECK(recorded.result.recording->complete);
    CHECK_FALSE(recorded.result.recording->failed);
  }
}

TEST_CASE("a recording keeps the window that was asked for") {
  const std::uint64_t all = run("bar.sync 0;", emulator::RecordingRequest{}).result.recording->all;
  CHECK(all >= 20);
  emulator::RecordingRequest window;
  window.first = 10;
  window.most = 5;
  const Launched cut = run("bar.sync 0;", window);
  CHECK(cut.result.recording->steps == 5);
  CHECK(cut.result.recording->all == all);
  CHECK_FALSE(cut.result.recording->complete);
  window.block = {7, 0, 0};
  CHECK_FALSE(run("bar.sync 0;", window).result.recording.has_value());
}
