#include "machine/memory/shadow_handle.hpp"

#include <doctest/doctest.h>

#include <set>
#include <thread>
#include <vector>

#include "checks/global_race/shadow/shadow_pages.hpp"

using namespace warpgrade::emulator;

TEST_CASE("whoever asks first makes the shadow, and all get the same") {
  for (int turn = 0; turn < 20; ++turn) {
    ShadowHandle slot;
    CHECK(slot.get() == nullptr);
    std::vector<ShadowPages*> got(4);
    std::vector<std::thread> threads;
    for (ShadowPages*& each : got) threads.emplace_back([&] { each = &slot.of(3 * ShadowPages::kPage); });
    for (std::thread& each : threads) each.join();
    CHECK(std::set<ShadowPages*>(got.begin(), got.end()) == std::set<ShadowPages*>{slot.get()});
    slot.get()->rows(ShadowPages::kPage)[3] = 5;
    CHECK(slot.of(3 * ShadowPages::kPage).rows(ShadowPages::kPage)[3] == 5);
    slot.reset();
    CHECK(slot.get() == nullptr);
  }
}
