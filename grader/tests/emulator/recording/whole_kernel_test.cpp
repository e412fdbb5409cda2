// A kernel of several blocks as nvcc -G compiles it, recorded whole: steps, window, names from debug
// information.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "machine/launch.hpp"
#include "machine/trace.hpp"
#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/checkout.hpp"
#include "tests/emulator/support/gpu_limits.hpp"

using namespace warpgrade;
using nlohmann::json;

namespace {

constexpr std::uint32_t kBlocks = 6, kThreads = 128, kCount = kBlocks * kThreads;

std::string ptx_text() {
  const std::string path = warpgrade::checkout() / "build/tests/kernels/recorded_debug.ptx";
  std::ifstream file(path);
  REQUIRE_MESSAGE(file, path, " is missing; type: make test-programs");
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Arguments {
  std::uint64_t in, out;
  std::int32_t turns, beyond;
  std::uint64_t total;
};

struct Launched {
  emulator::LaunchResult result;
  json head;  // of the recording, if there is one
  std::vector<float> out = std::vector<float>(4 * kCount);
};

Launched run(std::optional<emulator::RecordingRequest> record, int beyond = 0) {
  static const std::string text = ptx_text();
  emulator::DeviceMemory memory(std::size_t{1} << 24);
  const auto program = emulator::Program::load(ptx::parse(text), memory);
  const auto array = [&](std::size_t bytes) {
    emulator::Allocation* made = memory.allocate(bytes, emulator::Allocation::Kind::device);
    std::memset(made->data(), 0, bytes);
    return made;
  };
  emulator::Allocation *in = array(4 * kCount), *out = array(16 * kCount), *total = array(4);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto value = static_cast<float>(i % 17);
    std::memcpy(in->data() + std::size_t{4} * i, &value, 4);
  }
  const Arguments arguments{in->base, out->base, 5, beyond, total->base};
  std::vector<std::byte> parameters(sizeof arguments);
  std::memcpy(parameters.data(), &arguments, sizeof arguments);
  emulator::LaunchRequest request;
  request.kernel = program->find_kernel("recorded");
  request.grid = {kBlocks, 1, 1};
  request.block = {kThreads, 1, 1};
  request.parameters = parameters;
  emulator::LaunchOptions options;
  options.record = record;
  options.threads = 4;
  Launched launched;
  launched.result = emulator::launch(request, memory, stage::h200(), options);
  std::memcpy(launched.out.data(), out->data(), out->bytes);
  if (const auto& made = launched.result.recording)
    launched.head = json::parse(emulator::to_json(*made, request, emulator::traced_arrays(memory),
                                                  launched.result.findings, "a case", 1));
  return launched;
}

emulator::RecordingRequest of_block(std::uint32_t block) {
  emulator::RecordingRequest request;
  request.block = {block, 0, 0};
  return request;
}

std::vector<std::string> names(const json& rows) {
  std::vector<std::string> out;
  for (const json& each : rows) out.push_back(each["name"]);
  return out;
}

}  // namespace

TEST_CASE("whichever block is recorded, results are those of several workers, and no step is lost") {
  const Launched plain = run({});
  CHECK(plain.result.findings.empty());
  for (const std::uint32_t block : {0u, 3u, kBlocks - 1}) {
    CAPTURE(block);
    const Launched made = run(of_block(block));
    CHECK(made.out == plain.out);
    CHECK(made.result.findings.empty());
    REQUIRE(made.result.recording);
    const emulator::BlockRecording& recording = *made.result.recording;
    CHECK(recording.complete);
    CHECK(recording.steps == recording.all);
    CHECK(made.head["steps"] == recording.steps);
    CHECK(made.head["bytes"] == recording.bytes.size());
  }
}

TEST_CASE("the head names memory, parameters and variables as the source does") {
  const json head = run(of_block(1)).head;
  CHECK(names(head["pointers"]) == std::vector<std::string>{"in", "out", "options.total"});
  CHECK(head["pointers"][1]["to"]["name"] == "float4");
  CHECK(names(head["pointers"][1]["to"]["members"]) == std::vector<std::string>{"x", "y", "z", "w"});
  CHECK(names(head["arrays"]) == std::vector<std::string>{"allocation 1", "allocation 2", "allocation 3"});
  for (std::size_t i = 0; i < 3; ++i) CHECK(head["pointers"][i]["address"] == head["arrays"][i]["address"]);
  CHECK(head["shared"][0]["name"] == "tile");
  const std::vector<std::string> all = names(head["variables"]);
  for (const char* each : {"row", "column", "at", "kept", "turn", "other", "tile", "options"}) {
    CAPTURE(each);
    CHECK(std::find(all.begin(), all.end(), each) != all.end());
  }
}

TEST_CASE("a window of steps and of bytes holds what was asked for, wherever it is cut") {
  const std::uint64_t all = run(of_block(2)).result.recording->all;
  REQUIRE(all > 1000);
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, all / 2, all - 1, all + 10})
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{300}}) {
      CAPTURE(first);
      CAPTURE(most);
      emulator::RecordingRequest wanted = of_block(2);
      wanted.first = first;
      wanted.most = most;
      const Launched made = run(wanted);
      CHECK(made.head["all"] == all);
      CHECK(made.head["steps"] == std::min(most, all - std::min(first, all)));
      CHECK(made.head["complete"] == (first + most > all));
    }
  emulator::RecordingRequest small = of_block(2);
  small.most_bytes = 2000;
  const Launched made = run(small);
  CHECK_FALSE(made.head["complete"]);
  CHECK(made.head["bytes"] >= 2000);
  CHECK(made.head["bytes"] < 4000);  // and the step that passed the limit
}

TEST_CASE("a fault in the recorded block is its last step, one in another block ends nothing of it") {
  const Launched failed = run(of_block(kBlocks - 1), 1);
  CHECK(failed.head["failed"]);
  CHECK(failed.head["complete"]);
  REQUIRE(failed.head["findings"].size() == 1);
  CHECK(failed.head["findings"][0]["code"] == "WG101");
  const Launched before = run(of_block(1), 1);
  CHECK_FALSE(before.head["failed"]);
  CHECK(before.head["complete"]);
}
