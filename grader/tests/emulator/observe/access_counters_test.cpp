// Counters of whole kernels against numbers measured on an H200, and against numbers worked out by hand.
#include <doctest/doctest.h>

#include "kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::observe;

namespace {

// N×N with TILE×TILE blocks. Inputs are zero: counters do not look at values.
struct Matmul : KernelRun {
  explicit Matmul(bool only_count = true) : KernelRun("matmul_lectures") {
    if (only_count) options.check_race = options.check_init = options.check_barrier = false;
    options.threads = 0;
  }
  void multiply(const std::string& kernel, unsigned n, unsigned tile) {
    const std::size_t bytes = std::size_t{n} * n * 4;
    const auto make = [&] { return memory.allocate(bytes, exec::Allocation::Kind::device)->base; };
    if (a == 0) a = make(), b = make(), c = make();
    const unsigned blocks = (n + tile - 1) / tile;
    const auto& done = launch(kernel, {blocks, blocks}, {tile, tile}, a, b, c, static_cast<int>(n));
    REQUIRE(done.status == exec::Status::success);
    CHECK(done.findings.empty());
  }
  std::uint64_t a = 0, b = 0, c = 0;
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
    CHECK(run.counter(Metric::global_load_bytes) == 128);
    CHECK(run.counter(Metric::global_store_sectors) == 4);
    CHECK(run.counter(Metric::global_store_bytes) == 128);
    REQUIRE(run.result.counters.sites.size() == 2);
    const SiteCounters& site = run.result.counters.sites.begin()->second;
    CHECK(site.executions == 1);
    CHECK(site.lanes == 32);
    CHECK(site.sectors == std::min(32u, 4 * stride));
    CHECK(site.ideal_sectors == 4);
  }
}

// Per warp of a full 16×16 block and step of k: two rows of A (2 sectors) and two times 16 columns of B in 2
// sectors each, of which both rows want the same: 2. One request for each.
TEST_CASE("basic kernel, N = 64: by hand") {
  Matmul run;
  run.multiply("basic_16", 64, 16);
  const std::uint64_t warps = 4 * 4 * 8, steps = warps * 64;
  CHECK(run.counter(Metric::global_load_requests) == 2 * steps);
  CHECK(run.counter(Metric::global_load_sectors) == (2 + 2) * steps);
  CHECK(run.counter(Metric::global_store_sectors) == 64 * 64 / 8);
  CHECK(run.counter(Metric::ffma) == 64ull * 64 * 64);
  CHECK(run.counter(Metric::global_load_bytes) == 2ull * 64 * 64 * 64 * 4);
}

TEST_CASE("tiled kernel, N = 64: by hand") {
  Matmul run(false);
  run.multiply("tiled_16", 64, 16);
  const std::uint64_t warps = 4 * 4 * 8, phases = 4;
  CHECK(run.counter(Metric::global_load_requests) == 2 * warps * phases);
  CHECK(run.counter(Metric::global_load_sectors) == 2 * 4 * warps * phases);
  CHECK(run.counter(Metric::global_load_bytes) == 2ull * 4 * 64 * 64 * 4);
  CHECK(run.counter(Metric::shared_store_instructions) == 2 * warps * phases);
  CHECK(run.counter(Metric::shared_store_wavefronts) == 2 * warps * phases);
  CHECK(run.counter(Metric::ffma) == 64ull * 64 * 64);
  CHECK(run.counter(Metric::barriers) == 2 * warps * phases);
}

// Measured with Nsight Compute on an H200: facts on its hardware, rows "basic" and "bounded" at N = 1000 and
// "basic" and "tiled" at N = 1024. The whole rows take minutes on the emulator; these are the quickest.
TEST_CASE("an H200's counters of the bounded kernel with 32×32 tiles, N = 1000, on a row of blocks") {
  // 32 × 32 blocks do alike but for the border: a row of 32 blocks in the middle is 1/32 of the inner ones.
  Matmul run;
  const unsigned n = 1000;
  const std::size_t bytes = std::size_t{n} * n * 4;
  const auto make = [&] { return run.memory.allocate(bytes, exec::Allocation::Kind::device)->base; };
  const std::uint64_t a = make(), b = make(), c = make();
  REQUIRE(run.launch("bounded_32", {32, 1}, {32, 32}, a, b, c, static_cast<int>(n)).status ==
          exec::Status::success);
  // Rows 0–31 of C: each of 32 blocks loads its 32 rows of A whole and 32 or 8 columns of B.
  // Over all 32 rows of blocks (the last has 8 rows): A 1000·32 warp loads a phase column …
  CHECK(run.counter(Metric::global_load_requests) == 64000);
}
