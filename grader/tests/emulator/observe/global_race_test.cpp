#include "observe/global_race.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <random>
#include <set>

using namespace warpgrade;
using observe::Access;
using observe::Kind;

namespace {

// Blocks of 64 threads on 4,096 words, and their findings' kinds.
class Blocks {
 public:
  explicit Blocks(std::uint32_t blocks = 4) : memory_(std::size_t{64} << 20) {
    request_.kernel = &kernel_;
    request_.grid = {blocks, 1, 1};
    request_.block = {64, 1, 1};
    data_ = memory_.allocate(16384, exec::Allocation::Kind::device, "data");
    flag_ = memory_.allocate(256, exec::Allocation::Kind::device, "flag");
    launch();
  }
  void launch() {
    blocks_.clear();
    race_ = std::make_unique<observe::GlobalRace>(request_, memory_);
    for (std::uint64_t b = 0; b < request_.grid.x; ++b)
      race_->begin(*blocks_.emplace_back(std::make_unique<observe::GlobalBlock>()), b);
  }

  struct How {
    Access::Kind kind = Access::Kind::read;
    std::uint32_t mask = exec::kFullMask, instruction = 1;
    bool is_volatile = false, of_block = false;
    std::uint8_t bytes = 4;
    std::uint16_t value = 0;  // hash of all lanes'
    bool silent = false;
    bool apart = false;  // as if the addresses had no pattern
  };
  using Place = std::function<std::uint64_t(unsigned)>;  // byte, by lane
  void data(std::uint64_t block, std::uint32_t warp, const How& how, const Place& place) {
    perform(*data_, block, warp, how, place);
  }
  void flag(std::uint64_t block, const How& how, std::uint32_t warp = 0) {
    How one = how;
    one.mask = 1;
    perform(*flag_, block, warp, one, [](unsigned) { return 0; });
  }
  // Of the block's shared memory, at `offset`.
  void shared_flag(std::uint64_t block, std::uint32_t warp, const How& how, std::uint64_t offset = 8) {
    std::uint64_t address[32];
    for (std::uint64_t& each : address) each = offset;
    observe::GlobalAccess access;
    access.address = address;
    access.warp = warp;
    access.mask = 1;
    access.kind = how.kind;
    access.bytes = 8;
    access.is_volatile = how.is_volatile;
    access.in_shared = true;
    race_->access(*blocks_[block], access);
  }
  void fence(std::uint64_t block, bool of_block = false, std::uint32_t warp = 0) {
    race_->fence(*blocks_[block], warp, of_block);
  }
  // From here on it is this block's turn, and the others' before it are over.
  void turn(std::uint64_t block) { race_->begin(*blocks_[block], block); }
  void barrier(std::uint64_t block) { race_->block_barrier(*blocks_[block]); }
  void warp_barrier(std::uint64_t block, std::uint32_t mask) {
    race_->warp_barrier(*blocks_[block], 0, mask);
  }

  std::vector<observe::Finding> findings() {
    std::vector<observe::Finding> out;
    for (auto& each : race_->take_findings())
      for (auto& finding : each.findings) out.push_back(finding);
    return out;
  }
  std::vector<Kind> kinds() {
    std::vector<Kind> out;
    for (const auto& finding : findings()) out.push_back(finding.kind);
    return out;
  }

 private:
  void perform(exec::Allocation& in, std::uint64_t block, std::uint32_t warp, const How& how,
               const Place& place) {
    std::uint64_t address[32];
    std::uint16_t hash[32];
    for (unsigned i = 0; i < 32; ++i) address[i] = in.base + place(i), hash[i] = how.value;
    observe::GlobalAccess access;
    access.allocation = &in;
    access.address = address;
    access.hash = how.kind == Access::Kind::write ? hash : nullptr;
    access.instruction = how.instruction;
    access.warp = warp;
    access.mask = how.mask;
    access.silent = how.silent ? exec::kFullMask : 0;
    access.kind = how.kind;
    access.bytes = how.bytes;
    access.is_volatile = how.is_volatile;
    access.of_block = how.of_block;
    // Packed halves, and those of one word, are told as the fast handlers tell them.
    if (how.mask == exec::kFullMask && !how.apart)
      for (unsigned half = 0; half < 2; ++half) {
        access.half[half] = pattern(address + 16 * half, how.bytes);
        access.first[half] = address[16 * half];
      }
    if (access.half[0] != Access::Pattern::scattered && access.half[1] != Access::Pattern::scattered)
      access.address = nullptr;
    race_->access(*blocks_[block], access);
  }

