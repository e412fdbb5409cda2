// The text of findings, from end to end: kernels with one mistake each.
#include <doctest/doctest.h>

#include "findings/format_text.hpp"
#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

struct Faults : KernelRun {
  Faults() : KernelRun("observe_faults") {}
  const Finding& only() const {
    REQUIRE(result.findings.size() == 1);
    return result.findings[0];
  }
  void at(const Site& site, const std::string& mark) const {
    CHECK(site.line == line_of("observe_faults", mark));
    CHECK(site.file.ends_with("observe_faults.cu"));
  }
};

}  // namespace

TEST_CASE("a read past the end of its allocation") {
  Faults run;
  const std::uint64_t in = run.buffer(std::vector<float>(100, 1.0f), "in"),
                      out = run.buffer(std::vector<float>(100));
  CHECK(run.launch("read_past_end", {1}, {128}, in, out, 100).status == LaunchStatus::illegal_address);
  const Finding& finding = run.only();
  CHECK(finding.kind == FindingKind::out_of_bounds_read);
  run.at(finding.site, "read_past_end");
  CHECK(finding.site.thread.x == 100);
  CHECK(finding.lanes == 1);
  CHECK(finding.memory.allocation == "in");
  CHECK(finding.memory.allocation_bytes == 400);
  CHECK(finding.memory.relation == Placement::after);
  CHECK(finding.memory.distance == 0);
  CHECK(finding.message ==
        "read of 4 bytes out of bounds in global memory: 0 bytes past the end of in (400 bytes)");
}

TEST_CASE("guard bands are out of bounds for kernels") {
  Faults run;
  const std::uint64_t base = run.buffer(std::vector<float>(300, 1.0f), "in"),
                      out = run.buffer(std::vector<float>(100));
  Allocation* in = run.memory.find(base);
  in->open_begin = base + 400;
  in->open_end = base + 800;
  CHECK(run.launch("read_past_end", {1}, {128}, base + 400, out, 100).status ==
        LaunchStatus::illegal_address);
  CHECK(run.only().memory.allocation_bytes == 400);
  CHECK(run.only().memory.distance == 0);
  CHECK(run.launch("copy_one", {1}, {32}, base + 400 - 8, out).status == LaunchStatus::illegal_address);
  CHECK(run.only().memory.relation == Placement::before);
  CHECK(run.only().memory.distance == -8);
  CHECK(run.only().lanes == 2);
}

TEST_CASE("a write before the start: the lowest lane is reported, and all are counted") {
  Faults run;
  const std::uint64_t out = run.buffer(std::vector<float>(64), "out");
  CHECK(run.launch("write_before_start", {1}, {64}, out).status == LaunchStatus::illegal_address);
  CHECK(run.only().kind == FindingKind::out_of_bounds_write);
  run.at(run.only().site, "write_before_start");
  CHECK(run.only().site.thread.x == 0);
  CHECK(run.only().lanes == 3);
  CHECK(run.only().memory.distance == -12);
}

TEST_CASE("a float4 at an odd float is misaligned") {
  Faults run;
  const std::uint64_t in = run.buffer(std::vector<float>(100), "in"),
                      out = run.buffer(std::vector<float>(100));
  CHECK(run.launch("misaligned_vector", {1}, {32}, in, out).status == LaunchStatus::misaligned_address);
  CHECK(run.only().kind == FindingKind::misaligned);
  CHECK(run.only().site.thread.x == 1);
  CHECK(run.only().memory.bytes == 16);
  run.at(run.only().site, "misaligned_vector");
}

TEST_CASE("shared memory past its end names the array") {
  Faults run;
  const std::uint64_t out = run.buffer(std::vector<float>(64));
  CHECK(run.launch("shared_past_end", {1}, {32}, out, 32).status == LaunchStatus::success);
  CHECK(run.launch("shared_past_end", {1}, {32}, out, 1000).status == LaunchStatus::illegal_address);
  CHECK(run.only().memory.space == "shared");
  CHECK(run.only().memory.relation == Placement::after);
  CHECK(run.only().memory.allocation.starts_with("shared array "));
  run.at(run.only().site, "shared_past_end");
  run.launch("generic_shared_past_end", {1}, {32}, out, 1000);
  CHECK(run.only().memory.space == "shared");
}

