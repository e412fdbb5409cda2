#include "profile/access_counters.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "analysis/memory/machine_access_widths.hpp"
#include "machine/address_pattern.hpp"
#include "profile/coalescing.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

using LanePattern = Access::LanePattern;

ptx::Space space_of(std::uint8_t tag) { return static_cast<ptx::Space>((tag - 1) / 4); }
Access::Kind kind_of(std::uint8_t tag) { return static_cast<Access::Kind>((tag - 1) % 4); }

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
  if (!program_->origin(copy.at->index).ptx->has(Modifier::ca))
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

namespace {

// Adds accesses that were counted at their usual cost: plain loads and stores of shared memory.
AccessRow with_usual(const AccessRow& counted, const ptx::Instruction& from, AccessWidth width) {
  AccessRow row = counted;
  if (row.usual == 0) return row;
  if (row.tag == 0) {
    row.tag = tag_of(ptx::Space::shared, from.opcode == Opcode::st ? 1 : 0);
    row.bytes = width.bytes == kAsWritten ? static_cast<std::uint8_t>(bytes_of_access(from)) : width.bytes;
  }
  const SharedCost usual = SharedCost::usual(row.bytes);
  row.full += row.usual;
  row.units += row.usual * usual.wavefronts;
  row.ideal_units += row.usual * usual.ideal;
  return row;
}

// Scales the counts to the machine code: in a loop that ptxas unrolled, one access may serve several
// iterations.
AccessRow as_done(const AccessRow& written, AccessWidth width) {
  AccessRow row = written;
  if (width.times == width.each || width.bytes == kAsWritten) return row;
  for (std::uint64_t* each :
       {&row.full, &row.part, &row.part_lanes, &row.units, &row.ideal_units, &row.lines})
    *each = *each * width.times / width.each;
  return row;
}

struct Sum {  // counts of a row
  std::uint64_t executions, lanes, bytes;
};
Sum sum_of(const AccessRow& row) {
  const std::uint64_t lanes = kWarpSize * row.full + row.part_lanes;
  return {row.full + row.part, lanes, lanes * row.bytes};
}

// Kinds of instructions for which Nsight Compute has different counting rules.
enum class By : std::uint8_t {
  any,
  matrix,   // ldmatrix: not among the loads, but for its wavefronts
  copy,     // cp.async: what it reads among the loads but for the bytes, what it writes on its own
  barrier,  // mbarrier: nowhere
  bulk,     // cp.async.bulk: nowhere, the LSU does not do it
};

By by(const ptx::Instruction& from) {
  if (from.opcode == Opcode::ldmatrix) return By::matrix;
  if (from.opcode == Opcode::mbarrier) return By::barrier;
  if (from.opcode != Opcode::cp) return By::any;
  return from.has(Modifier::bulk) ? By::bulk : from.has(Modifier::mbarrier) ? By::barrier : By::copy;
}

void add_global(const AccessRow& row, By who, Counters& to) {
  const auto [executions, lanes, bytes] = sum_of(row);
  const Access::Kind kind = kind_of(row.tag);
  if (kind == Access::Kind::atomic) {
    to[Metric::global_atomics] += executions;
    to[Metric::global_atomic_bytes] += bytes;
    return;
  }
  const bool read = kind == Access::Kind::read;
  to[read ? Metric::global_load_requests : Metric::global_store_requests] += executions;
  to[read ? Metric::global_load_sectors : Metric::global_store_sectors] += row.units;
  if (read) to[Metric::global_load_lines] += row.lines;
  to[who == By::copy ? Metric::async_copy_bytes
     : read          ? Metric::global_load_bytes
                     : Metric::global_store_bytes] += bytes;
}

void add_shared(const AccessRow& row, By who, Counters& to) {
  const std::uint64_t executions = sum_of(row).executions;
  const Access::Kind kind = kind_of(row.tag);
  if (who == By::copy) {
    to[Metric::async_copies] += executions;
    to[Metric::async_copy_wavefronts] += row.units;
    return;
  }
  if (kind == Access::Kind::atomic) {
    to[Metric::shared_atomics] += executions;
    return;
  }
  const bool read = kind == Access::Kind::read;
  if (who != By::matrix)
    to[read ? Metric::shared_load_instructions : Metric::shared_store_instructions] += executions;
  to[read ? Metric::shared_load_wavefronts : Metric::shared_store_wavefronts] += row.units;
}

void add_total(const AccessRow& row, By who, Counters& to) {
  if (who == By::barrier || who == By::bulk) return;
  const bool read = kind_of(row.tag) == Access::Kind::read;
  switch (space_of(row.tag)) {
    case ptx::Space::global:
      add_global(row, who, to);
      break;
    case ptx::Space::shared:
      add_shared(row, who, to);
      break;
    case ptx::Space::local:
      to[read ? Metric::local_load_sectors : Metric::local_store_sectors] += row.units;
      break;
    case ptx::Space::constant:
      to[Metric::constant_loads] += sum_of(row).executions;
      to[Metric::constant_words] += row.units;
      break;
    default:
      break;
  }
}

void add_site(const AccessRow& row, By who, SiteCounters& site) {
  const Sum sum = sum_of(row);
  const bool shared = space_of(row.tag) == ptx::Space::shared;
  if (who != By::copy || shared) {  // a copy's read and write are one execution
    site.executions += sum.executions;
    site.lanes += sum.lanes;
  }
  site.lines += row.lines;
  (shared ? site.wavefronts : site.sectors) += row.units;
  (shared ? site.ideal_wavefronts : site.ideal_sectors) += row.ideal_units;
}

}  // namespace

Counters AccessCounters::take() const {
  Counters out;
  out[Metric::async_copy_bytes] = bulk_bytes_;
  const auto add = [&](std::uint32_t instruction, const AccessRow& row) {
    if (row.tag == 0 && row.usual == 0) return;
    const AccessWidth width = program_->access_width(instruction);
    const AccessRow done = as_done(with_usual(row, *program_->origin(instruction).ptx, width), width);
    const By who = by(*program_->origin(instruction).ptx);
    if (who == By::bulk && row.tag != tag_of(ptx::Space::shared, kWrite)) return;  // the row of the mbarrier
    add_total(done, who, out);
    add_site(done, who, out.sites[instruction]);
  };
  for (std::uint32_t i = 0; i < count_; ++i) add(i, rows_[i]);
  for (const auto& [key, row] : more_) add(static_cast<std::uint32_t>(key >> 8), row);
  return out;
}

}  // namespace warpgrade::emulator
