#include "launch/worker_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "tests/emulator/support/sanitized.hpp"

using warpgrade::emulator::other_threads_run;
using warpgrade::emulator::run_on_workers;

TEST_CASE("every task runs once, in each of many rounds") {
  for (int round = 0; round < 200; ++round) {
    for (int count : {1, 2, 5}) {
      std::vector<std::atomic<int>> ran(static_cast<std::size_t>(count));
      run_on_workers(count, [&](int w) { ++ran[static_cast<std::size_t>(w)]; });
      for (const auto& times : ran) REQUIRE(times == 1);
    }
  }
}

TEST_CASE("several threads may ask at the same time") {
  std::atomic<int> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) run_on_workers(3, [&](int) { ++sum; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(sum == 4 * 50 * 3);
}

TEST_CASE("threads besides the caller and the pool's are known") {
  if (warpgrade::has_thread_sanitizer()) return;  // the sanitizer has a thread of its own
  run_on_workers(3, [](int) {});
  // A joined thread disappears from /proc a little later.
  for (int i = 0; i < 10'000 && other_threads_run(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  REQUIRE_FALSE(other_threads_run());
  std::promise<void> end;
  std::thread other([&] { end.get_future().wait(); });
  CHECK(other_threads_run());
  end.set_value();
  other.join();
}
