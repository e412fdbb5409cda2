// Runs of an array's elements among other bytes, at equal distances on both sides.
#include "remoting/backend/data_flow/element_index.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using warpgrade::remoting::ElementIndex;
using warpgrade::remoting::ElementRun;

namespace {

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> made;
  for (std::uint32_t seed = 5; made.size() < count;) made.push_back(seed = seed * 1664525 + 1013904223);
  return made;
}

std::string bytes_of(const std::vector<std::uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]};
}

}  // namespace

TEST_CASE("runs in order, backwards, of every third element, and as members of structs") {
  const std::vector<std::uint32_t> all = numbers(100);
  const std::string array = bytes_of(all);
  const ElementIndex index(array, 4);
  const auto check = [&](const std::vector<std::uint32_t>& words, std::size_t first, std::ptrdiff_t stride,
                         std::size_t step, std::size_t count) {
    const ElementRun run = index.longest_run(bytes_of(words));
    CHECK(run.first == first);
    CHECK(run.stride == stride);
    CHECK(run.step == step);
    CHECK(run.count == count);
  };
  check({all.begin() + 7, all.begin() + 50}, 7, 1, 4, 43);
  check({all.rbegin(), all.rend()}, 99, -1, 4, 100);
  std::vector<std::uint32_t> third, structs;
  for (std::size_t i = 2; i < all.size(); i += 3) third.push_back(all[i]);
  check(third, 2, 3, 4, 33);
  for (const std::uint32_t each : all) structs.insert(structs.end(), {each, 1, 2});
  check(structs, 0, 1, 12, 100);
}

TEST_CASE("a few equal elements are chance, and an array of one value ends") {
  const std::vector<std::uint32_t> all = numbers(100);
  const std::string array = bytes_of(all), zeros(40'000, '\0');
  const ElementIndex index(array, 4);
  std::vector<std::uint32_t> few(all.begin(), all.begin() + 6);
  few.resize(40, 1);
  CHECK(index.longest_run(bytes_of(few)).count == 0);
  CHECK(index.longest_run({}).count == 0);
  CHECK(index.longest_run(std::string_view(array).substr(0, 3)).count == 0);
  CHECK(ElementIndex(zeros, 4).longest_run(zeros).count == 10'000);
}
