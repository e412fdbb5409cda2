#include "checks/uninitialised/check.hpp"

#include <algorithm>
#include <bit>

#include "checks/uninitialised/defined_bits.hpp"
#include "checks/uninitialised/pending_reads.hpp"
#include "machine/shadow_execution.hpp"
#include "machine/used_bytes.hpp"

namespace warpgrade::emulator {
namespace {

using LanePattern = Access::LanePattern;

unsigned run_bytes(const Access& a, int half) {
  return a.half[half] == LanePattern::packed ? 16u * a.bytes : a.bytes;
}

// The lanes that read unwritten bytes, and a mask of these bytes. `base`: the address of
// flag 0, by lane.
struct Missing {
  PendingRead read;
  std::uint64_t bytes[kWarpSize] = {};
};
template <bool Atomic, class Base>
Missing find_missing(const Access& access, const DefinedBits<Atomic>& bits, Base base) {
  const std::uint64_t used = used_bytes(access);
  Missing out{.read = {.access = access, .warp = *access.warp, .instruction = access.at->index}};
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = out.read.address[lane] = access.of(lane);
    for (unsigned i = 0; i < access.bytes; ++i)
      out.bytes[lane] |= std::uint64_t{!bits.all(address - base(lane) + i, 1)} << i;
    out.bytes[lane] &= used;
    if (out.bytes[lane] != 0) out.read.lanes |= 1u << lane;
  }
  return out;
}

// If an undefined value was stored to these bytes, the value comes from that earlier read.
void bring(const Access& access, const Missing& missing, PendingReads& reads) {
  constexpr std::uint32_t kNoRead = ShadowExecution::kNoRead;
  ShadowExecution& values = *access.warp->block->observers->following;
  std::uint32_t fresh = kNoRead;
  for (std::uint32_t left = missing.read.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint32_t read = kNoRead;
    if (access.space == ptx::Space::shared)
      read = values.origin_of(access.of(lane) + static_cast<unsigned>(std::countr_zero(missing.bytes[lane])));
    if (read == kNoRead) {
      if (fresh == kNoRead) fresh = reads.add(missing.read);
      read = fresh;
    }
    values.bring(lane, missing.bytes[lane], read);
  }
}

// The shadow interpreter follows the value of a load. Atomics and asynchronous copies count as uses at once.
void note(const Access& access, const Missing& missing) {
  if (missing.read.lanes == 0) return;
  const Block& block = *access.warp->block;
  BlockDefinedness& to = definedness_of(block);
  if (to.again(kind_of(missing.read), access.at->index) != nullptr) return;
  if (block.shadow == nullptr || !block.shadow->may_restart(access)) return to.pending.add_used(missing.read);
  if (block.observers->following == nullptr) throw ShadowRestart{access.at};
  bring(access, missing, to.pending);
}

// Whether adjacent lanes read adjacent elements of at most a word: a structure with padding has a longer
// stride.
bool is_in_a_row(const Access& access, unsigned lane) {
  const auto is_next = [&](unsigned one, unsigned other) {
    return (access.mask >> one & access.mask >> other & 1u) != 0 &&
           access.of(one) + access.bytes == access.of(other);
  };
  return access.bytes <= 4 &&
         ((lane > 0 && is_next(lane - 1, lane)) || (lane + 1 < kWarpSize && is_next(lane, lane + 1)));
}

// Whether a lane reads a word that a cudaMemset has set only in part and that cannot be the padding of a
// structure: a cudaMemset of one member also ends within a word.
bool reads_cut_word(const Access& access, std::uint32_t lanes, const Allocation& allocation) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t first = access.of(lane) - allocation.base;
    for (const CutWord& cut : allocation.cut_words)
      if (first < cut.at && cut.at < first + access.bytes && (cut.of_all || is_in_a_row(access, lane)))
        return true;
  }
  return false;
}

template <bool Atomic>
void note_undefined_bytes(const Access& access, const DefinedBits<Atomic>& bits, std::uint64_t base,
                          const Allocation* allocation = nullptr) {
  Missing missing = find_missing(access, bits, [base](unsigned) { return base; });
  if (allocation != nullptr)
    missing.read.has_cut_word = reads_cut_word(access, missing.read.lanes, *allocation);
  note(access, missing);
}

template <bool Atomic>
bool any_written(const DefinedBits<Atomic>& bits, std::uint64_t first, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    if (bits.all(first + i, 1)) return true;
  return false;
}

