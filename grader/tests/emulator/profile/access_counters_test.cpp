// Counters of whole kernels against numbers measured on an H200, and against numbers worked out by hand.
#include <doctest/doctest.h>

#include "machine/counters/access_counts.hpp"
#include "profile/coalescing.hpp"
#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

// Global memory traffic and multiply-adds of an N×N product, worked out by hand for the lectures' kernels.
// Rows begin on a sector, so N is a multiple of 8; the last tile may be half empty.
struct Traffic {
  std::uint64_t requests, load_sectors, store_sectors, ffma;
  bool operator==(const Traffic&) const = default;
};
std::uint64_t up(std::uint64_t n, std::uint64_t unit) { return (n + unit - 1) / unit; }

// Every warp with a row inside loads, at each k, its rows' elements of A (a sector a row) and its columns of
// B.
Traffic basic(std::uint64_t n, std::uint64_t tile) {
  const std::uint64_t rows_a_warp = 32 / tile, warps = n / rows_a_warp * up(n, tile);
  const std::uint64_t a = n * n * up(n, tile), b = n * (n / rows_a_warp) * (n / 8);
  return {2 * warps * n, a + b, n * n / 8, n * n * n};
}

// Warps load rows of tile elements; those outside are not loaded. All threads multiply, in and out.
Traffic tiled(std::uint64_t n, std::uint64_t tile) {
  const std::uint64_t rows_a_warp = 32 / tile, blocks = up(n, tile), padded = blocks * tile;
  const std::uint64_t warps_with_rows = n / rows_a_warp;
  const std::uint64_t a = warps_with_rows * blocks * blocks, b = a;
  const std::uint64_t sectors = n * (n / 8) * blocks;
  return {a + b, 2 * sectors, n * n / 8, padded * padded * padded};
}

// A: 64 × 16, two rows a warp; B: 16 × 32, one row a warp. Four stores of every fourth element each.
Traffic register_tiled(std::uint64_t n) {
  const std::uint64_t across = up(n, 32), down = up(n, 64), phases = up(n, 16);
  const std::uint64_t a = n / 2 * across * phases, b = n * across * down;
  return {a + b, n * (n / 8) * across + n * (n / 8) * down, n * n / 2, 64 * down * 32 * across * 16 * phases};
}

struct Matmul : KernelRun {
  Matmul() : KernelRun("matmul_lectures") {}

  Traffic multiply(const std::string& kernel, Dim3 grid, Dim3 block, unsigned n) {
    const std::vector<float> ones(std::size_t{n} * n, 1.0f);
    const std::uint64_t a = buffer(ones), b = buffer(ones), c = raw(ones.size() * 4);
    const auto& done = launch(kernel, grid, block, a, b, c, static_cast<int>(n));
    REQUIRE(done.status == LaunchStatus::success);
    CHECK(done.findings.empty());
    for (const float each : read<float>(c, ones.size())) REQUIRE(each == static_cast<float>(n));
    return {counter(Metric::global_load_requests), counter(Metric::global_load_sectors),
            counter(Metric::global_store_sectors), counter(Metric::ffma)};
  }
  Traffic square(const std::string& kernel, unsigned n, unsigned tile) {
    const unsigned blocks = (n + tile - 1) / tile;
    return multiply(kernel + "_" + std::to_string(tile), {blocks, blocks}, {tile, tile}, n);
  }
};

}  // namespace

TEST_CASE("the counters of a column walk and of its cure by padding") {
  KernelRun run("observe_faults");
  const std::uint64_t in = run.buffer(std::vector<float>(1024)), out = run.buffer(std::vector<float>(32));
  run.launch("column_sums", {1}, {32}, in, out, 0);
  CHECK(run.counter(Metric::shared_load_instructions) == 32);
  CHECK(run.counter(Metric::shared_load_wavefronts) == 32 * 32);
  CHECK(run.counter(Metric::shared_store_wavefronts) == 32);
  run.launch("column_sums", {1}, {32}, in, out, 1);
  CHECK(run.counter(Metric::shared_load_wavefronts) == 32);
  CHECK(run.counter(Metric::shared_store_wavefronts) == 32);
}