  static Access::Pattern pattern(const std::uint64_t* address, unsigned bytes) {
    bool packed = true, uniform = true;
    for (unsigned i = 0; i < 16; ++i) {
      packed &= address[i] == address[0] + std::uint64_t{i} * bytes;
      uniform &= address[i] == address[0];
    }
    return packed ? Access::Pattern::packed : uniform ? Access::Pattern::uniform : Access::Pattern::scattered;
  }

  exec::DeviceMemory memory_;
  exec::Kernel kernel_;
  exec::LaunchRequest request_;
  exec::Allocation *data_ = nullptr, *flag_ = nullptr;
  std::unique_ptr<observe::GlobalRace> race_;
  std::vector<std::unique_ptr<observe::GlobalBlock>> blocks_;
};

std::uint64_t packed(unsigned lane) { return 4 * lane; }
std::uint64_t one_word(unsigned) { return 0; }
Blocks::Place shifted(std::uint64_t bytes) {
  return [bytes](unsigned lane) { return 4 * lane + bytes; };
}

constexpr Blocks::How kRead{};
constexpr Blocks::How kWrite{.kind = Access::Kind::write, .instruction = 2, .value = 5};
constexpr Blocks::How kAtomic{.kind = Access::Kind::atomic, .instruction = 3};
constexpr Blocks::How kVolatileRead{.is_volatile = true};
constexpr Blocks::How kVolatileWrite{
    .kind = Access::Kind::write, .instruction = 4, .is_volatile = true, .value = 1};

}  // namespace

TEST_CASE("what all read is no race, nor what one thread reads and writes") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 4; ++b) {
    blocks.data(b, 0, kRead, packed);
    blocks.data(b, 1, kRead, one_word);
    blocks.data(b, 0, kRead, shifted(1024 * (b + 1)));
    blocks.data(b, 0, kWrite, shifted(1024 * (b + 1)));
    blocks.data(b, 0, kRead, shifted(1024 * (b + 1)));
    blocks.barrier(b);
    blocks.data(b, 0, kWrite, shifted(1024 * (b + 1)));
  }
  CHECK(blocks.kinds().empty());
}

TEST_CASE("two blocks are not ordered by their barriers") {
  Blocks blocks;
  blocks.data(0, 0, kWrite, packed);
  blocks.barrier(0);
  blocks.barrier(1);
  blocks.data(1, 0, kRead, packed);
  const auto found = blocks.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::global_race);
  CHECK(found[0].times == 32);
  CHECK(found[0].site.block.x == 1);
  CHECK(found[0].site.access == "read");
  CHECK(found[0].other.block.x == 0);
  CHECK(found[0].other.access == "write");
  CHECK(found[0].memory.allocation == "data");
  CHECK(found[0].message ==
        "thread (0,0,0) of block (1,0,0) reads byte 0 of data, which thread (0,0,0) of block (0,0,0) writes, "
        "and "
        "nothing orders two blocks of a launch");
}

TEST_CASE("a write finds one who has read before, however many have") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 3; ++b) blocks.data(b, 1, kRead, packed);
  blocks.data(3, 0, kWrite, packed);
  CHECK(blocks.kinds() == std::vector{Kind::global_race});
}

TEST_CASE("another launch starts anew") {
  Blocks blocks;
  blocks.data(0, 0, kWrite, packed);
  blocks.launch();
  blocks.data(1, 0, kWrite, packed);
  blocks.data(1, 0, kRead, packed);
  CHECK(blocks.kinds().empty());
}

TEST_CASE("the same value is a milder matter") {
  Blocks blocks;
  blocks.data(0, 0, kWrite, packed);
  blocks.data(1, 0, kWrite, packed);
  CHECK(blocks.kinds() == std::vector{Kind::global_race_same_value});
  blocks.launch();
  blocks.data(0, 0, kWrite, packed);
  blocks.data(1, 0, {.kind = Access::Kind::write, .instruction = 2, .value = 6}, packed);
  CHECK(blocks.kinds() == std::vector{Kind::global_race});
}

