// The fast path decides as the general rules do.
#include <map>
#include <random>
#include <set>

#include "tests/emulator/support/global_blocks.hpp"
#include "tests/emulator/support/sanitized.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

namespace {

// Reference: compares each access with every earlier access to its bytes, by thread and by barriers between.
class Pairwise {
 public:
  struct Past {
    std::uint64_t block, address;
    std::uint32_t thread, epoch;
    bool write;
  };
  std::vector<Past> of(std::uint64_t block, std::uint32_t warp, std::uint32_t epoch, const Blocks::How& how,
                       const Blocks::Place& place) const {
    std::vector<Past> out;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t i = 0; (how.mask >> lane & 1) != 0 && i < how.bytes; ++i)
        out.push_back({block, place(lane) + i, 32 * warp + lane, epoch, how.kind == Access::Kind::write});
    return out;
  }
  bool races(const std::vector<Past>& access) const {
    for (std::size_t i = 0; i < access.size(); ++i) {
      const auto conflicts = [&](const Past& other) {
        const Past& now = access[i];
        const bool ordered =
            other.block == now.block && (other.thread == now.thread || other.epoch != now.epoch);
        return !ordered && (other.write || now.write);
      };
      if (const auto found = past_.find(access[i].address); found != past_.end())
        for (const Past& other : found->second)
          if (conflicts(other)) return true;
      for (std::size_t j = 0; j < i; ++j)
        if (access[j].address == access[i].address && conflicts(access[j])) return true;
    }
    return false;
  }
  void add(const std::vector<Past>& access) {
    for (const Past& each : access) past_[each.address].push_back(each);
  }

 private:
  std::map<std::uint64_t, std::vector<Past>> past_;
};

// Runs of lanes, packed or uniform; most start at a shadow row.
Blocks::Place rows(std::mt19937& random, std::uint32_t warp, unsigned bytes) {
  const auto pick = [&](unsigned n) { return static_cast<std::uint64_t>(random() % n); };
  const std::uint64_t span = std::uint64_t{16} << pick(8), lanes = std::uint64_t{1} << pick(6);
  const std::uint64_t first =
      pick(2) == 0 ? pick(static_cast<unsigned>(span)) : pick(static_cast<unsigned>(span)) / 16 * 16;
  const std::uint64_t step = pick(4) == 0   ? 0
                             : pick(6) == 0 ? 2
                                            : 1,
                      pitch = pick(3) == 0 ? 0 : lanes * (1 + pick(3));
  return [=](unsigned lane) {
    const std::uint64_t thread = 32 * warp + lane;
    return ((first * 4 / bytes + step * (thread % lanes) + pitch * (thread / lanes)) * bytes) % 16384;
  };
}

}  // namespace

TEST_CASE("random programs race exactly where a pairwise comparison says so") {
  unsigned races = 0, long_ones = 0;
  const unsigned programs = is_sanitized() ? 200 : 600;
  for (unsigned seed = 0; seed < programs; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    Blocks blocks;
    Pairwise pairwise;
    // Blocks in their order, or in turns as those of a cooperative launch.
    const bool in_turns = pick(4) == 0;
    const unsigned narrow = pick(3) == 0 ? 1 : 0, barriers = 1 + pick(6), writes = 2 + pick(4);
    bool expected = false;
    std::uint32_t step = 0, epochs[4] = {};
    for (std::uint32_t i = 0; i < 4 * 24 && !expected; ++i) {
      const std::uint64_t block = in_turns ? pick(4) : i / 24;
      if (!in_turns && i % 24 == 0) blocks.turn(block);
      if (pick(barriers) == 0) blocks.barrier(block), ++epochs[block];
      Blocks::How how{.kind = pick(writes) == 0 ? Access::Kind::write : Access::Kind::read,
                      .mask = pick(5) == 0 ? static_cast<std::uint32_t>(random()) : kFullMask,
                      .instruction = ++step,
                      .bytes = static_cast<std::uint8_t>(narrow != 0 ? 1u << pick(3) : 4u << pick(3)),
                      .apart = pick(8) == 0};
      const std::uint32_t warp = pick(2);
      const Blocks::Place place = rows(random, warp, how.bytes);
      const auto access = pairwise.of(block, warp, epochs[block], how, place);
      expected = pairwise.races(access);
      if (expected && pick(20) != 0) {  // most programs run for long
        expected = false;
        continue;
      }
      pairwise.add(access);
      blocks.data(block, warp, how, place);
    }
    std::set<std::uint32_t> got;
    for (const auto& finding : blocks.findings()) got.insert(finding.site.instruction);
    CAPTURE(seed);
    CHECK(got == (expected ? std::set{step} : std::set<std::uint32_t>{}));
    races += expected;
    long_ones += step > 60;
  }
  CHECK(races > programs / 6);
  CHECK(long_ones > programs / 6);
}