TEST_CASE("the counters of a strided copy, and its site") {
  KernelRun run("observe_faults");
  const std::uint64_t in = run.buffer(std::vector<float>(1024)), out = run.buffer(std::vector<float>(32));
  for (const unsigned stride : {1u, 2u, 8u, 32u}) {
    run.launch("strided_copy", {1}, {32}, in, out, static_cast<int>(stride));
    CHECK(run.counter(Metric::global_load_requests) == 1);
    CHECK(run.counter(Metric::global_load_sectors) == std::min(32u, 4 * stride));
    CHECK(run.counter(Metric::global_load_lines) == std::min(32u, stride));
    CHECK(run.counter(Metric::global_load_bytes) == 128);
    CHECK(run.counter(Metric::global_store_sectors) == 4);
    CHECK(run.counter(Metric::global_store_bytes) == 128);
    REQUIRE(run.result.counters.sites.size() == 2);
    const SiteCounters& site = run.result.counters.sites.begin()->second;
    CHECK(site.executions == 1);
    CHECK(site.lanes == 32);
    CHECK(site.sectors == std::min(32u, 4 * stride));
    CHECK(site.ideal_sectors == 4);
    CHECK(site.lines == std::min(32u, stride));
  }
}

// Nsight Compute on an H200: the project's facts on its hardware, "Hardware counters".
TEST_CASE("the traffic worked out by hand is what an H200 counted") {
  CHECK(basic(1000, 16) == Traffic{63000000, 125500000, 125000, 1000000000});
  CHECK(basic(1000, 32) == Traffic{64000000, 157000000, 125000, 1000000000});
  CHECK(basic(1024, 16) == Traffic{67108864, 134217728, 131072, 1073741824});
  CHECK(tiled(1000, 16) == Traffic{3969000, 15750000, 125000, 1024192512});
  CHECK(tiled(1000, 32) == Traffic{2048000, 8000000, 125000, 1073741824});
  CHECK(tiled(1024, 16) == Traffic{4194304, 16777216, 131072, 1073741824});
  CHECK(tiled(1024, 32) == Traffic{2097152, 8388608, 131072, 1073741824});
  CHECK(register_tiled(1000) == Traffic{1520000, 6000000, 500000, 1056964608});
}

// 104 leaves the same remainders as 1000, 128 as 1024.
TEST_CASE("the emulator counts the same traffic") {
  Matmul run;
  CHECK(run.square("basic", 104, 16) == basic(104, 16));
  CHECK(run.square("basic", 104, 32) == basic(104, 32));
  CHECK(run.square("basic", 128, 16) == basic(128, 16));
  CHECK(run.square("bounded", 104, 16) == tiled(104, 16));
  CHECK(run.square("bounded", 104, 32) == tiled(104, 32));
  CHECK(run.square("tiled", 128, 16) == tiled(128, 16));
  CHECK(run.square("tiled", 128, 32) == tiled(128, 32));
  CHECK(run.multiply("register_tiled", {4, 2}, {128}, 104) == register_tiled(104));
}

// The accesses in PTX: two words for each multiply-add, one for each stored element.
TEST_CASE("shared memory of the tiled kernel") {
  Matmul run;
  run.square("tiled", 64, 16);
  const std::uint64_t warps = 4 * 4 * 8, phases = 4;
  CHECK(run.counter(Metric::shared_load_instructions) == 2 * warps * phases * 16);
  CHECK(run.counter(Metric::shared_load_wavefronts) == 2 * warps * phases * 16);
  CHECK(run.counter(Metric::shared_store_instructions) == 2 * warps * phases);
  CHECK(run.counter(Metric::shared_store_wavefronts) == 2 * warps * phases);
  CHECK(run.counter(Metric::global_load_bytes) == 2ull * 4 * 64 * 64 * 4);
  CHECK(run.counter(Metric::global_store_bytes) == 64 * 64 * 4);
  CHECK(run.counter(Metric::barriers) == 2 * warps * phases);
}

