#include "profile/access_counters.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "machine/address_pattern.hpp"
#include "profile/coalescing.hpp"
#include "profile/nsight_counters.hpp"
#include "profile/shared_atomics.hpp"

namespace warpgrade::emulator {
namespace {

using LanePattern = Access::LanePattern;

// Distinct blocks of 1 << shift bytes; half h of the warp accesses bytes[h] adjacent bytes from begin[h] on.
unsigned blocks_of(const std::uint64_t* begin, const unsigned* bytes, unsigned shift) {
  std::uint64_t first[2], last[2];
  for (int h = 0; h < 2; ++h) {
    first[h] = begin[h] >> shift;
    last[h] = (begin[h] + bytes[h] - 1) >> shift;
  }
  const std::uint64_t both = last[0] - first[0] + last[1] - first[1] + 2;
  const std::uint64_t low = std::max(first[0], first[1]), high = std::min(last[0], last[1]);
  return static_cast<unsigned>(low <= high ? both - (high - low + 1) : both);
}

inline Blocks blocks_of_run(std::uint64_t first, std::uint64_t bytes) {
  const std::uint64_t last = first + bytes - 1;
  return {static_cast<unsigned>((last >> 5) - (first >> 5) + 1),
          static_cast<unsigned>((last >> 7) - (first >> 7) + 1)};
}

[[gnu::noinline]] Blocks blocks_of_close(std::uint64_t first, std::uint64_t second, unsigned span,
                                         unsigned second_span) {
  const std::uint64_t begin[2] = {first, second};
  const unsigned spans[2] = {span, second_span};
  return {blocks_of(begin, spans, 5), blocks_of(begin, spans, 7)};
}

// Sectors and lines of two halves that are packed or uniform. Mostly the second half continues the first,
// equals it, or is far away.
[[gnu::always_inline]] inline Blocks blocks_of_halves(unsigned bytes, unsigned packed, std::uint64_t first,
                                                      std::uint64_t second) {
  const unsigned span = (packed & 1u) != 0 ? 16 * bytes : bytes,
                 second_span = (packed & 2u) != 0 ? 16 * bytes : bytes;
  const std::uint64_t apart = second - first;
  if (span == second_span && (apart == span || apart == 0)) return blocks_of_run(first, span + apart);
  constexpr std::uint64_t kFar = kLineBytes + 16 * 16;  // then the halves share no line
  if (apart + kFar <= 2 * kFar) return blocks_of_close(first, second, span, second_span);
  const Blocks one = blocks_of_run(first, span), other = blocks_of_run(second, second_span);
  return {one.sectors + other.sectors, one.lines + other.lines};
}

Blocks blocks_of(const Access& a) {
  if (!a.known()) return blocks(a.address, a.mask);
  const unsigned packed =
      (a.half[0] == LanePattern::packed ? 1u : 0u) | (a.half[1] == LanePattern::packed ? 2u : 0u);
  return blocks_of_halves(a.bytes, packed, a.first[0], a.first[1]);
}

// The rules of wavefronts(), worked out for halves that are packed or uniform.
unsigned wavefronts_32(const Access& a) {
  const std::uint64_t x = a.first[0] >> 2, y = a.first[1] >> 2;
  const bool packed_x = a.half[0] == LanePattern::packed, packed_y = a.half[1] == LanePattern::packed;
  if (packed_x != packed_y) {
    // One half covers 16 banks, the other accesses one word: a conflict if that word shares a bank with
    // another word of the first half.
    const std::uint64_t sweep = packed_x ? x : y, word = packed_x ? y : x;
    return (word - sweep) % kBanks < 16 && word - sweep >= 16 ? 2 : 1;
  }
  const std::uint64_t apart = y - x;  // modulo 2^64, and so modulo kBanks
  if (apart == 0) return 1;
  if (!packed_x) return apart % kBanks == 0 ? 2 : 1;
  // Each half covers 16 banks: no conflict if they are 16 banks apart, or overlap in the same words.
  if (apart % kBanks == 16) return 1;
  const std::uint64_t distance = x < y ? y - x : x - y;
  return distance < 16 ? 1 : 2;
}

unsigned wavefronts_of(const Access& a, unsigned moved) {
  const bool packed[2] = {a.half[0] == LanePattern::packed, a.half[1] == LanePattern::packed};
  const bool merged = moved != a.bytes;
  if (!a.known() || moved < 4 || (merged && (packed[0] || packed[1]))) {
    std::uint64_t address[kWarpSize];
    if (a.address == nullptr)
      for (unsigned lane = 0; lane < kWarpSize; ++lane) address[lane] = a.of(lane);
    return wavefronts(a.address == nullptr ? address : a.address, moved, a.mask);
  }
  if (moved == 4) return wavefronts_32(a);
  // 128 bits: phases merge within each half, where its lanes agree. 64 bits: over the warp, where all do.
  if (moved == 16) return 2u + packed[0] + packed[1];
  if (packed[0] || packed[1]) return 2;
  const std::uint64_t x = a.first[0] >> 3, y = a.first[1] >> 3;
  return x != y && (x - y) % 16 == 0 ? 2 : 1;
}

// Whether all lanes of the access are in the same word.
bool is_in_one_word(const Access& a) {
  const std::uint64_t first = a.address[std::countr_zero(a.mask)];
  std::uint64_t apart = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    apart |= (a.address[lane] ^ first) & (a.mask >> lane & 1 ? ~std::uint64_t{3} : 0);
  return apart == 0;
}

// Local memory lies interleaved: word w of lane l at 128·w + 4·l, so lanes at one offset are packed.
unsigned local_sectors(const Access& a) {
  const unsigned words = std::max(1u, a.bytes / 4u);
  unsigned count = 0;
  if (is_in_one_word(a)) {
    for (std::uint32_t left = a.mask; left != 0; left >>= 8) count += (left & 0xff) != 0;  // 8 lanes a sector
    return words * count;
  }
  std::uint64_t place[kWarpSize];
  for (unsigned word = 0; word < words; ++word) {
    for (int lane = 0; lane < kWarpSize; ++lane)
      place[lane] = (a.address[lane] / 4 + word) * 128 + static_cast<unsigned>(lane) * 4;
    count += blocks(place, a.mask).sectors;
  }
  return count;
}

// Distinct words at which a warp's lanes read constant memory, of 4 bytes or as wide as the vector: its cache
// serves one word at a time.
unsigned distinct_words(const Access& a) {
  std::uint64_t word[kWarpSize];
  unsigned lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (a.mask >> lane & 1)
      word[lanes++] = a.of(static_cast<unsigned>(lane)) / std::max(4u, unsigned{a.bytes});
  std::sort(word, word + lanes);
  return static_cast<unsigned>(std::unique(word, word + lanes) - word);
}

}  // namespace

void find_shared_cost(AddressPattern& pattern, unsigned bytes, unsigned moved, const std::uint64_t* address) {
  Access a;
  a.bytes = static_cast<std::uint8_t>(bytes);
  a.mask = kFullMask;
  a.address = address;
  for (int h = 0; h < 2; ++h) {
    a.first[h] = address[16 * h];
    a.half[h] = pattern.stride[h] == 0       ? LanePattern::uniform
                : pattern.stride[h] == bytes ? LanePattern::packed
                                             : LanePattern::scattered;
  }
  const unsigned passes = wavefronts_of(a, moved);
  pattern.cost = SharedCost{static_cast<std::uint8_t>(moved), static_cast<std::uint8_t>(passes),
                            static_cast<std::uint8_t>(
                                std::min(passes, (kWarpSize * moved + kBankRowBytes - 1) / kBankRowBytes))}
                     .packed();
}

void count_affine(AccessRow& row, std::uint32_t packed, bool is_store) {
  const SharedCost cost = SharedCost::unpacked(packed);
  row.tag = tag_of(ptx::Space::shared, is_store ? 1 : 0);
  row.bytes = cost.bytes;
  ++row.full;
  row.units += cost.wavefronts;
  row.ideal_units += cost.ideal;
}

namespace {

constexpr int kWrite = static_cast<int>(Access::Kind::write);

// Counts one more access by these lanes. Returns their number.
unsigned count_lanes(AccessRow& to, std::uint32_t mask) {
  if (mask == kFullMask) {
    ++to.full;
    return 32;
  }
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  ++to.part;
  to.part_lanes += lanes;
  return lanes;
}

}  // namespace

bool count_global(AccessRow& row, bool is_store, unsigned bytes, unsigned packed, std::uint64_t first,
                  std::uint64_t second) {
  const std::uint8_t tag = tag_of(ptx::Space::global, is_store ? kWrite : 0);
  if (row.tag != tag) {
    if (row.tag != 0) return false;
    row.tag = tag;
    row.bytes = static_cast<std::uint8_t>(bytes);
  }
  ++row.full;
  const Blocks touched = blocks_of_halves(bytes, packed, first, second);
  row.units += touched.sectors;
  row.ideal_units += std::min(touched.sectors, bytes);  // 32 lanes of them, in sectors of 32
  row.lines += touched.lines;
  return true;
}

AccessCounters::AccessCounters(const Program& program)
    : program_(&program), count_(program.instruction_count()) {
  rows_.reset(static_cast<AccessRow*>(std::calloc(std::max(count_, 1u), sizeof(AccessRow))));
  if (rows_ == nullptr) throw std::bad_alloc();
}

AccessRow& AccessCounters::row(std::uint32_t instruction, std::uint8_t tag, unsigned bytes) {
  AccessRow& first = rows_[instruction];
  AccessRow& found =
      first.tag == 0 || first.tag == tag ? first : more_[std::uint64_t{instruction} << 8 | tag];
  found.tag = tag;
  found.bytes = static_cast<std::uint8_t>(bytes);
  return found;
}

void AccessCounters::copy_issued(const CopyIssue& copy) {
  AccessRow& to = row(copy.at->index, tag_of(ptx::Space::shared, kWrite), copy.bytes);
  count_lanes(to, copy.mask);
  if (!program_->origin(copy.at->index).ptx->has(ptx::Modifier::ca))
    return;  // .cg takes no passes through the banks
  const unsigned lanes = static_cast<unsigned>(std::popcount(copy.mask));
  const unsigned passes = copy_wavefronts(copy.source, copy.target, copy.bytes, copy.mask, copy.zeroed);
  to.units += passes;
  to.ideal_units += std::min(passes, (lanes * copy.bytes + kBankRowBytes - 1) / kBankRowBytes);
}

void AccessCounters::bulk_copy_issued(const DecodedInstruction* at, unsigned bytes) {
  bulk_bytes_ += bytes;
  count_lanes(row(at->index, tag_of(ptx::Space::shared, kWrite), 0), 1);
}

void AccessCounters::access(const Access& a) {
  const bool shared = a.space == ptx::Space::shared;
  if (a.is_bulk || (a.is_async && shared)) return;  // counted when they were issued
  unsigned bytes = a.bytes;
  if (shared && a.kind != Access::Kind::atomic) {
    const std::uint8_t width = program_->access_width(a.at->index).bytes;
    if (width == 0) return;  // counted at the access that it was merged into
    if (width != kAsWritten) bytes = width;
  }
  const std::uint8_t tag = tag_of(a.space, static_cast<int>(a.kind));
  AccessRow& usual = rows_[a.at->index];
  AccessRow& to = usual.tag == tag ? usual : row(a.at->index, tag, bytes);
  const unsigned lanes = count_lanes(to, a.mask);
  unsigned units = 0;
  if (shared && a.kind == Access::Kind::atomic) {
    const AtomicTurns turns = turns_of_atomic(a, *program_->origin(a.at->index).ptx);
    to.units += turns.passes;
    to.ideal_units += turns.tries;
    return;
  }
  if (shared) {
    units = wavefronts_of(a, bytes);
  } else if (a.space == ptx::Space::local) {
    units = local_sectors(a);
  } else if (a.space == ptx::Space::constant) {
    units = distinct_words(a);
  } else {
    const Blocks touched = blocks_of(a);
    units = touched.sectors;
    to.lines += touched.lines;
  }
  to.units += units;
  const unsigned unit = shared ? kBankRowBytes : kSectorBytes;  // bytes of a wavefront or of a sector
  to.ideal_units += std::min(units, (lanes * bytes + unit - 1) / unit);
}

Counters AccessCounters::take() const {
  Counters out;
  out[Metric::async_copy_bytes] = bulk_bytes_;
  for (std::uint32_t i = 0; i < count_; ++i) add_row(rows_[i], i, *program_, out);
  for (const auto& [key, row] : more_) add_row(row, static_cast<std::uint32_t>(key >> 8), *program_, out);
  return out;
}

}  // namespace warpgrade::emulator
