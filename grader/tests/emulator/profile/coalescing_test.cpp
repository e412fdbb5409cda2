#include "profile/coalescing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace {

using warpgrade::emulator::blocks;
using warpgrade::emulator::wavefronts;

constexpr std::uint32_t kFull = 0xffffffffu;

// Byte addresses of one access: the pattern gives a word index, which a wide access aligns down.
struct Addresses {
  std::uint64_t at[32];
  Addresses(const std::function<unsigned(unsigned)>& word, unsigned bytes) {
    for (unsigned i = 0; i < 32; ++i) at[i] = word(i) * 4ull / bytes * bytes;
  }
};

unsigned shared_cost(const std::function<unsigned(unsigned)>& word, unsigned bytes) {
  return wavefronts(Addresses(word, bytes).at, bytes, kFull);
}

// The definition of a bank conflict: the most distinct words in one of the 32 banks.
unsigned words_in_a_bank(const std::uint64_t* address, std::uint32_t mask) {
  std::set<std::uint64_t> words[32];
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) words[address[i] / 4 % 32].insert(address[i] / 4);
  return static_cast<unsigned>(std::max_element(words, words + 32, [](const auto& a, const auto& b) {
                                 return a.size() < b.size();
                               })->size());
}

}  // namespace

TEST_CASE("wavefronts of shared loads are those that an H200 was measured to take") {
  struct Row {
    std::string_view pattern;
    std::function<unsigned(unsigned)> word;
    unsigned bits32, bits64, bits128;
  };
  const Row rows[] = {
      {"i", [](unsigned i) { return i; }, 1, 1, 2},
      {"2i", [](unsigned i) { return 2 * i; }, 2, 2, 2},
      {"4i", [](unsigned i) { return 4 * i; }, 4, 4, 4},
      {"4(i mod 16)", [](unsigned i) { return 4 * (i % 16); }, 2, 4, 4},
      {"4(i mod 8)", [](unsigned i) { return 4 * (i % 8); }, 1, 2, 4},
      {"4(i/2)", [](unsigned i) { return 4 * (i / 2); }, 2, 2, 2},
      {"4(i/4)", [](unsigned i) { return 4 * (i / 4); }, 1, 1, 2},
      {"4(i/8)", [](unsigned i) { return 4 * (i / 8); }, 1, 1, 2},
      {"4(i/16)", [](unsigned i) { return 4 * (i / 16); }, 1, 1, 2},
      {"0", [](unsigned) { return 0u; }, 1, 1, 2},
      {"33i", [](unsigned i) { return 33 * i; }, 1, 4, 16},
      {"36i", [](unsigned i) { return 36 * i; }, 4, 4, 4},
      {"20i", [](unsigned i) { return 20 * i; }, 4, 4, 4},
      {"20(i mod 4) + 4(i/4)", [](unsigned i) { return 20 * (i % 4) + 4 * (i / 4); }, 3, 6, 8},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CHECK(shared_cost(row.word, 4) == row.bits32);
    CHECK(shared_cost(row.word, 8) == row.bits64);
    CHECK(shared_cost(row.word, 16) == row.bits128);
  }
}

TEST_CASE("a column of a 32-wide tile costs 32 wavefronts, with one word of padding one") {
  CHECK(shared_cost([](unsigned i) { return 32 * i; }, 4) == 32);
  CHECK(shared_cost([](unsigned i) { return 33 * i; }, 4) == 1);
}

TEST_CASE("bytes of one word are one access to its bank") {
  std::uint64_t at[32];
  for (unsigned i = 0; i < 32; ++i) at[i] = i;
  CHECK(wavefronts(at, 1, kFull) == 1);
  for (unsigned i = 0; i < 32; ++i) at[i] = 128 * i + i % 4;
  CHECK(wavefronts(at, 1, kFull) == 32);
}

TEST_CASE("scattered words take as many wavefronts as one bank has words") {
  std::mt19937_64 random(7);
  for (const std::uint64_t reach : {64u, 1024u, 4095u, 4096u, 8192u, 65536u}) {
    for (int turn = 0; turn < 200; ++turn) {
      std::uint64_t at[32];
      for (std::uint64_t& each : at) each = 262144 + (random() % (2 * reach) - reach) * 4;
      const auto mask = static_cast<std::uint32_t>(random() | 1u << turn % 32);
      CAPTURE(reach);
      REQUIRE(wavefronts(at, 4, mask) == words_in_a_bank(at, mask));
    }
  }
}

TEST_CASE("inactive lanes cost nothing") {
  const Addresses conflict([](unsigned i) { return 32 * i; }, 4);
  CHECK(wavefronts(conflict.at, 4, 0x7) == 3);
  CHECK(wavefronts(conflict.at, 4, 0x80000000u) == 1);
  const Addresses wide([](unsigned i) { return 4 * i; }, 16);
  CHECK(wavefronts(wide.at, 16, 0xff) == 1);
}

