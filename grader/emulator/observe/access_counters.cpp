#include "observe/access_counters.hpp"

#include <algorithm>
#include <bit>

#include "observe/traffic.hpp"

namespace warpgrade::observe {
namespace {

using Pattern = Access::Pattern;

std::uint8_t tag_of(ptx::Space space, Access::Kind kind) {
  return static_cast<std::uint8_t>(1 + static_cast<int>(space) * 4 + static_cast<int>(kind));
}
ptx::Space space_of(std::uint8_t tag) { return static_cast<ptx::Space>((tag - 1) / 4); }
Access::Kind kind_of(std::uint8_t tag) { return static_cast<Access::Kind>((tag - 1) % 4); }

// The first and last sector of one half of the warp whose pattern is known.
struct Range {
  std::uint64_t first, last;
};
Range half_range(const Access& a, int half) {
  const std::uint64_t bytes = a.half[half] == Pattern::packed ? std::uint64_t{16} * a.bytes : a.bytes;
  return {a.first[half] >> 5, (a.first[half] + bytes - 1) >> 5};
}

unsigned sectors_of(const Access& a) {
  if (!a.known()) return sectors(a.address, a.mask);
  const Range x = half_range(a, 0), y = half_range(a, 1);
  const std::uint64_t both = x.last - x.first + y.last - y.first + 2;
  const std::uint64_t low = std::max(x.first, y.first), high = std::min(x.last, y.last);
  return static_cast<unsigned>(low <= high ? both - (high - low + 1) : both);
}

// The rules of wavefronts(), worked out for halves that are packed or uniform.
unsigned wavefronts_32(const Access& a) {
  const std::uint64_t x = a.first[0] >> 2, y = a.first[1] >> 2;
  const bool packed_x = a.half[0] == Pattern::packed, packed_y = a.half[1] == Pattern::packed;
  if (packed_x != packed_y) {
    // One half sweeps 16 banks, the other sits on one word: a conflict where that is another word in one of
    // them.
    const std::uint64_t sweep = packed_x ? x : y, word = packed_x ? y : x;
    return (word - sweep) % 32 < 16 && word - sweep >= 16 ? 2 : 1;
  }
  const std::uint64_t apart = y - x;  // modulo 2^64, and so modulo 32
  if (apart == 0) return 1;
  if (!packed_x) return apart % 32 == 0 ? 2 : 1;
  // Two sweeps of 16 banks: no conflict where they are 16 banks apart, or overlap as the same words.
  if (apart % 32 == 16) return 1;
  const std::uint64_t distance = x < y ? y - x : x - y;
  return distance < 16 ? 1 : 2;
}

unsigned wavefronts_of(const Access& a) {
  if (!a.known() || a.bytes < 4) return wavefronts(a.address, a.bytes, a.mask);
  if (a.bytes == 4) return wavefronts_32(a);
  const bool packed[2] = {a.half[0] == Pattern::packed, a.half[1] == Pattern::packed};
  // 128 bits: phases merge within each half, where its lanes agree. 64 bits: over the warp, where all do.
  if (a.bytes == 16) return 2u + packed[0] + packed[1];
  if (packed[0] || packed[1]) return 2;
  const std::uint64_t x = a.first[0] >> 3, y = a.first[1] >> 3;
  return x != y && (x - y) % 16 == 0 ? 2 : 1;
}

// Local memory lies interleaved: word w of lane l at 128·w + 4·l, so lanes at one offset are packed.
unsigned local_sectors(const Access& a) {
  std::uint64_t place[32];
  unsigned count = 0;
  const unsigned words = std::max(1u, a.bytes / 4u);
  for (unsigned word = 0; word < words; ++word) {
    for (int lane = 0; lane < 32; ++lane)
      place[lane] = (a.address[lane] / 4 + word) * 128 + static_cast<unsigned>(lane) * 4;
    count += sectors(place, a.mask);
  }
  return count;
}

unsigned units_of(const Access& a) {
  if (a.space == ptx::Space::shared) return wavefronts_of(a);
  return a.space == ptx::Space::local ? local_sectors(a) : sectors_of(a);
}

}  // namespace

AccessCounters::Row& AccessCounters::other_row(std::uint32_t instruction, std::uint8_t tag) {
  if (instruction >= rows_.size()) rows_.resize(instruction + instruction / 2 + 64);
  Row& first = rows_[instruction];
  if (first.tag == 0) first.tag = tag;
  if (first.tag == tag) return first;
  Row& other = more_[std::uint64_t{instruction} << 8 | tag];
  other.tag = tag;
  return other;
}

void AccessCounters::access(const Access& a) {
  Row& to = row(a.at->index, tag_of(a.space, a.kind));
  const unsigned lanes = a.mask == exec::kFullMask ? 32u : static_cast<unsigned>(std::popcount(a.mask));
  const unsigned units = units_of(a);
  // A wavefront carries 128 bytes, a sector 32.
  const unsigned ideal =
      a.space == ptx::Space::shared ? (lanes * a.bytes + 127) / 128 : (lanes * a.bytes + 31) / 32;
  ++to.executions;
  to.lanes += lanes;
  to.units += units;
  to.ideal_units += std::min(units, ideal);
  to.bytes += lanes * a.bytes;
}

void AccessCounters::total(const Row& row, Counters& to) {
  const Access::Kind kind = kind_of(row.tag);
  const bool read = kind == Access::Kind::read;
  switch (space_of(row.tag)) {
    case ptx::Space::global:
      if (kind == Access::Kind::atomic) {
        to[Metric::global_atomics] += row.executions;
        break;
      }
      to[read ? Metric::global_load_requests : Metric::global_store_requests] += row.executions;
      to[read ? Metric::global_load_sectors : Metric::global_store_sectors] += row.units;
      to[read ? Metric::global_load_bytes : Metric::global_store_bytes] += row.bytes;
      break;
    case ptx::Space::shared:
      if (kind == Access::Kind::atomic) {
        to[Metric::shared_atomics] += row.executions;
        break;
      }
      to[read ? Metric::shared_load_instructions : Metric::shared_store_instructions] += row.executions;
      to[read ? Metric::shared_load_wavefronts : Metric::shared_store_wavefronts] += row.units;
      break;
    case ptx::Space::local:
      to[read ? Metric::local_load_sectors : Metric::local_store_sectors] += row.units;
      break;
    default:
      break;  // constant memory has no counter of its own
  }
}

Counters AccessCounters::take() {
  Counters out;
  const auto add = [&out](std::uint32_t instruction, const Row& row) {
    if (row.executions == 0) return;
    total(row, out);
    SiteCounters& site = out.sites[instruction];
    site.executions += row.executions;
    site.lanes += row.lanes;
    const bool shared = space_of(row.tag) == ptx::Space::shared;
    (shared ? site.wavefronts : site.sectors) += row.units;
    (shared ? site.ideal_wavefronts : site.ideal_sectors) += row.ideal_units;
  };
  for (std::uint32_t i = 0; i < rows_.size(); ++i) add(i, rows_[i]);
  for (const auto& [key, row] : more_) add(static_cast<std::uint32_t>(key >> 8), row);
  rows_.clear();
  more_.clear();
  return out;
}

}  // namespace warpgrade::observe
