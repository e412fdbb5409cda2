#include "profile/footprint.hpp"

#include <algorithm>
#include <bit>

#include "machine/block.hpp"
#include "machine/memory/device_memory.hpp"
#include "profile/coalescing.hpp"

namespace warpgrade::emulator {
namespace {

// Accesses after which a block is not tracked further: its ratios have settled by then.
constexpr std::size_t kMostLines = std::size_t{1} << 20;

// The lines that one access touches, each once.
struct Touched {
  std::uint64_t line[kWarpSize];
  unsigned sectors[kWarpSize];
  unsigned count = 0;

  void add(std::uint64_t of, unsigned its) {
    unsigned at = count;  // lanes side by side are mostly on one line
    while (at > 0 && line[at - 1] != of) --at;
    if (at > 0) {
      sectors[at - 1] |= its;
      return;
    }
    line[count] = of;
    sectors[count++] = its;
  }
  void add(std::uint64_t address) { add(address >> 7, 1u << (address >> 5 & 3)); }
  void add_run(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t of = first >> 7; of <= last >> 7; ++of) {
      const unsigned from = of == first >> 7 ? first >> 5 & 3 : 0, to = of == last >> 7 ? last >> 5 & 3 : 3;
      add(of, (2u << to) - (1u << from));
    }
  }
};

Touched touched_by(const Access& a) {
  Touched touched;
  if (a.known()) {
    for (int h = 0; h < 2; ++h) {
      const bool packed = a.half[h] == Access::LanePattern::packed;
      touched.add_run(a.first[h], a.first[h] + (packed ? 16u : 1u) * a.bytes - 1);
    }
  } else {
    for (std::uint32_t left = a.mask; left != 0; left &= left - 1)
      touched.add(a.address[std::countr_zero(left)]);
  }
  return touched;
}

// Is each half of the warp packed or uniform? Computed from the addresses if the handler does not say: which
// path a handler takes may depend on earlier accesses, and counters must not.
bool is_regular(const Access& a) {
  if (a.known()) return true;
  if (a.mask != kFullMask) return false;
  for (const std::uint64_t* half : {a.address, a.address + 16}) {
    const std::uint64_t stride = half[1] - half[0];
    if (stride != 0 && stride != a.bytes) return false;
    for (int lane = 1; lane < 16; ++lane)
      if (half[lane] - half[lane - 1] != stride) return false;
  }
  return true;
}

// Sum over the sectors of the highest number of lanes on one word.
unsigned word_conflicts(const Access& a) {
  unsigned sum = 0;
  for (std::uint32_t left = a.mask; left != 0;) {
    const std::uint64_t sector = a.of(static_cast<unsigned>(std::countr_zero(left))) / kSectorBytes;
    unsigned most = 0;
    std::uint32_t others = 0;
    for (std::uint32_t each = left; each != 0; each &= each - 1) {
      const std::uint64_t mine = a.of(static_cast<unsigned>(std::countr_zero(each)));
      if (mine / kSectorBytes != sector) {
        others |= each & -each;
        continue;
      }
      unsigned same = 0;
      for (std::uint32_t other = each; other != 0; other &= other - 1)
        same += a.of(static_cast<unsigned>(std::countr_zero(other))) == mine;
      most = std::max(most, same);
    }
    sum += most;
    left = others;
  }
  return sum;
}

}  // namespace

unsigned BlockFootprint::Recent::load(std::uint64_t line, unsigned sectors) {
  // Rows of a matrix often lie a power of two apart: the set is hashed.
  CachedLine* const set = &lines[(line * 0x9e3779b97f4a7c15u >> 59) * kWays];
  CachedLine* way = std::find_if(set, set + kWays, [&](const CachedLine& each) { return each.line == line; });
  if (way == set + kWays) {
    way = std::min_element(set, set + kWays,
                           [](const CachedLine& a, const CachedLine& b) { return a.used < b.used; });
    *way = {line, 0, 0};
  }
  const auto missed = static_cast<unsigned>(std::popcount(sectors & ~way->sectors));
  way->sectors |= sectors;
  way->used = ++now;
  return missed;
}

unsigned BlockFootprint::Written::store(std::uint64_t line, unsigned sectors) {
  const auto found = std::find_if(lines.begin(), lines.end() - 1,
                                  [&](const auto& each) { return each.first == line && each.second != 0; });
  const unsigned known = found->first == line ? found->second : 0;
  std::move_backward(lines.begin(), found, found + 1);
  lines.front() = {line, known | sectors};
  return static_cast<unsigned>(std::popcount(known & sectors));
}