TEST_CASE("sectors are distinct 32-byte pieces") {
  CHECK(blocks(Addresses([](unsigned i) { return i; }, 4).at, kFull).sectors == 4);
  CHECK(blocks(Addresses([](unsigned i) { return i + 1; }, 4).at, kFull).sectors == 5);
  CHECK(blocks(Addresses([](unsigned) { return 7u; }, 4).at, kFull).sectors == 1);
  CHECK(blocks(Addresses([](unsigned i) { return 1000 * i; }, 4).at, kFull).sectors == 32);
  CHECK(blocks(Addresses([](unsigned i) { return 31 - i; }, 4).at, kFull).sectors == 4);
  CHECK(blocks(Addresses([](unsigned i) { return 16 * (i % 2) + i / 2; }, 4).at, kFull).sectors == 4);
  CHECK(blocks(Addresses([](unsigned i) { return 4 * i; }, 16).at, kFull).sectors == 16);
  CHECK(blocks(Addresses([](unsigned i) { return i; }, 4).at, 0x0000ff00u).sectors == 1);
}

TEST_CASE("passes of asynchronous copies are those that Nsight Compute counts on an H200") {
  using Place = std::function<unsigned(unsigned lane, unsigned bytes)>;  // in bytes
  const Place packed = [](unsigned lane, unsigned bytes) { return lane * bytes; };
  const auto rows = [](unsigned length) -> Place {
    return [=](unsigned lane, unsigned bytes) { return lane / length * 4096 + lane % length * bytes; };
  };
  struct Row {
    std::string_view pattern;
    Place source, target;
    unsigned passes4, passes8, passes16;
  };
  const Row all[] = {
      {"side by side", packed, packed, 1, 2, 4},
      {"rows of 16", rows(16), packed, 2, 2, 4},
      {"rows of 8", rows(8), packed, 4, 4, 4},
      {"rows of 4", rows(4), packed, 8, 8, 8},
      {"rows of 2", rows(2), packed, 16, 16, 16},
      {"far apart", rows(1), packed, 32, 32, 32},
      {"every second", [](unsigned l, unsigned b) { return 2 * l * b; }, packed, 2, 4, 8},
      {"to every second", packed, [](unsigned l, unsigned b) { return 2 * l * b; }, 2, 4, 8},
      {"to columns", packed, [](unsigned l, unsigned) { return 128 * l; }, 32, 32, 32},
      {"to padded columns", packed, [](unsigned l, unsigned b) { return (128 + b) * l; }, 1, 2, 4},
      {"reversed", packed, [](unsigned l, unsigned b) { return (31 - l) * b; }, 1, 2, 4},
      {"swizzled", rows(8), [](unsigned l, unsigned b) { return (l ^ l / 8) * b; }, 4, 4, 4},
      {"from pairs", [](unsigned l, unsigned b) { return l / 2 * b; }, packed, 2, 4, 8},
      {"from eights", [](unsigned l, unsigned b) { return l / 8 * b; }, packed, 8, 16, 32},
      {"transposed", rows(4), [](unsigned l, unsigned b) { return (l % 4 * 128 + l / 4) * b; }, 11, 14, 20},
      {"transposed, rows of 16", rows(16), [](unsigned l, unsigned b) { return (l % 16 * 128 + l / 16) * b; },
       17, 32, 32},
      {"from one word", [](unsigned, unsigned) { return 0u; }, packed, 32, 32, 32},
  };
  const auto cost = [](const Place& from, const Place& to, unsigned bytes, std::uint32_t mask,
                       std::uint32_t zeroed) {
    std::uint64_t source[32], target[32];
    for (unsigned i = 0; i < 32; ++i) {
      source[i] = from(i, bytes);
      target[i] = to(i, bytes);
    }
    return warpgrade::emulator::copy_wavefronts(source, target, bytes, mask, zeroed);
  };
  for (const Row& each : all) {
    CAPTURE(each.pattern);
    CHECK(cost(each.source, each.target, 4, kFull, 0) == each.passes4);
    CHECK(cost(each.source, each.target, 8, kFull, 0) == each.passes8);
    CHECK(cost(each.source, each.target, 16, kFull, 0) == each.passes16);
  }
  // Zeros are not loaded.
  CHECK(cost(rows(1), packed, 4, kFull, kFull) == 1);
  CHECK(cost(rows(1), packed, 16, kFull, kFull) == 4);
  CHECK(cost(rows(1), packed, 4, kFull, 0xfffffff0u) == 4);
  CHECK(cost(packed, packed, 4, kFull, 0xfffffff0u) == 1);
  CHECK(cost(packed, packed, 16, 0x0000ffffu, 0) == 2);
}
