#include "observe/init.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "observe/block_watch.hpp"
#include "observe/demanded_bytes.hpp"
#include "observe/fault.hpp"
#include "observe/used_bytes.hpp"
#include "observe/written_bits.hpp"

namespace warpgrade::observe {
namespace {

using Pattern = Access::Pattern;

unsigned run_bytes(const Access& a, int half) {
  return a.half[half] == Pattern::packed ? 16u * a.bytes : a.bytes;
}

// CUB's merge sort reads the key behind the last one, and makes no use of it.
bool reads_in_vain(const exec::Block& block, const Access& access) {
  const std::string& kernel = block.launch->kernel->name;
  return access.space == ptx::Space::shared && kernel.starts_with("_ZN3cub") &&
         kernel.find("DeviceMergeSort") != kernel.npos;
}

void report(const UnwrittenRead& read) {
  const Access& access = read.access;
  const exec::Block& block = *read.warp.block;
  if (reads_in_vain(block, access)) return;
  BlockWatch& to = watch(block);
  if (to.again(Kind::uninitialised_read, read.instruction) != nullptr || to.full()) return;
  const int lane = std::countr_zero(read.lanes);
  Finding finding;
  finding.check = Check::init;
  finding.kind = Kind::uninitialised_read;
  finding.site.instruction = read.instruction;
  finding.site.block = block.index;
  finding.site.thread = thread_of(read.warp, lane);
  finding.site.access = access.kind == Access::Kind::atomic ? "atomic" : "read";
  finding.memory = describe(block, &read.warp, access.space, read.address[lane], access.bytes);
  finding.lanes = static_cast<std::uint32_t>(std::popcount(read.lanes));
  finding.message = finding.site.access + " of " + std::to_string(access.bytes) + " bytes of " +
                    space_words(access.space) + " that nothing has written";
  if (finding.memory.relation == "inside")
    finding.message +=
        ": byte " + std::to_string(finding.memory.distance) + " of " + finding.memory.allocation;
  to.add(std::move(finding));
}

// Bytes of one element of what a lane reads: 4 of ld.v2.u32.
unsigned element_bytes(const Access& access) {
  const exec::Program* program = access.warp->block->program;
  const ptx::Instruction* ptx = program == nullptr ? nullptr : program->origin(access.at->index).ptx;
  if (ptx == nullptr) return access.bytes;
  for (const std::string& word : ptx->modifiers)
    if (word == "v2" || word == "v4" || word == "v8")
      return access.bytes / static_cast<unsigned>(word[1] - '0');
  return access.bytes;
}

// All bytes count where there is no program to look at.
DemandedBytes demanded_by(const Access& access) {
  const exec::Block& block = *access.warp->block;
  return block.program == nullptr ? DemandedBytes{} : block.observers->demands.of(access);
}

// The lanes that read bytes without a flag. `base`: the address of flag 0. Bytes that make no difference do
// not count: of a structure that is copied, the padding between its members (a part of an element that has
// been written stands for all), or what an exchange gets that nobody wants.
template <bool Atomic>
UnwrittenRead look(const Access& access, const WrittenBits<Atomic>& bits, std::uint64_t base) {
  const DemandedBytes demanded = demanded_by(access);
  const std::uint64_t used = used_bytes(access) & demanded.all;
  const unsigned element = element_bytes(access);
  UnwrittenRead out{.access = access, .warp = *access.warp, .instruction = access.at->index};
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    bool missing = false;
    for (unsigned first = 0; first < access.bytes; first += element) {
      std::uint64_t lacks = 0;
      bool written = false;
      for (unsigned i = first; i < first + element; ++i) {
        const bool there = bits.all(access.of(static_cast<unsigned>(lane)) - base + i, 1);
        lacks |= std::uint64_t{!there} << i;
        written |= there;
      }
      missing |= (lacks & used & (written ? demanded.but_for_copies : ~std::uint64_t{0})) != 0;
    }
    if (missing) out.lanes |= 1u << lane;
    out.address[lane] = access.of(static_cast<unsigned>(lane));
  }
  return out;
}

// Has each byte that the access reads been written?
template <bool Atomic>
bool all_written(const Access& access, const WrittenBits<Atomic>& bits, std::uint64_t base) {
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
unsigned write(const Access& access, WrittenBits<Atomic> bits, std::uint64_t base) {
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

void check_allocation(const Access& access, exec::Allocation& allocation) {
  if (allocation.written.empty()) return;
  const WrittenBits<true> bits(allocation.written.data());
  if (access.kind != Access::Kind::write && !all_written(access, bits, allocation.base)) {
    const UnwrittenRead read = look(access, bits, allocation.base);
    if (read.lanes != 0) report(read);
  }
  if (access.kind != Access::Kind::read) write(access, bits, allocation.base);
}

}  // namespace

void SharedInit::block_begin(const exec::Block& block) {
  written_.assign(block.shared_bytes / 8 + 1, 0);
  const std::uint32_t reserved = block.launch->kernel->reserved_shared;
  std::fill_n(written_.begin(), reserved / 8, static_cast<std::uint8_t>(0xff));
  missing_ = block.shared_bytes - reserved;
  waiting_.clear();
}

void SharedInit::access(const Access& access) {
  if (missing_ == 0) return;
  const WrittenBits<false> bits(written_.data());
  if (access.kind != Access::Kind::write && !all_written(access, bits, 0)) {
    constexpr std::size_t kMost = 1000;  // between two barriers; a few of them tell all
    const UnwrittenRead read = look(access, bits, 0);
    if (read.lanes != 0 && waiting_.size() < kMost) waiting_.push_back(read);
  }
  if (access.kind != Access::Kind::read) missing_ -= write(access, bits, 0);
}

void SharedInit::block_barrier(const exec::Block& block) {
  const auto& raced = watch(block).raced_words;
  for (UnwrittenRead& read : waiting_) {
    for (std::uint32_t left = read.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::uint64_t first = read.address[lane] / 4,
                          last = (read.address[lane] + read.access.bytes - 1) / 4;
      for (std::uint64_t word = first; word <= last; ++word)
        if (raced.contains(static_cast<std::uint32_t>(word))) read.lanes &= ~(1u << lane);
    }
    if (read.lanes != 0) report(read);
  }
  waiting_.clear();
}

void check_global_init(const Access& access) {
  if (access.allocation != nullptr) return check_allocation(access, *access.allocation);
  std::uint64_t address[exec::kWarpSize];
  Access one = access;
  one.address = address;
  one.half[0] = one.half[1] = Pattern::scattered;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    address[lane] = access.of(static_cast<unsigned>(lane));
    one.mask = 1u << lane;
    if (exec::Allocation* allocation = access.warp->block->memory->find(address[lane]))
      check_allocation(one, *allocation);
  }
}

}  // namespace warpgrade::observe