// Checks that each byte that the access reads has been written.
template <bool Atomic>
bool all_written(const Access& access, const DefinedBits<Atomic>& bits, std::uint64_t base) {
  bool good = true;
  if (access.known()) {
    for (int half = 0; half < 2; ++half) good &= bits.all(access.first[half] - base, run_bytes(access, half));
  } else {
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
      good &= bits.all(access.of(static_cast<unsigned>(std::countr_zero(left))) - base, access.bytes);
  }
  return good;
}

template <bool Atomic>
unsigned write(const Access& access, DefinedBits<Atomic> bits, std::uint64_t base) {
  unsigned fresh = 0;
  if (access.known()) {
    for (int half = 0; half < 2; ++half)
      fresh += bits.set(access.first[half] - base, run_bytes(access, half));
  } else {
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
      fresh += bits.set(access.of(static_cast<unsigned>(std::countr_zero(left))) - base, access.bytes);
  }
  return fresh;
}

void check_allocation(const Access& access, Allocation& allocation) {
  if (allocation.written.empty()) return;
  const DefinedBits<true> bits(allocation.written.data());
  if (access.kind != Access::Kind::write && !all_written(access, bits, allocation.base))
    note_undefined_bytes(access, bits, allocation.base, &allocation);
  if (access.kind != Access::Kind::read) write(access, bits, allocation.base);
}

}  // namespace

void SharedDefinedness::block_begin(const Block& block) {
  written_.assign(block.shared_bytes / 8 + 1, 0);
  const std::uint32_t reserved = block.launch->kernel->reserved_shared;
  std::fill_n(written_.begin(), reserved / 8, static_cast<std::uint8_t>(0xff));
  missing_ = block.shared_bytes - reserved;
  writers_.block_begin(block.shared_bytes);
}

void SharedDefinedness::access(const Access& access) {
  if (missing_ == 0) return;
  const DefinedBits<false> bits(written_.data());
  if (access.kind != Access::Kind::write && !all_written(access, bits, 0))
    note_undefined_bytes(access, bits, 0);
  if (access.kind == Access::Kind::read) return;
  const unsigned fresh = write(access, bits, 0);
  if (fresh != 0) writers_.note(access);
  missing_ -= fresh;
}

void SharedDefinedness::mark_undefined(std::uint64_t offset) {
  std::uint8_t& flags = written_[offset / 8];
  const auto flag = static_cast<std::uint8_t>(1u << offset % 8);
  missing_ += (flags & flag) != 0;
  flags = static_cast<std::uint8_t>(flags & ~flag);
}

void LocalDefinedness::access(const Access& access, std::uint32_t own) {
  const std::uint64_t of_lane = (own + 7u) / 8u * 8u, of_warp = of_lane * kWarpSize;
  if (written_.empty()) written_.resize(of_warp * access.warp->block->warps / 8);
  const DefinedBits<false> all(written_.data() + of_warp / 8 * access.warp->index);
  DefinedBits<false> bits = all;
  const auto base = [of_lane](unsigned lane) { return std::uint64_t{0} - lane * of_lane; };
  const auto inside = [&](unsigned lane) { return access.of(lane) + access.bytes <= own; };
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
    if (!inside(static_cast<unsigned>(std::countr_zero(left)))) return;
  if (access.kind != Access::Kind::write) {
    Missing missing = find_missing(access, all, base);
    if (missing.read.lanes != 0) {
      const auto lane = static_cast<unsigned>(std::countr_zero(missing.read.lanes));
      for (unsigned other = 0; other < kWarpSize && missing.read.writer < 0; ++other)
        if (any_written(all, access.of(lane) - base(other), access.bytes))
          missing.read.writer = static_cast<int>(other);
    }
    note(access, missing);
  }
  if (access.kind == Access::Kind::read) return;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    bits.set(access.of(lane) - base(lane), access.bytes);
  }
}

void mark_global_undefined(DeviceMemory& memory, std::uint64_t address) {
  Allocation* allocation = memory.find(address);
  if (allocation == nullptr || allocation->written.empty()) return;
  const std::uint64_t at = address - allocation->base;
  __atomic_fetch_and(allocation->written.data() + at / 8, static_cast<std::uint8_t>(~(1u << at % 8)),
                     __ATOMIC_RELAXED);
}

void check_global_init(const Access& access) {
  if (access.allocation != nullptr) return check_allocation(access, *access.allocation);
  std::uint64_t address[kWarpSize];
  Access one = access;
  one.address = address;
  one.half[0] = one.half[1] = LanePattern::scattered;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    address[lane] = access.of(static_cast<unsigned>(lane));
    one.mask = 1u << lane;
    if (Allocation* allocation = access.warp->block->memory->find(address[lane]))
      check_allocation(one, *allocation);
  }
}

}  // namespace warpgrade::emulator
