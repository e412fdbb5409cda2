// Footprints of the lectures' kernels, worked out by hand.
#include "profile/footprint.hpp"

#include <doctest/doctest.h>

#include "tests/emulator/support/kernel_run.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

// C = A·B, 128 × 128, in 8 × 8 blocks of 16 × 16: a pair of blocks side by side stands for all.
Counters counters_of_basic_product(int threads, std::uint64_t sample = 0) {
  KernelRun run("matmul_lectures");
  run.options.threads = threads;
  run.options.sample = sample;
  const std::vector<float> ones(128 * 128, 1.0f);
  const std::uint64_t a = run.buffer(ones), b = run.buffer(ones), c = run.raw(ones.size() * 4);
  return run.launch("basic_16", {8, 8}, {16, 16}, a, b, c, 128).counters;
}
std::vector<Footprint> of_basic_product(int threads, std::uint64_t sample = 0) {
  return counters_of_basic_product(threads, sample).footprints;
}

}  // namespace

TEST_CASE("the footprint of a basic product") {
  const std::vector<Footprint> found = of_basic_product(1);
  REQUIRE(found.size() == 3);
  const Footprint &a = found[0], &b = found[1], &c = found[2];
  for (const Footprint* each : {&a, &b, &c}) {
    CHECK(each->allocation_bytes == 128 * 128 * 4);
    CHECK(each->blocks == 2);
  }
  // Eight warps of two rows each go along 128 words, one sector of each row at a time. All eight load the
  // same sectors.
  CHECK(a.kind == Footprint::Kind::load);
  CHECK(a.requests == 2 * 8 * 128);
  CHECK(a.bytes == 2 * 8 * 128 * 32 * 4);
  CHECK(a.sectors == 2 * a.requests);
  CHECK(a.lines == 2 * a.requests);
  CHECK(a.missed_sectors == 2 * 16 * 16);
  CHECK(a.warp_sectors == 2 * 16 * 16);
  CHECK(a.block_sectors == 2 * 16 * 16);
  CHECK(a.pair_sectors == 16 * 16);  // they lie in one row
  CHECK(a.launch_sectors == 16 * 16);
  CHECK(a.launch_lines == 16 * 4);
  CHECK(a.reach_lines == 16 * 4);
  // All warps go down the same 16 columns: two sectors a row, each loaded once.
  CHECK(b.sectors == 2 * b.requests);
  CHECK(b.lines == b.requests);
  CHECK(b.missed_sectors == b.sectors);
  CHECK(b.warp_sectors == b.sectors);
  CHECK(b.block_sectors == 2 * 128 * 2);
  CHECK(b.pair_sectors == b.block_sectors);
  CHECK(b.passes == b.requests);
  CHECK(c.kind == Footprint::Kind::store);
  CHECK(c.requests == 2 * 8);
  CHECK(c.block_sectors == 2 * 16 * 2);
  CHECK(c.missed_sectors == 0);
}

TEST_CASE("each load knows how often it missed in the lines that its warp loaded last") {
  const Counters found = counters_of_basic_product(1);
  std::uint64_t requests = 0, missed = 0;
  for (const auto& [instruction, site] : found.sites) {
    if (site.sampled == 0 || site.allocation > 2) continue;  // C is stored
    requests += site.sampled;
    missed += site.missed;
  }
  CHECK(requests == 2 * 2 * 8 * 128);
  CHECK(missed == 2 * 8 * (128 / 8) + 2 * 8 * 128);  // A every eighth time, B each time
}

TEST_CASE("footprints depend neither on the number of workers nor on which other blocks are run") {
  const std::vector<Footprint> one = of_basic_product(1);
  for (const auto& others : {of_basic_product(3), of_basic_product(1, 2)}) {
    REQUIRE(others.size() == one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      CHECK(others[i].block_sectors == one[i].block_sectors);
      CHECK(others[i].launch_sectors == one[i].launch_sectors);
      CHECK(others[i].pair_sectors == one[i].pair_sectors);
      CHECK(others[i].reach_lines == one[i].reach_lines);
      CHECK(others[i].missed_sectors == one[i].missed_sectors);
    }
  }
}

TEST_CASE("lanes of an atomic on one word are serialised") {
  KernelRun run("observe_faults");
  const std::uint64_t out = run.buffer(std::vector<int>(64));
  run.launch("count_at", {1}, {32}, out, 1);
  REQUIRE(run.result.counters.footprints.size() == 1);
  const Footprint apart = run.result.counters.footprints[0];
  CHECK(apart.kind == Footprint::Kind::atomic);
  CHECK(apart.sectors == 4);
  CHECK(apart.on_a_word == 4);
  run.launch("count_at", {1}, {32}, out, 4);  // eight words, all in one sector
  CHECK(run.result.counters.footprints[0].sectors == 1);
  CHECK(run.result.counters.footprints[0].on_a_word == 4);
  run.launch("count_at", {1}, {32}, out, 32);
  CHECK(run.result.counters.footprints[0].on_a_word == 32);
}
