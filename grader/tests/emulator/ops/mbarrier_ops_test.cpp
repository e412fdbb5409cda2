// mbarrier objects, and the asynchronous copies that arrive at them.
#include "ops/mbarrier.hpp"

#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::Ran;
using warpgrade::emulator::FindingKind;
using warpgrade::emulator::MemoryBarrier;

stage::Stage a_stage(unsigned threads) {
  stage::Stage stage("exec_async_sm90");
  stage.block = {threads, 1, 1};
  return stage;
}

}  // namespace

TEST_CASE("a barrier's word keeps counts, transactions and phase") {
  MemoryBarrier barrier;
  barrier.pending = barrier.expected = 3;
  barrier.transactions = -5;
  barrier.phase = 7;
  const MemoryBarrier again = MemoryBarrier::of(barrier.word());
  CHECK(again.pending == 3);
  CHECK(again.expected == 3);
  CHECK(again.transactions == -5);
  CHECK(again.phase == 7);
}

TEST_CASE("a phase ends with the last arrival and the last transaction") {
  MemoryBarrier barrier;
  barrier.pending = barrier.expected = 2;
  const std::uint64_t before = barrier.word();
  barrier.transactions = 64;
  barrier.arrive(2);
  CHECK_FALSE(barrier.has_passed(before));
  barrier.complete_transactions(48);
  CHECK_FALSE(barrier.has_passed_parity(0));
  barrier.complete_transactions(16);
  CHECK(barrier.has_passed(before));
  CHECK(barrier.has_passed_parity(0));
  CHECK_FALSE(barrier.has_passed_parity(1));
  CHECK(barrier.pending == 2);
}

TEST_CASE("arrive and wait: warps that only a barrier in shared memory orders") {
  for (const unsigned threads : {32u, 96u, 256u}) {
    stage::Stage stage = a_stage(threads);
    const int size = static_cast<int>(threads);
    compare(
        stage, "split_barrier", 5, [size](int t) { return (t + 5) % size + 5; }, threads);
  }
}

TEST_CASE("an mbarrier that nobody completes is a deadlock, with what is missing") {
  stage::Stage stage = a_stage(96);
  compare(stage, "too_few_arrivals", 0, [](int) { return 1; });
  for (const stage::RunConfig& config : stage::run_configs()) {
    CAPTURE(config.name);
    const Ran ran = stage.run("too_few_arrivals", 2, config);
    CHECK(ran.result.status == warpgrade::emulator::LaunchStatus::launch_timeout);
    const stage::emulator::Finding* finding = ran.first(FindingKind::barrier_deadlock);
    REQUIRE(finding != nullptr);
    CAPTURE(finding->message);
    CHECK(finding->message.find("at the mbarrier at byte 0 of ") != std::string::npos);
    CHECK(finding->message.find("for 2 of 98 arrivals") != std::string::npos);
  }
}

TEST_CASE("arrive_drop, pending counts, parity") {
  stage::Stage stage = a_stage(32);
  constexpr int expected[] = {4, 3, 2, 1, 1, 3, 1, 0};
  compare(
      stage, "dropping", 4, [&](int i) { return expected[i]; }, 8);
}

TEST_CASE("cp.async arrives at a barrier, counted beforehand or by itself") {
  stage::Stage stage = a_stage(96);
  compare(
      stage, "copies_arrive", 7, [](int t) { return 7 * (t + (t + 1) % 96 + (t + 3) % 96); }, 96);
}

TEST_CASE("bulk copies: in with a barrier, out in groups, the last waited for by nobody") {
  stage::Stage stage = a_stage(64);
  compare(
      stage, "bulk_copies", 2, [](int i) { return i < 256 ? 2 * i : 255 * 256 + (i - 256); }, 512);
}

TEST_CASE("a bulk copy that is not waited for is not there yet, and races") {
  stage::Stage stage = a_stage(32);
  const Ran plain = stage.run("bulk_without_wait", 5);
  REQUIRE(plain.succeeded());
  CHECK(plain.out[3] == 77005);
  const Ran checked = stage.run("bulk_without_wait", 5, {"checks", false, true, false, 1});
  CHECK(checked.found(FindingKind::race_read_write) == 1);
}

TEST_CASE("a block is a cluster of its own") {
  stage::Stage stage = a_stage(64);
  compare(
      stage, "cluster_of_one", 3, [](int t) { return (t ^ 1) * 3 + 10000; }, 64);
}