TEST_CASE("counters do not depend on the number of workers") {
  std::vector<std::string> seen;
  for (const int workers : {1, 3}) {
    Matmul run;
    run.options.threads = workers;
    run.square("bounded", 104, 16);
    LaunchRequest request;
    request.kernel = run.program->find_kernel("bounded_16");
    seen.push_back(to_json(run.result.counters, "label", 1, request));
  }
  CHECK(seen[0] == seen[1]);
}

// If only counters observe, accesses with an affine pattern are counted without their lanes' addresses.
TEST_CASE("counters are the same whoever else watches") {
  std::vector<std::string> seen;
  for (const bool watched : {false, true}) {
    Matmul run;
    run.options.check_race = run.options.check_init = watched;
    std::string all;
    const auto keep = [&](const std::string& kernel) {
      LaunchRequest request;
      request.kernel = run.program->find_kernel(kernel);
      all += to_json(run.result.counters, "label", 1, request);
    };
    run.square("bounded", 104, 16);
    keep("bounded_16");
    run.square("tiled", 64, 32);
    keep("tiled_32");
    run.multiply("register_tiled", {4, 2}, {128}, 104);
    keep("register_tiled");
    seen.push_back(all);
  }
  CHECK(seen[0] == seen[1]);
}

TEST_CASE("asynchronous copies and barriers in memory are counted as Nsight Compute counts them") {
  const auto site = [](const KernelRun& run, const std::string& words) {
    for (const auto& [instruction, counted] : run.result.counters.sites) {
      const ptx::Instruction& at = *run.program->origin(instruction).ptx;
      const std::string& all = at.form();
      if (all.find(words) != all.npos) return counted;
    }
    return SiteCounters{};
  };
  KernelRun run("exec_async_sm90");
  const std::uint64_t out = run.raw(4096);
  run.launch("copies_arrive", {1}, {32}, out, 3);
  REQUIRE(run.result.status == LaunchStatus::success);
  CHECK(run.counter(Metric::async_copies) == 2);
  CHECK(run.counter(Metric::async_copy_wavefronts) == 2);
  CHECK(run.counter(Metric::async_copy_bytes) == 256);
  CHECK(run.counter(Metric::global_load_requests) == 2);
  CHECK(run.counter(Metric::global_load_sectors) == 8);
  CHECK(run.counter(Metric::global_load_bytes) == 0);
  CHECK(run.counter(Metric::shared_store_instructions) == 0);
  CHECK(run.counter(Metric::shared_store_wavefronts) == 0);
  CHECK(run.counter(Metric::shared_atomics) == 0);
  CHECK(site(run, "cp.async.ca").executions == 1);  // the first of two
  CHECK(site(run, "cp.async.ca").lanes == 32);
  CHECK(site(run, "cp.async.ca").sectors == 4);
  CHECK(site(run, "cp.async.ca").wavefronts == 1);

  run.launch("bulk_copies", {1}, {32}, out, 3);
  REQUIRE(run.result.status == LaunchStatus::success);
  CHECK(run.counter(Metric::async_copies) == 0);
  CHECK(run.counter(Metric::global_load_requests) == 0);
  CHECK(run.counter(Metric::global_store_requests) == 8);  // out, and nothing that is brought back
  CHECK(run.counter(Metric::shared_store_instructions) == 8);
  CHECK(run.counter(Metric::shared_atomics) == 0);
  CHECK(run.counter(Metric::async_copy_bytes) == 1024);
  CHECK(site(run, "cp.async.bulk.shared").executions == 1);
}