TEST_CASE("barriers order a block, partial ones the lanes that meet") {
  Blocks blocks;
  blocks.data(0, 0, kWrite, packed);
  blocks.barrier(0);
  blocks.data(0, 1, kRead, packed);
  CHECK(blocks.kinds().empty());
  SUBCASE("the next write needs another barrier") {
    blocks.data(0, 0, kWrite, packed);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
  SUBCASE("and has it") {
    blocks.barrier(0);
    blocks.data(0, 0, kWrite, packed);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("lanes of one warp") {
    blocks.data(0, 0, kWrite, shifted(512));
    blocks.warp_barrier(0, 0xffff);
    blocks.data(0, 0, {.mask = 0xffff}, [](unsigned lane) { return 512 + 4 * (15 - lane); });
    CHECK(blocks.kinds().empty());
    blocks.data(0, 0, {.mask = 0xffff0000}, [](unsigned lane) { return 512 + 4 * (47 - lane); });
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
}

TEST_CASE("bytes of one word are apart") {
  Blocks blocks;
  const Blocks::How byte{.kind = Access::Kind::write, .instruction = 2, .bytes = 1, .value = 3};
  for (std::uint64_t b = 0; b < 4; ++b) blocks.data(b, 0, byte, [b](unsigned lane) { return 4 * lane + b; });
  CHECK(blocks.kinds().empty());
  blocks.data(1, 0, {.mask = 1}, packed);
  CHECK(blocks.kinds() == std::vector{Kind::global_race});
}

TEST_CASE("atomics") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 4; ++b) blocks.data(b, 0, kAtomic, one_word);
  CHECK(blocks.kinds().empty());
  SUBCASE("a plain read beside them") {
    blocks.data(1, 0, {.mask = 1}, one_word);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
  SUBCASE("a volatile one") {
    blocks.data(1, 0, {.mask = 1, .is_volatile = true}, one_word);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("of the scope of a block") {
    blocks.data(1, 0, {.kind = Access::Kind::atomic, .mask = 1, .of_block = true}, one_word);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
}

TEST_CASE("a flag behind a fence orders two blocks, and what they knew") {
  Blocks blocks;
  blocks.data(0, 1, kWrite, packed);
  SUBCASE("with a barrier before, for the other warp") {
    blocks.barrier(0);
    blocks.fence(0);
    blocks.flag(0, kVolatileWrite);
    blocks.flag(1, kVolatileRead);
    blocks.barrier(1);
    blocks.data(1, 1, kRead, packed);
    CHECK(blocks.kinds().empty());
    blocks.barrier(1);
    blocks.fence(1);
    blocks.flag(1, kAtomic);
    blocks.flag(2, kAtomic);
    blocks.data(2, 0, kWrite, packed);  // behind both
    CHECK(blocks.kinds().empty());
    blocks.data(3, 0, kRead, packed);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
  SUBCASE("without") {
    blocks.fence(0);
    blocks.flag(0, kVolatileWrite);
    blocks.flag(1, kVolatileRead);
    blocks.data(1, 0, kRead, packed);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
}

TEST_CASE("a flag in shared memory hands on what was done behind its fence, and what was known") {
  Blocks blocks;
  SUBCASE("within the block") {
    blocks.data(0, 0, kWrite, packed);
    blocks.fence(0, true);
    blocks.data(0, 0, kWrite, shifted(1024));  // behind the fence
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead);
    blocks.data(0, 1, kRead, packed);
    CHECK(blocks.kinds().empty());
    blocks.data(0, 1, kRead, shifted(1024));
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
  SUBCASE("another flag") {
    blocks.data(0, 0, kWrite, packed);
    blocks.fence(0, true);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead, 64);
    blocks.data(0, 1, kRead, packed);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
  SUBCASE("another block's, of the same offset") {
    blocks.data(0, 0, kWrite, packed);
    blocks.fence(0);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(1, 0, kVolatileRead);
    blocks.data(1, 0, kRead, packed);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
  SUBCASE("without a fence") {
    blocks.data(0, 0, kWrite, packed);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead);
    blocks.data(0, 1, kRead, packed);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
  SUBCASE("from another block") {
    blocks.data(1, 0, kWrite, packed);
    blocks.fence(1);
    blocks.flag(1, kVolatileWrite);
    blocks.flag(0, kVolatileRead);
    blocks.fence(0, true);
    blocks.shared_flag(0, 0, kVolatileWrite);
    blocks.shared_flag(0, 1, kVolatileRead);
    blocks.data(0, 1, kRead, packed);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("to another block") {
    blocks.data(0, 0, kWrite, packed);
    blocks.fence(0, true);
    blocks.shared_flag(0, 0, kAtomic);
    blocks.shared_flag(0, 1, kAtomic);
    blocks.fence(0, false, 1);
    blocks.flag(0, kVolatileWrite, 1);
    blocks.flag(1, kVolatileRead);
    blocks.data(1, 0, kRead, packed);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("fences before a barrier, and one flag for all behind it") {
    blocks.data(0, 0, kWrite, packed);
    blocks.fence(0);
    blocks.barrier(0);
    blocks.flag(0, kVolatileWrite, 1);
    blocks.flag(1, kVolatileRead);
    blocks.data(1, 0, kRead, packed);
    CHECK(blocks.kinds().empty());
  }
}

TEST_CASE("what does not order two blocks") {
  Blocks blocks;
  blocks.data(0, 0, kWrite, packed);
  SUBCASE("a flag without a fence") { blocks.flag(0, kVolatileWrite); }
  SUBCASE("a fence of the block") {
    blocks.fence(0, true);
    blocks.flag(0, kVolatileWrite);
  }
  SUBCASE("a fence before the write") {
    blocks.fence(0);
    blocks.data(0, 0, kWrite, packed);
    blocks.flag(0, kVolatileWrite);
  }
  blocks.flag(1, kVolatileRead);
  blocks.data(1, 0, kRead, packed);
  CHECK(blocks.kinds() == std::vector{Kind::global_race});
}

TEST_CASE("who has read the last write of a flag may reset it") {
  Blocks blocks;
  for (std::uint64_t b = 0; b < 4; ++b) {
    blocks.fence(b);
    blocks.flag(b, kAtomic);
  }
  SUBCASE("the last to come") {
    blocks.flag(3, kWrite);
    CHECK(blocks.kinds().empty());
  }
  SUBCASE("one before") {
    blocks.flag(2, kWrite);
    CHECK(blocks.kinds() == std::vector{Kind::global_race});
  }
}

TEST_CASE("a lock that is taken many times") {
  Blocks blocks;
  for (int turn = 0; turn < 20000; ++turn) {
    const std::uint64_t b = static_cast<std::uint64_t>(turn) % 4;
    blocks.flag(b, kAtomic);
    blocks.data(b, 0, {.mask = 1}, one_word);
    blocks.data(b, 0, {.kind = Access::Kind::write, .mask = 1, .instruction = 2}, one_word);
    blocks.fence(b);
    blocks.flag(b, kAtomic);
  }
  CHECK(blocks.kinds().empty());
}

TEST_CASE("random programs race exactly where a pairwise comparison says so") {
  struct Past {
    std::uint64_t block;
    std::uint32_t thread, word, epoch;
    bool write;
  };
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    Blocks blocks;
    std::vector<Past> past;
    std::set<std::uint32_t> expected, got;
    const unsigned span = 1u << pick(11);
    std::uint32_t step = 0, epoch = 0;
    for (std::uint64_t block = 0; block < 4 && expected.empty(); ++block) {
      blocks.turn(block);
      for (unsigned i = 0; i < 12 && expected.empty(); ++i) {
        if (pick(6) == 0) blocks.barrier(block), ++epoch;
        Blocks::How how{.kind = pick(5) == 0 ? Access::Kind::write : Access::Kind::read,
                        .mask = pick(5) == 0 ? static_cast<std::uint32_t>(random()) : exec::kFullMask,
                        .instruction = ++step,
                        .bytes = static_cast<std::uint8_t>(4u << pick(3)),
                        .apart = pick(8) == 0};
        // Most begin where a strip does; stride 0 is one word for all, 1 packed.
        const std::uint64_t words = how.bytes / 4, first = pick(2) == 0 ? pick(span) : pick(span) / 16 * 16,
                            stride = pick(4) == 0   ? 0
                                     : pick(4) == 0 ? 2
                                                    : 1;
        const std::uint32_t warp = pick(2);
        const Blocks::Place place = [=](unsigned lane) {
          return (first / words + stride * (32 * warp + lane)) * how.bytes;
        };
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          if ((how.mask >> lane & 1) == 0) continue;
          for (std::uint32_t word = 0; word < words; ++word) {
            const Past now{block, 32 * warp + lane, static_cast<std::uint32_t>(place(lane) / 4) + word, epoch,
                           how.kind == Access::Kind::write};
            for (const Past& other : past) {
              const bool ordered =
                  other.block == block && (other.thread == now.thread || other.epoch != now.epoch);
              if (other.word == now.word && !ordered && (other.write || now.write)) expected.insert(step);
            }
            past.push_back(now);
          }
        }
        blocks.data(block, warp, how, place);
      }
      ++epoch;
    }
    for (const auto& finding : blocks.findings()) got.insert(finding.site.instruction);
    CAPTURE(seed);
    CHECK(got == expected);
  }
}
