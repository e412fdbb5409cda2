#include "machine/trace.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machine/memory/device_memory.hpp"
#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("the trace of one block, in the order of execution") {
  for (const int workers : {1, 3}) {
    KernelRun run("observe_faults");
    run.options.check_race = run.options.check_init = run.options.count = false;
    run.options.threads = workers;
    run.options.trace = true;
    run.options.trace_block = {2, 0, 0};
    const std::uint64_t out = run.buffer(std::vector<float>(64));
    const auto& trace = run.launch("uninitialised_shared", {4}, {64}, out).trace;
    REQUIRE(trace.size() == 2 + 1 + 2 * 2);
    const auto json = [&](std::size_t i) {
      return nlohmann::json::parse(
          to_json(trace[i], "label", 1, *run.program->find_kernel("uninitialised_shared")));
    };
    CHECK(json(0).at("kind") == "shared store");
    CHECK(json(0).at("warp") == 0);
    CHECK(json(0).at("bytes") == 4);
    CHECK(json(0).at("addresses").at(31) == "0x7c");
    CHECK(json(1).at("warp") == 1);
    CHECK(json(1).at("addresses").at(27) == "0xec");
    CHECK(json(1).at("addresses").at(28).is_null());
    CHECK(json(2).at("kind") == "barrier");
    CHECK(json(2).at("warp").is_null());
    CHECK(json(2).at("addresses").empty());
    CHECK(json(3).at("kind") == "shared load");
    CHECK(json(3).at("line") == line_of("observe_faults", "uninitialised_shared"));
  }
}

TEST_CASE("without being asked for there is no trace") {
  KernelRun run("observe_faults");
  const std::uint64_t out = run.buffer(std::vector<float>(64));
  CHECK(run.launch("missing_first_barrier", {1}, {64}, out).trace.empty());
}

TEST_CASE("a launch is written before its events, with its parameters, shared arrays and named arrays") {
  KernelRun run("observe_faults");
  const std::uint64_t out = run.buffer(std::vector<float>(64));
  std::vector<std::byte> parameters(sizeof out);
  std::memcpy(parameters.data(), &out, sizeof out);
  LaunchRequest request;
  request.kernel = run.program->find_kernel("uninitialised_shared");
  request.grid = {4};
  request.block = {64};
  request.parameters = parameters;
  const auto json = nlohmann::json::parse(to_json(request, {{"A", 0x7f0000000100, 64}}, "label", 3));
  CHECK(json.at("kind") == "launch");
  CHECK(json.at("launch") == 3);
  CHECK(json.at("grid") == nlohmann::json({4, 1, 1}));
  CHECK(json.at("block") == nlohmann::json({64, 1, 1}));
  REQUIRE(json.at("parameters").size() == 1);
  CHECK(std::stoull(json.at("parameters").at(0).get<std::string>(), nullptr, 16) == out);
  REQUIRE(json.at("shared").size() == 1);
  CHECK(json.at("shared").at(0).at("offset") == 0);
  CHECK(json.at("shared").at(0).at("name") == "tile");
  CHECK(json.at("arrays") ==
        nlohmann::json::array({{{"name", "A"}, {"address", "0x7f0000000100"}, {"bytes", 64}}}));
}

TEST_CASE("named arrays are those in device memory that the host has named, without their guard bands") {
  DeviceMemory memory(1 << 20);
  Allocation* first = memory.allocate(1000, Allocation::Kind::device, "first");
  memory.allocate(100, Allocation::Kind::device);
  memory.allocate(8, Allocation::Kind::module_global, "counter");
  memory.allocate(16, Allocation::Kind::managed, "shared");
  memory.release(memory.allocate(16, Allocation::Kind::device, "gone")->base);
  first->open_begin = first->base + 256;
  first->open_end = first->base + 512;
  const std::vector<TracedArray> found = traced_arrays(memory);
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "first");
  CHECK(found[0].address == first->base + 256);
  CHECK(found[0].bytes == 256);
  CHECK(found[1].name == "shared");
}
