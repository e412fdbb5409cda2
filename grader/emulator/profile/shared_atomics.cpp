#include "profile/shared_atomics.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "profile/coalescing.hpp"

namespace warpgrade::emulator {
namespace {

using ptx::Modifier;
using Addresses = std::array<std::uint64_t, kWarpSize>;

// ATOMS.POPC.INC: a word counts the lanes that meet on it at once.
bool is_count(const ptx::Instruction& from) {
  const auto is_one = [](const ptx::Operand& each) {
    return each.kind == ptx::Operand::Kind::integer && each.bits == 1;
  };
  return from.has(Modifier::add) && std::ranges::any_of(from.operands, is_one);
}

// Sums of floats and of 64 bits are loops that compare and swap.
bool is_loop(const ptx::Instruction& from, unsigned bytes) {
  return from.has(Modifier::add) && (ptx::is_float(from.type()) || bytes > 4);
}

// One lane of each bank.
std::uint32_t firsts(const Addresses& address, std::uint32_t lanes) {
  std::uint32_t banks = 0, found = 0;  // of words of 4 bytes
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t bank = 1u << address[static_cast<std::size_t>(std::countr_zero(lanes))] / 4 % kBanks;
    if ((banks & bank) == 0) found |= lanes & -lanes;
    banks |= bank;
  }
  return found;
}

unsigned most_in_a_bank(const Addresses& address, std::uint32_t lanes) {
  unsigned turns = 0;
  for (; lanes != 0; ++turns) lanes &= ~firsts(address, lanes);
  return turns;
}

// ptxas sums up over the warp where it knows that all lanes use one word.
bool is_one_word(const Addresses& address, std::uint32_t lanes) {
  const std::uint64_t first = address[static_cast<std::size_t>(std::countr_zero(lanes))];
  for (; lanes != 0; lanes &= lanes - 1)
    if (address[static_cast<std::size_t>(std::countr_zero(lanes))] != first) return false;
  return true;
}

// Wide lanes access memory half a warp at a time.
std::array<std::uint32_t, 2> parts(std::uint32_t lanes, unsigned bytes) {
  constexpr std::uint32_t kHalf = 0xffff;
  return bytes > 4 ? std::array{lanes & kHalf, lanes & ~kHalf} : std::array{lanes, 0u};
}

// A try of the loop: the load, and two passes of the swap; as many again where lanes fail on the word of one
// that succeeds.
AtomicTurns tried(const Addresses& address, std::uint32_t lanes, unsigned bytes) {
  AtomicTurns found = {0, 0};
  while (lanes != 0) {
    const std::uint32_t done = firsts(address, lanes);
    bool fail = false;
    for (std::uint32_t left = lanes & ~done; left != 0; left &= left - 1)
      for (std::uint32_t each = done; each != 0; each &= each - 1)
        fail |= address[static_cast<std::size_t>(std::countr_zero(left))] ==
                address[static_cast<std::size_t>(std::countr_zero(each))];
    found.passes += wavefronts(address.data(), bytes, lanes) + (fail ? 4 : 2);
    ++found.tries;
    lanes &= ~done;
  }
  return found;
}

}  // namespace

// An H200: a compare-and-swap takes 2 passes, and 7.1 on one of 2,048 words by chance, where a maximum
// takes 2.8; a sum of floats 3 passes if its lanes do not meet, 35 in 8 tries if eight meet on each word, 152
// in 32 tries if all do. One of doubles takes 6 passes.
AtomicTurns turns_of_atomic(const Access& a, const ptx::Instruction& from) {
  Addresses address;
  for (std::uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    address[lane] = a.of(lane);
  }
  if (is_count(from)) return {wavefronts(address.data(), a.bytes, a.mask), 1};
  if (is_loop(from, a.bytes)) {
    AtomicTurns found = {0, 0};
    for (const std::uint32_t part : parts(a.mask, a.bytes)) {
      const AtomicTurns own = tried(address, part, a.bytes);
      found = {found.passes + own.passes, std::max(found.tries, own.tries)};
    }
    return {found.passes - found.tries, found.tries};  // one pass of each load is counted with loads
  }
  if (from.has(Modifier::cas)) return {2 * most_in_a_bank(address, a.mask), 1};
  if (!from.has(Modifier::exch) && is_one_word(address, a.mask)) return {};
  return {most_in_a_bank(address, a.mask), 1};
}

}  // namespace warpgrade::emulator
