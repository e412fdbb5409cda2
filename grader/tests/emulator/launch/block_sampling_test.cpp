#include "launch/block_sampling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace warpgrade::emulator;

namespace {

// For each complete pair the distance of its two blocks.
std::vector<std::uint64_t> distances(const SampledBlocks& of) {
  std::map<std::uint32_t, std::vector<std::uint64_t>> pairs;
  for (std::size_t i = 0; i < of.blocks.size(); ++i) pairs[of.pair[i]].push_back(of.blocks[i]);
  std::vector<std::uint64_t> found;
  for (const auto& [number, blocks] : pairs)
    if (blocks.size() == 2) found.push_back(blocks[1] - blocks[0]);
  return found;
}

}  // namespace

TEST_CASE("blocks of a sample are distinct, in order, and as many as were asked for") {
  for (const std::uint64_t all : {1u, 2u, 7u, 64u, 65u, 16384u})
    for (const std::uint64_t count : {1u, 2u, 3u, 8u, 64u, 100u}) {
      CAPTURE(all);
      CAPTURE(count);
      const SampledBlocks found = sampled_blocks(count, all, 8);
      REQUIRE(found.blocks.size() == std::min(count, all));
      REQUIRE(found.pair.size() == found.blocks.size());
      CHECK(std::is_sorted(found.blocks.begin(), found.blocks.end()));
      CHECK(std::set(found.blocks.begin(), found.blocks.end()).size() == found.blocks.size());
      CHECK(found.blocks.back() < all);
    }
}

TEST_CASE("pairs are neighbours in x and in y by turns, in columns of all kinds") {
  const SampledBlocks found = sampled_blocks(8, 128 * 128, 128);
  CHECK(distances(found) == std::vector<std::uint64_t>{1, 128, 1, 128});
  std::set<std::uint64_t> columns;
  for (const std::uint64_t block : found.blocks) columns.insert(block % 128);
  CHECK(columns.size() >= 4);
  CHECK(distances(sampled_blocks(8, 5000, 5000)) == std::vector<std::uint64_t>{1, 1, 1, 1});
}

TEST_CASE("footprints are taken of few blocks, and of those that are run") {
  CHECK(footprint_blocks({}, 1, 1).blocks.size() == 1);
  CHECK(footprint_blocks({}, 64, 8).blocks.size() == 2);
  CHECK(footprint_blocks({}, 256, 8).blocks.size() == 4);
  CHECK(footprint_blocks({}, 1 << 20, 1024).blocks == sampled_blocks(8, 1 << 20, 1024).blocks);
  for (const std::uint64_t count : {1u, 2u, 8u, 9u, 50u}) {
    CAPTURE(count);
    const SampledBlocks run = sampled_blocks(count, 1 << 20, 1024), of = footprint_blocks(run, 1 << 20, 1024);
    CHECK(of.blocks.size() >= std::min<std::size_t>(count, 2));
    CHECK(of.blocks.size() <= 8);
    CHECK(std::includes(run.blocks.begin(), run.blocks.end(), of.blocks.begin(), of.blocks.end()));
  }
}