TEST_CASE("pointers that are no good") {
  Faults run;
  const std::uint64_t good = run.buffer(std::vector<float>(64)),
                      gone = run.buffer(std::vector<float>(64), "gone");
  run.launch("copy_one", {1}, {32}, std::uint64_t{0}, good);
  CHECK(run.only().kind == FindingKind::null_pointer);
  std::vector<float> host(64);
  run.launch("copy_one", {1}, {32}, reinterpret_cast<std::uint64_t>(host.data()), good);
  CHECK(run.only().kind == FindingKind::host_pointer);
  run.launch("copy_one", {1}, {32}, std::uint64_t{0xdead'0000'5678'9ab0}, good);
  CHECK(run.only().kind == FindingKind::wild_pointer);
  run.memory.release(gone);
  run.launch("copy_one", {1}, {32}, gone, good);
  CHECK(run.only().kind == FindingKind::use_after_free);
  CHECK(run.only().memory.allocation == "gone");
}

TEST_CASE("bounds hold with all checks off, without a finding") {
  Faults run;
  run.options.check_memory = run.options.check_race = run.options.check_init = run.options.count = false;
  const std::uint64_t out = run.buffer(std::vector<float>(64));
  CHECK(run.launch("copy_one", {1}, {32}, out + 200, out).status == LaunchStatus::illegal_address);
  CHECK(run.result.findings.empty());
}

TEST_CASE("missing barriers") {
  Faults run;
  const std::uint64_t in = run.buffer(std::vector<float>(640, 1.0f)),
                      out = run.buffer(std::vector<float>(128));
  CHECK(run.launch("missing_first_barrier", {2}, {64}, out).status == LaunchStatus::success);
  CHECK(run.only().kind == FindingKind::race_read_write);
  run.at(run.only().site, "missing_first_barrier write");
  run.at(run.only().other, "missing_first_barrier read");
  CHECK(run.only().site.thread.x + run.only().other.thread.x == 63);
  CHECK(run.only().times > 2);
  CHECK(run.only().site.block.x == 0);
  CHECK(run.only().memory.allocation == "shared array tile");
  run.launch("missing_second_barrier", {1}, {64}, in, out, 3);
  CHECK(run.only().kind == FindingKind::race_read_write);
  run.at(run.only().site, "missing_second_barrier read");
  run.at(run.only().other, "missing_second_barrier write");
  run.launch("missing_second_barrier", {1}, {64}, in, out, 1);
  CHECK(run.result.findings.empty());
}

TEST_CASE("unwritten memory") {
  Faults run;
  const std::uint64_t out = run.buffer(std::vector<float>(64));
  run.launch("uninitialised_shared", {1}, {64}, out);
  CHECK(run.only().kind == FindingKind::uninitialised_read);
  CHECK(run.only().site.thread.x == 60);
  CHECK(run.only().lanes == 4);
  CHECK(run.only().memory.distance == 240);
  run.at(run.only().site, "uninitialised_shared");
  const std::uint64_t raw = run.raw(256, "raw");
  run.launch("copy_one", {1}, {32}, raw, out);
  CHECK(run.only().kind == FindingKind::uninitialised_read);
  CHECK(run.only().memory.allocation == "raw");
  run.launch("copy_one", {1}, {32}, out, raw);
  run.launch("copy_one", {1}, {32}, raw, out);
  CHECK(run.result.findings.empty());
  run.launch("copy_one", {1}, {64}, raw, out);
  CHECK(run.only().site.thread.x == 32);
}

TEST_CASE("kernels without a mistake have no finding") {
  Faults run;
  std::vector<float> values(640);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  const std::uint64_t in = run.buffer(values), out = run.buffer(std::vector<float>(128));
  run.launch("double_buffer", {2}, {64}, in, out, 10);
  CHECK(run.result.findings.empty());
  run.launch("warp_reduction", {1}, {64}, in, out);
  CHECK(run.result.findings.empty());
  float sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += values[static_cast<std::size_t>(i)];
  CHECK(run.read<float>(out, 1)[0] == sum);
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[static_cast<std::size_t>(i)] = i;
  const std::uint64_t ints = run.buffer(numbers), results = run.buffer(std::vector<int>(64));
  run.launch("half_warp_exchange", {1}, {32}, ints, results);
  CHECK(run.result.findings.empty());
  CHECK(run.read<int>(results, 32)[5] == 4);
  run.launch("hand_over", {1}, {64}, ints, results);
  CHECK(run.result.findings.empty());
  CHECK(run.read<int>(results, 32)[31] == 32);
}

TEST_CASE("warp-synchronous code without __syncwarp() races, volatile or not") {
  Faults run;
  const std::uint64_t in = run.buffer(std::vector<float>(64, 1.0f)), out = run.buffer(std::vector<float>(64));
  run.launch("warp_reduction_without_syncwarp", {1}, {64}, in, out);
  REQUIRE(!run.result.findings.empty());
  CHECK(check_of(run.result.findings[0].kind) == Check::race);
  run.at(run.result.findings[0].site, "warp_reduction_without_syncwarp");
}

TEST_CASE("counting with and without atomics, byte by byte") {
  Faults run;
  std::vector<unsigned char> bytes(1000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
  const std::uint64_t in = run.buffer(bytes), out = run.buffer(std::vector<int>(16));
  run.launch("histogram", {1}, {64}, in, out, 1000);
  CHECK(run.result.findings.empty());
  CHECK(run.read<int>(out, 16)[0] == 63);
  run.launch("histogram_without_atomics", {1}, {64}, in, out, 1000);
  REQUIRE(!run.result.findings.empty());
  run.at(run.result.findings[0].site, "histogram_without_atomics");
  const std::uint64_t back = run.buffer(std::vector<unsigned char>(64));
  run.launch("reversed_bytes", {1}, {64}, in, back);
  CHECK(run.result.findings.empty());
  CHECK(run.read<unsigned char>(back, 1)[0] == bytes[63]);
}

TEST_CASE("threads that all write the same value get the milder word") {
  Faults run;
  const std::uint64_t in = run.buffer(std::vector<int>(64, 1)), out = run.buffer(std::vector<int>(64));
  run.launch("all_say_found", {1}, {64}, in, out);
  CHECK(run.only().kind == FindingKind::race_same_value);
  run.at(run.only().site, "all_say_found");
}

TEST_CASE("findings do not depend on the number of workers") {
  std::vector<std::string> seen;
  for (const int workers : {1, 2, 5}) {
    Faults run;
    run.options.threads = workers;
    const std::uint64_t out = run.buffer(std::vector<float>(64 * 40));
    run.launch("missing_first_barrier", {40}, {64}, out);
    std::string all;
    for (const Finding& finding : run.result.findings) all += to_json(finding, "label", 1, "kernel") + "\n";
    seen.push_back(all);
  }
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] == seen[2]);
}

TEST_CASE("a finding reads like a compiler's message") {
  Faults run;
  const std::uint64_t out = run.buffer(std::vector<float>(64));
  run.launch("missing_first_barrier", {1}, {64}, out);
  const std::string text = to_text(run.only(), "missing_first_barrier", false);
  CHECK(text.starts_with("error[WG112]: thread ("));
  CHECK(text.find("observe_faults.cu:" +
                  std::to_string(line_of("observe_faults", "missing_first_barrier read"))) !=
        std::string::npos);
  CHECK(text.find("out[threadIdx.x] = tile[63 - threadIdx.x];") != std::string::npos);
  CHECK(text.find("= help: Put __syncthreads()") != std::string::npos);
  CHECK(text.find('\033') == std::string::npos);
  CHECK(to_text(run.only(), "", true).find('\033') != std::string::npos);
}

TEST_CASE("a write behind all shared arrays is told of the one that it is meant for") {
  Faults run;
  const std::uint64_t in = run.buffer(std::vector<float>(32)), out = run.buffer(std::vector<float>(32));
  CHECK(run.launch("beyond_both", {1}, {32}, in, out, 1000).status == LaunchStatus::illegal_address);
  run.at(run.only().site, "beyond_both");
  CHECK(run.only().memory.allocation == "shared array below");
  CHECK(run.only().memory.distance == 4000 - 128);
  CHECK(run.only().message ==
        "write of 4 bytes out of bounds in shared memory: 3872 bytes past the end of shared array below (128 "
        "bytes)");
}
