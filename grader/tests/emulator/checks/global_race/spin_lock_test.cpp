#include "checks/global_race/spin_lock.hpp"

#include <doctest/doctest.h>

#include <mutex>
#include <thread>
#include <vector>

using namespace warpgrade::emulator;

TEST_CASE("one at a time") {
  SpinLock lock;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 20000; ++n) {
        const std::lock_guard held(lock);
        ++count;
      }
    });
  for (std::thread& each : threads) each.join();
  CHECK(count == 80000);
}
