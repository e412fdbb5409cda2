#include "fatbin/register_reads.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace warpgrade::fatbin;

namespace {

using Counts = std::array<int, 2>;

constexpr OperandForm kThree = {7}, kDoubles = {7, 7};
constexpr std::uint32_t kZero = 255;

// Reads an instruction with these registers as operands, of which `reused` (mask) stay in their collectors.
BankReads read(OperandCollectors& collectors, std::array<std::uint32_t, 3> registers, unsigned reused = 0,
               OperandForm form = kThree) {
  constexpr std::uint64_t kRegisters = std::uint64_t{1} << 9;
  const std::uint64_t low =
      kRegisters | std::uint64_t{registers[0]} << 24 | std::uint64_t{registers[1]} << 32;
  return collectors.read(low, std::uint64_t{registers[2]} | std::uint64_t{reused} << 58, form);
}

}  // namespace

TEST_CASE("registers are fetched from the bank of their number, each once and RZ never") {
  OperandCollectors collectors;
  CHECK(read(collectors, {2, 4, 5}).fetches == Counts{2, 1});
  CHECK(read(collectors, {3, 3, kZero}).fetches == Counts{0, 1});
}

TEST_CASE("what the form does not name is no register") {
  OperandCollectors collectors;
  CHECK(read(collectors, {2, 4, 5}, 0, {3}).fetches == Counts{2, 0});
  CHECK(read(collectors, {2, 4, 5}, 0, {2}).fetches == Counts{1, 0});
  CHECK(read(collectors, {2, 4, 5}, 0, {}).fetches == Counts{0, 0});
}

TEST_CASE("a pair takes a read of both banks") {
  OperandCollectors collectors;
  CHECK(read(collectors, {2, 4, 6}, 0, kDoubles).fetches == Counts{3, 3});
  CHECK(read(collectors, {2, 4, 6}, 0, {7, 4}).fetches == Counts{3, 1});
}

TEST_CASE(
    "a register that is kept is not fetched again, until another one of its bank is read in its place") {
  OperandCollectors collectors;
  read(collectors, {2, 4, 6}, 1);
  const BankReads kept = read(collectors, {2, 5, 7}, 1);
  CHECK(kept.fetches == Counts{0, 2});
  CHECK(kept.kept == Counts{1, 0});
  CHECK(read(collectors, {3, 8, 9}).kept == Counts{0, 0});
  CHECK(read(collectors, {2, 5, 7}, 1).kept == Counts{1, 0});
  read(collectors, {4, 8, 9});
  CHECK(read(collectors, {2, 5, 7}).kept == Counts{0, 0});
}
