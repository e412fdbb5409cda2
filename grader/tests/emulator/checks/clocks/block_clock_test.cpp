#include "checks/clocks/block_clock.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

TEST_CASE("barriers of the block and of the warp") {
  BlockClock order;
  order.begin(2);
  const std::uint32_t time = order.now();
  CHECK(order.ordered(time, 5, 5));
  CHECK_FALSE(order.ordered(time, 5, 6));
  order.warp_barrier(0, ~0u);
  CHECK(order.ordered(time, 5, 6));
  CHECK_FALSE(order.ordered(time, 5, 40));
  CHECK_FALSE(order.ordered(order.now(), 5, 6));
  order.block_barrier();
  CHECK(order.ordered(time, 5, 40));
}

TEST_CASE("what a flag hands on") {
  BlockClock order;
  order.begin(3);
  const std::uint32_t time = order.now();
  order.fence();
  WarpClock released;
  order.before(0, order.now(), released);
  order.learn(1, released);
  CHECK(order.ordered(time, 5, 40));
  CHECK_FALSE(order.ordered(order.now(), 5, 40));  // behind the fence
  CHECK_FALSE(order.ordered(time, 5, 64));         // a thread that has not seen the fence
  CHECK_FALSE(order.ordered(time, 5, 6));
  order.learn(0, released);  // a lock that one lane gives back and the next one takes
  CHECK(order.ordered(time, 5, 6));
  order.block_barrier();
  CHECK_FALSE(order.ordered(order.now(), 5, 40));
}

TEST_CASE("barriers of some lanes, and of some warps") {
  BlockClock order;
  order.begin(3);
  const std::uint32_t time = order.now();
  order.warp_barrier(0, 0xff);
  CHECK(order.ordered(time, 1, 7));
  CHECK_FALSE(order.ordered(time, 1, 8));
  order.warp_barrier(0, 0x180);  // lanes 7 and 8: 8 hears of 1 through 7
  CHECK(order.ordered(time, 1, 8));
  const std::uint32_t masks[] = {~0u, 0, ~0u};
  order.partial_barrier(1, masks);
  CHECK(order.ordered(time, 1, 64));
  CHECK_FALSE(order.ordered(time, 1, 32));
  WarpClock before;
  order.before(2, 1000, before);
  CHECK(before[2] == 1000);
  CHECK(time < before[0]);
  CHECK(before[1] <= time);
}

TEST_CASE("a warp that only arrives at a barrier releases, and acquires nothing") {
  BlockClock order;
  order.begin(3);
  const std::uint32_t first = order.now();
  order.arrival(0, 1);
  const std::uint32_t behind = order.now();
  const std::uint32_t other[] = {0, ~0u, 0}, masks[] = {0, 0, ~0u};
  order.partial_barrier(2, other);  // another barrier
  CHECK_FALSE(order.ordered(first, 5, 40));
  order.partial_barrier(1, masks);
  CHECK(order.ordered(first, 5, 70));
  CHECK_FALSE(order.ordered(behind, 5, 70));
  CHECK_FALSE(order.ordered(first, 70, 5));
  CHECK_FALSE(order.ordered(first, 5, 6));
  order.partial_barrier(1, other);  // the barrier before this one
  CHECK_FALSE(order.ordered(first, 5, 40));
}
