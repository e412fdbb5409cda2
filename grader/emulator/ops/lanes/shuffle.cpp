#include "ops/lanes/shuffle.hpp"

#include <immintrin.h>

#include <cstring>

#include "ops/undefined_shuffle.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {
namespace {

// The lane that one lane reads from, and whether it is in range.
struct Source {
  std::uint32_t lane;
  std::uint32_t inside;
};
template <Shuffle kMode>
inline Source source_of(std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  b &= 31;
  const std::uint32_t clamp = c & 31, segment = c >> 8 & 31;
  const std::uint32_t min_lane = lane & segment, max_lane = min_lane | (clamp & ~segment);
  const std::uint32_t from = kMode == Shuffle::up          ? lane - b
                             : kMode == Shuffle::down      ? lane + b
                             : kMode == Shuffle::butterfly ? lane ^ b
                                                           : min_lane | (b & ~segment);
  const bool inside = kMode == Shuffle::up
                          ? static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(max_lane)
                          : from <= max_lane;
  return {inside ? from : lane, inside ? 1u : 0u};
}

// to[lane] = value[from[lane]]; `to` may be `value`.
inline void pick(const std::uint32_t* value, const std::uint32_t* from, std::uint32_t* to) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_loadu_si512(value), high = _mm512_loadu_si512(value + 16);
  for (int half = 0; half < kWarpSize; half += 16)
    _mm512_storeu_si512(to + half, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + half), high));
#else
  std::uint32_t copy[kWarpSize];
  std::memcpy(copy, value, sizeof copy);
  for (int lane = 0; lane < kWarpSize; ++lane) to[lane] = copy[from[lane]];
#endif
}

inline void set_predicate(Warp& warp, std::uint32_t slot, std::uint32_t value) {
  if (slot == kNoOperand) return;
  std::uint32_t& to = warp.mask(slot);
  to = (to & ~warp.active) | (value & warp.active);
}

template <Shuffle kMode>
bool shuffle_whole(Warp& warp, const DecodedInstruction* at) {
  const auto* b = warp.lanes<std::uint32_t>(at->operand[3]);
  const auto* c = warp.lanes<std::uint32_t>(at->operand[4]);
  alignas(64) std::uint32_t from[kWarpSize];
  std::uint32_t in_range = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const Source source = source_of<kMode>(lane, b[lane], c[lane]);
    from[lane] = source.lane & 31;
    in_range |= source.inside << lane;
  }
  pick(warp.lanes<std::uint32_t>(at->operand[2]), from, warp.lanes<std::uint32_t>(at->operand[0]));
  set_predicate(warp, at->operand[1], in_range);
  return true;
}

template <Shuffle kMode>
void shuffle(Warp& warp, const DecodedInstruction* at, const Exchange& exchange) {
  auto* to = warp.lanes<std::uint32_t>(at->operand[0]);
  std::uint32_t in_range = 0, undefined = 0, source = 0;
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    const auto [from, inside] = source_of<kMode>(lane, exchange.b[lane], exchange.c[lane]);
    in_range |= inside << lane;
    // By the manual the value of a lane that is elsewhere, has returned or is not in the mask is undefined.
    // As on an H200, lanes that take part are read whether they are in the mask or not, and the others give
    // 0.
    const bool there = exchange.together >> (from & 31) & 1;
    to[lane] = there ? static_cast<std::uint32_t>(exchange.value[from & 31]) : 0;
    const std::uint32_t member = exchange.member[lane];  // a lane that its own mask lacks is WG134
    if ((there && (member >> (from & 31) & 1)) || !(member >> lane & 1)) continue;
    if (undefined == 0) source = from & 31;
    undefined |= 1u << lane;
  }
  set_predicate(warp, at->operand[1], in_range);
  if (undefined != 0) note_undefined_shuffle(warp, at, exchange, undefined, source);
}

template <Shuffle kMode>
constexpr ShuffleOps kOps = {shuffle<kMode>, shuffle_whole<kMode>};

}  // namespace

ShuffleOps shuffle_ops(Shuffle mode) {
  switch (mode) {
    case Shuffle::up:
      return kOps<Shuffle::up>;
    case Shuffle::down:
      return kOps<Shuffle::down>;
    case Shuffle::butterfly:
      return kOps<Shuffle::butterfly>;
    default:
      return kOps<Shuffle::index>;
  }
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