BlockFootprint::AllocationPart& BlockFootprint::part(const Access& a) {
  const Allocation* in = a.allocation;
  if (in == nullptr)  // several allocations: that of the first lane represents all
    in = a.warp->block->memory->find(a.of(static_cast<unsigned>(std::countr_zero(a.mask))));
  const Key key{in, static_cast<Footprint::Kind>(
                        a.kind)};  // Footprint::Kind lists the kinds in the order of Access::Kind
  if (last_ != nullptr && last_->key == key) return *last_;
  for (const auto& each : parts_)
    if (each->key == key) return *(last_ = each.get());
  parts_.push_back(std::make_unique<AllocationPart>());
  last_ = parts_.back().get();
  last_->key = key;
  last_->found.allocation_bytes = in != nullptr ? in->bytes : 0;
  last_->found.kind = key.second;
  last_->found.allocation = in != nullptr ? in->serial : 0;
  last_->found.blocks = 1;
  return *last_;
}

void BlockFootprint::access(const Access& a) {
  AllocationPart& to = part(a);
  Footprint& f = to.found;
  if (to.lines.count() >= kMostLines) return;
  SampledSite& site = sites_.try_emplace(a.at->index, SampledSite{f.allocation}).first->second;
  const Touched touched = touched_by(a);
  const std::uint32_t warp = a.warp->index;
  const bool read = a.kind == Access::Kind::read;
  if (read && recent_.size() <= warp) recent_.resize(a.warp->block->warps);
  const bool write = a.kind == Access::Kind::write;
  if (written_.size() <= warp) written_.resize(a.warp->block->warps);
  if (read) written_[warp] = {};
  unsigned missed = 0;
  for (unsigned i = 0; i < touched.count; ++i) {
    const auto [fresh, of_warp] = to.lines.touch(touched.line[i], touched.sectors[i], 1u << warp % 32);
    f.block_sectors += fresh;
    f.warp_sectors += of_warp;
    f.sectors += static_cast<unsigned>(std::popcount(touched.sectors[i]));
    if (write) f.joined_sectors += written_[warp].store(touched.line[i], touched.sectors[i]);
    if (read) missed += recent_[warp].load(touched.line[i], touched.sectors[i]);
  }
  f.missed_sectors += missed;
  ++site.requests;
  site.missed += missed != 0;
  ++f.requests;
  f.lines += touched.count;
  f.bytes += static_cast<std::uint64_t>(std::popcount(a.mask)) * a.bytes;
  // Packed lanes take one pass for each line.
  if (read)
    f.passes +=
        is_regular(a) ? touched.count : wavefronts(a.address, std::min<unsigned>(a.bytes, 16), a.mask);
  if (a.kind == Access::Kind::atomic) f.on_a_word += word_conflicts(a);
}

bool Footprints::wants(std::uint64_t block) const {
  return std::binary_search(of_.blocks.begin(), of_.blocks.end(), block);
}

void Footprints::add(const BlockFootprint& one, std::uint64_t block) {
  const auto at = std::lower_bound(of_.blocks.begin(), of_.blocks.end(), block) - of_.blocks.begin();
  const std::uint32_t pair = 1u << of_.pair[static_cast<std::size_t>(at)] % 32;
  const std::lock_guard lock(mutex_);
  for (const auto& [instruction, site] : one.sites_) {
    BlockFootprint::SampledSite& known =
        sites_.try_emplace(instruction, BlockFootprint::SampledSite{site.allocation}).first->second;
    known.allocation = std::min(known.allocation, site.allocation);
    known.requests += site.requests;
    known.missed += site.missed;
  }
  for (const auto& part : one.parts_) {
    Sum& sum = sums_[{part->found.allocation, part->key.second}];
    sum.found.add(part->found);
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
    part->lines.for_each([&](const TouchedLines::Line& line) {
      unsigned sectors = 0;
      for (unsigned i = 0; i < 4; ++i) sectors |= line.by[i] != 0 ? 1u << i : 0u;
      const auto [to_all, to_pair] = sum.lines.touch(line.number, sectors, pair);
      sum.found.launch_sectors += to_all;
      sum.found.pair_sectors += to_pair;
      lowest = std::min(lowest, line.number);
      highest = std::max(highest, line.number);
    });
    sum.found.block_reach_lines += highest - lowest + 1;
    sum.lowest = std::min(sum.lowest, lowest);
    sum.highest = std::max(sum.highest, highest);
  }
}

void Footprints::take(Counters& to) {
  for (auto& [key, sum] : sums_) {
    sum.found.reach_lines = sum.highest - sum.lowest + 1;
    sum.found.launch_lines = sum.lines.count();
    to.footprints.push_back(sum.found);
  }
  for (const auto& [instruction, from] : sites_) {
    const auto site = to.sites.find(instruction);
    if (site == to.sites.end()) continue;
    site->second.allocation = from.allocation;
    site->second.sampled = from.requests;
    site->second.missed = from.missed;
  }
}

}  // namespace warpgrade::emulator
