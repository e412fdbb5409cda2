#include "machine/shadow_handle.hpp"

#include <doctest/doctest.h>

#include <set>
#include <thread>
#include <vector>

#include "checks/global_race/shadow_pages.hpp"

using namespace warpgrade::emulator;

TEST_CASE("whoever asks first makes the shadow, and all get the same") {
  for (int turn = 0; turn < 20; ++turn) {
    RaceSlot slot;
    CHECK(slot.get() == nullptr);
    std::vector<RaceShadow*> got(4);
    std::vector<std::thread> threads;
    for (RaceShadow*& each : got) threads.emplace_back([&] { each = &slot.of(3 * RaceShadow::kPage); });
    for (std::thread& each : threads) each.join();
    CHECK(std::set<RaceShadow*>(got.begin(), got.end()) == std::set<RaceShadow*>{slot.get()});
    slot.get()->strips(RaceShadow::kPage)[3] = 5;
    CHECK(slot.of(3 * RaceShadow::kPage).strips(RaceShadow::kPage)[3] == 5);
    slot.reset();
    CHECK(slot.get() == nullptr);
  }
}