TEST_CASE("packed and uniform halves touch the same lines as their lanes one by one") {
  const std::uint64_t begin = 1 << 20;
  for (const unsigned bytes : {4u, 8u, 16u})
    for (unsigned patterns = 0; patterns < 4; ++patterns)
      for (std::uint64_t at = 0; at < 128; at += bytes)
        for (std::int64_t apart = -1024; apart <= 1024; apart += bytes) {
          const std::uint64_t first[2] = {begin + at, begin + at + static_cast<std::uint64_t>(apart)};
          std::uint64_t address[32];
          for (unsigned lane = 0; lane < 32; ++lane)
            address[lane] = first[lane / 16] + ((patterns >> lane / 16 & 1u) != 0 ? lane % 16 * bytes : 0);
          const Blocks touched = blocks(address, kFullMask);
          AccessRow row;
          REQUIRE(count_global(row, false, bytes, patterns, first[0], first[1]));
          if (row.units != touched.sectors || row.lines != touched.lines) {
            CAPTURE(bytes);
            CAPTURE(patterns);
            CAPTURE(at);
            CAPTURE(apart);
            REQUIRE(row.units == touched.sectors);
            REQUIRE(row.lines == touched.lines);
          }
        }
}

TEST_CASE("match takes a turn for each value that its lanes have") {
  KernelRun run("exec_warp");
  run.launch("matches", {1}, {64}, run.buffer(std::vector<int>(64)), 5);
  std::vector<std::uint64_t> values;
  for (const auto& [instruction, site] : run.result.counters.sites)
    if (run.program->origin(instruction).ptx->opcode == ptx::Opcode::match) values.push_back(site.sectors);
  CHECK(values == std::vector<std::uint64_t>{2 * 5, 2, 2});  // of two warps; match.all compares once
}

TEST_CASE("lanes that meet in shared memory take turns with their atomics") {
  KernelRun run("exec_shared_atomics");
  const std::uint64_t out = run.buffer(std::vector<int>(32));
  const auto cost = [&](const char* kernel, int lanes_on_a_word) {
    run.launch(kernel, {1}, {32}, out, lanes_on_a_word);
    for (const auto& [instruction, found] : run.result.counters.sites)
      if (found.wavefronts != 0) return std::pair{found.wavefronts, found.ideal_wavefronts};  // passes, tries
    return std::pair{std::uint64_t{0}, std::uint64_t{0}};
  };
  using Cost = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(cost("counts", 8) == Cost{1, 1});  // a word counts its lanes at once
  CHECK(cost("sums", 8) == Cost{8, 1});
  CHECK(cost("sums", 32) == Cost{1, 1});  // ptxas sums up over the warp
  CHECK(cost("maxima_in_a_bank", 5) == Cost{8, 1});
  CHECK(cost("swaps", 5) == Cost{2, 1});
  CHECK(cost("sums_of_floats", 1) == Cost{2, 1});  // the load of each try is counted with loads
  CHECK(cost("sums_of_floats", 8) == Cost{7 * 4 + 2, 8});
  CHECK(cost("sums_of_floats", 32) == Cost{31 * 4 + 2, 32});
}

TEST_CASE("constant memory serves one word at a time") {
  KernelRun run("exec_constant");
  const std::uint64_t out = run.buffer(std::vector<int>(64));
  run.launch("same_word", {1}, {64}, out, 3);
  CHECK(run.read<int>(out, 64)[63] == 3);
  CHECK(run.counter(Metric::constant_loads) == 2);
  CHECK(run.counter(Metric::constant_words) == 2);
  run.launch("a_word_each", {1}, {64}, out, 3);
  CHECK(run.read<int>(out, 64)[63] == 31);
  CHECK(run.counter(Metric::constant_loads) == 2);
  CHECK(run.counter(Metric::constant_words) == 64);
  run.launch("words_of_halves", {1}, {64}, out, 3);
  CHECK(run.counter(Metric::constant_words) == 4);
}
