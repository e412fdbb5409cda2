// Loads and stores through registers whose address pattern is known. Built once for each vector width.
//
// Each half of a warp is handled on its own, because a 16-wide tile makes each half a row: packed addresses
// are one vector move, equal ones one load for all lanes, others go lane by lane. Accesses that are not in
// bounds fall back to DecodedInstruction::body, which starts from the beginning.
#include <cstring>

#include "machine/block.hpp"
#include "machine/counters/access_counts.hpp"
#include "machine/kernel_code.hpp"
#include "machine/observers.hpp"
#include "machine/read_log.hpp"
#include "ops/memory/access_form.hpp"
#include "ops/memory/lanes/affine_variants.hpp"
#include "ops/memory/lanes/gather.hpp"
#include "ops/memory/lanes/interleave.hpp"
#include "ops/memory/lanes/runs.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {
namespace {

// Largest stride in bytes of an affine pattern. It covers columns of a padded tile with 32 floats per row,
// and fits into the byte ReadLog::Read::stride.
constexpr unsigned kMostStride = 252;
static_assert(kMostStride < ReadLog::kListed);

// For addresses without a common stride.
template <class A>
[[gnu::noinline]] void find_bounds(const A* address, AddressPattern& pattern) {
  A lowest = address[0], highest = address[0], bits = 0;
  for (int i = 0; i < kWarpSize; ++i) {
    lowest = address[i] < lowest ? address[i] : lowest;
    highest = address[i] > highest ? address[i] : highest;
    bits |= address[i];
  }
  pattern.lowest = lowest;
  pattern.highest = highest;
  pattern.low_bits = static_cast<std::uint32_t>(bits) & 63;
}

// Whether all accesses to shared memory through the register are in bounds and aligned.
inline bool fit_shared(const Warp& warp, const DecodedInstruction* at, const AddressPattern& pattern) {
  const auto begin = static_cast<std::int32_t>(at->immediate),
             end = static_cast<std::int32_t>(at->immediate >> 32);
  const std::uint64_t size = warp.block->shared_bytes;
  return end >= begin && pattern.highest <= size && static_cast<std::int64_t>(pattern.lowest) + begin >= 0 &&
         static_cast<std::int64_t>(pattern.highest) + end <= static_cast<std::int64_t>(size) &&
         (pattern.low_bits & (at->operand[kAlignmentOperand] - 1)) == 0;
}

template <class A>
const DecodedInstruction* compute_pattern(Warp& warp, const DecodedInstruction* at) {
  auto& pattern = *reinterpret_cast<AddressPattern*>(warp.frame + at->operand[kPatternOperand]);
  pattern.shared_base = 0;
  if (warp.active != kFullMask) {
    pattern.known = 0;
    return at + 1;
  }
  const A* address = warp.lanes<A>(at->operand[0]);
  // Bank conflicts depend on the distances between lanes only; an access has at most 16 bytes per lane.
  bool same_cost = pattern.known != 0 && (pattern.first[0] - address[0]) % 16 == 0 &&
                   pattern.first[1] - pattern.first[0] == address[kHalf] - address[0];
  bool all_affine = true;
  A last[2];
  for (int h = 0; h < 2; ++h) {
    const A* half = address + kHalf * h;
    const A stride = half[1] - half[0];
    pattern.first[h] = half[0];
    last[h] = half[kHalf - 1];
    const bool affine = stride <= kMostStride && last[h] >= half[0] && is_run(half, stride);
    all_affine = all_affine && affine;
    same_cost = same_cost && affine && pattern.stride[h] == stride;
    pattern.stride[h] = affine ? static_cast<std::uint32_t>(stride) : AddressPattern::kScattered;
  }
  pattern.known = 1;
  if (!same_cost) pattern.cost = 0;
  if (all_affine) {
    pattern.lowest = pattern.first[0] < pattern.first[1] ? pattern.first[0] : pattern.first[1];
    pattern.highest = last[0] > last[1] ? last[0] : last[1];
    pattern.low_bits = (static_cast<std::uint32_t>(pattern.first[0] | pattern.first[1]) | pattern.stride[0] |
                        pattern.stride[1]) &
                       63;
  } else {
    find_bounds(address, pattern);
  }
  if (fit_shared(warp, at, pattern))
    pattern.shared_base = reinterpret_cast<std::uint64_t>(warp.block->shared);
  return at + 1;
}

// Sets `base` to the host address of device address 0 or of shared offset 0. Returns false unless the
// accesses of all lanes are in bounds and aligned.
template <class A, bool Shared, bool Store>
inline bool find_base(const Warp& warp, const DecodedInstruction* at, const AddressPattern& pattern,
                      unsigned bytes, std::uint64_t& base) {
  if constexpr (Shared) {
    if (warp.active == kFullMask && pattern.shared_base != 0) [[likely]] {
      base = pattern.shared_base;
      return true;
    }
  }
  const A lowest = static_cast<A>(pattern.lowest + at->immediate),
          highest = static_cast<A>(pattern.highest + at->immediate);
  if (warp.active != kFullMask || pattern.known == 0 || lowest > highest) return false;
  if (((pattern.low_bits | static_cast<std::uint32_t>(at->immediate)) & (bytes - 1)) != 0) return false;
  const Block& block = *warp.block;
  if constexpr (Shared) {
    base = reinterpret_cast<std::uint64_t>(block.shared);
    return std::uint64_t{highest} + bytes <= block.shared_bytes;
  } else {
    const AllocationCache::CachedAllocation& last =
        block.observers->allocations.entry[at->index % AllocationCache::kEntries];
    base = last.shift;
    return last.allocation != nullptr && lowest >= last.begin && highest + bytes <= last.end &&
           last.end >= bytes && (!Store || last.allocation->kind != Allocation::Kind::module_constant);
  }
}

// Counts a packed or uniform access to global memory where accesses are only counted. False: it needs an
// event.
template <class A>
inline bool is_counted(const Warp& warp, const DecodedInstruction* at, const AddressPattern& pattern,
                       bool is_store, unsigned bytes) {
  if (!warp.block->only_counted) return false;
  const unsigned packed = (pattern.stride[0] != 0 ? 1u : 0u) | (pattern.stride[1] != 0 ? 2u : 0u);
  return count_global(warp.rows[at->index], is_store, bytes, packed,
                      static_cast<A>(pattern.first[0] + at->immediate),
                      static_cast<A>(pattern.first[1] + at->immediate));
}

// Reports the access to the observers, as lanes/contiguous.cpp does. Not inlined: its callers mostly log a
// read and need no stack for an Access then.
template <class A, bool Shared>
[[gnu::noinline]] void report(Warp& warp, const DecodedInstruction* at, const AddressPattern& pattern,
                              Access::Kind kind, unsigned bytes, const void* value) {
  using LanePattern = Access::LanePattern;
  Access access;
  for (int h = 0; h < 2; ++h) {
    access.first[h] = static_cast<A>(pattern.first[h] + at->immediate);
    access.half[h] = pattern.stride[h] == 0 ? LanePattern::uniform : LanePattern::packed;
  }
  access.at = at;
  access.warp = &warp;
  access.space = Shared ? ptx::Space::shared : ptx::Space::global;
  access.kind = kind;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.mask = warp.active;
  access.address = nullptr;  // `first` and `half` describe all lanes
  access.value = value;
  Observers& observers = *warp.block->observers;
  if constexpr (!Shared) access.allocation = observers.allocations.of(at->index).allocation;
  observers.access(access);
}

// Whether the check of the read may be deferred: no thread has written the bytes since the last barrier of
// the block, and they lie within the array that the access must stay in.
template <class A>
[[gnu::noinline]] bool may_wait(const ReadLog& log, const DecodedInstruction* at,
                                const AddressPattern& pattern, unsigned bytes) {
  const auto begin = static_cast<std::uint32_t>(static_cast<A>(pattern.lowest + at->immediate)),
             end = static_cast<std::uint32_t>(static_cast<A>(pattern.highest + at->immediate)) + bytes;
  if (overlaps(log.written, begin, end)) return false;
  if (at->index >= log.bounds_count) return true;
  const SharedArrayBounds& array = log.bounds[at->index];
  return array.end == 0 || (begin >= array.begin && end <= array.end);
}

// Logs a read of shared memory for the race check. False if it must be reported.
template <class A>
inline bool log_read(const Warp& warp, const DecodedInstruction* at, const AddressPattern& pattern,
                     unsigned bytes) {
  ReadLog* log = warp.block->reads;
  if (log == nullptr || log->count == ReadLog::kMost) return false;
  if (pattern.stride[0] == AddressPattern::kScattered || pattern.stride[1] == AddressPattern::kScattered)
    return false;
  // After most barriers nothing has been written yet.
  if ((log->written.end | log->bounds_count) != 0 && !may_wait<A>(*log, at, pattern, bytes)) return false;
  ReadLog::Read& read = log->reads[log->count++];
  read.warp = &warp;
  read.instruction = at->index;
  read.mask = kFullMask;
  read.time = log->now;
  for (int h = 0; h < 2; ++h) {
    read.first[h] = static_cast<std::uint32_t>(static_cast<A>(pattern.first[h] + at->immediate));
    read.stride[h] = static_cast<std::uint8_t>(pattern.stride[h]);
  }
  read.bytes = static_cast<std::uint8_t>(bytes);
  return true;
}

// The addresses of all lanes, where a half of them is neither packed nor uniform.
template <class A>
struct Addresses {
  alignas(64) A of[kWarpSize];
  Addresses(const Warp& warp, const DecodedInstruction* at) {
    const A* from = warp.lanes<A>(at->operand[kAddressOperand]);
    for (int i = 0; i < kWarpSize; ++i) of[i] = from[i] + static_cast<A>(at->immediate);
  }
};

template <class A>
[[gnu::noinline]] void find_cost(Warp& warp, const DecodedInstruction* at, AddressPattern& pattern,
                                 unsigned bytes) {
  const Addresses<A> addresses(warp, at);
  std::uint64_t address[kWarpSize];
  for (int i = 0; i < kWarpSize; ++i) address[i] = addresses.of[i];
  find_shared_cost(pattern, bytes, at->operand[kCostOperand] & 0xff, address);
}

// The same where only counters are kept: what an access to shared memory costs depends on its pattern alone.
template <class A>
inline void count(Warp& warp, const DecodedInstruction* at, AddressPattern& pattern, bool is_store,
                  unsigned bytes) {
  AccessRow& row = warp.rows[at->index];
  const std::uint32_t usual = at->operand[kCostOperand];
  if (pattern.cost == usual) [[likely]] {
    ++row.usual;
    return;
  }
  if ((pattern.cost & 0xff) != (usual & 0xff)) find_cost<A>(warp, at, pattern, bytes);
  count_affine(row, pattern.cost, is_store);
}

template <class T, int V>
inline void load_half(const std::byte* from, bool packed, T* const* to) {
  if (packed) {
    if constexpr (V == 1)
      std::memcpy(to[0], from, kHalf * sizeof(T));
    else
      Interleave<T>::template apart<V>(from, to, kHalf);
    return;
  }
  for (int v = 0; v < V; ++v) {
    T value;
    std::memcpy(&value, from + static_cast<std::size_t>(v) * sizeof(T), sizeof value);
    for (int i = 0; i < kHalf; ++i) to[v][i] = value;
  }
}

// Whether both halves are packed or uniform: such an access is reported without a list of addresses.
inline bool is_packed_or_uniform(const AddressPattern& pattern, unsigned bytes) {
  return (pattern.stride[0] == bytes || pattern.stride[0] == 0) &&
         (pattern.stride[1] == bytes || pattern.stride[1] == 0);
}

// Whether the handlers below may execute the access; then sets `base` as find_base() does. They report packed
// and uniform accesses only, except for the cost of shared memory, which is computed once for a pattern.
template <class A, bool Shared, bool Store, Observation W>
inline bool may_do(const Warp& warp, const DecodedInstruction* at, const AddressPattern& pattern,
                   unsigned bytes, bool packed_or_uniform, std::uint64_t& base) {
  constexpr bool kAny = W == Observation::none || (W == Observation::counts && Shared);
  return (kAny || packed_or_uniform) && find_base<A, Shared, Store>(warp, at, pattern, bytes, base);
}

template <class A, bool Shared, bool Store, Observation W>
inline void report_access(Warp& warp, const DecodedInstruction* at, AddressPattern& pattern, unsigned bytes,
                          const void* value) {
  constexpr auto kKind = Store ? Access::Kind::write : Access::Kind::read;
  if constexpr (W == Observation::counts && Shared) {
    count<A>(warp, at, pattern, Store, bytes);
  } else if constexpr (W != Observation::none) {
    if (W == Observation::counts && is_counted<A>(warp, at, pattern, Store, bytes)) return;
    report<A, Shared>(warp, at, pattern, kKind, bytes, value);
  }
}

template <class T, int V, class A>
[[gnu::noinline]] void gather(const Warp& warp, const DecodedInstruction* at, std::uint64_t base) {
  const Addresses<A> addresses(warp, at);  // a copy: the destination may be the address register
  for (int v = 0; v < V; ++v)
    gather_lanes(warp.lanes<T>(at->operand[v]), base + static_cast<std::uint64_t>(v) * sizeof(T),
                 addresses.of, kFullMask);
}

template <class T, int V, class A, bool Shared, Observation W>
const DecodedInstruction* load(Warp& warp, const DecodedInstruction* at) {
  constexpr unsigned kBytes = sizeof(T) * V;
  auto& pattern = *reinterpret_cast<AddressPattern*>(warp.frame + at->operand[kPatternOperand]);
  std::uint64_t base = 0;
  const bool packed_or_uniform = is_packed_or_uniform(pattern, kBytes);
  if constexpr (W == Observation::all && Shared) {
    if (!find_base<A, true, false>(warp, at, pattern, kBytes, base)) return at->body(warp, at);
    if (!log_read<A>(warp, at, pattern, kBytes)) {
      if (!packed_or_uniform) return at->body(warp, at);
      report<A, true>(warp, at, pattern, Access::Kind::read, kBytes, nullptr);
    }
  } else {
    if (!may_do<A, Shared, false, W>(warp, at, pattern, kBytes, packed_or_uniform, base))
      return at->body(warp, at);
    report_access<A, Shared, false, W>(warp, at, pattern, kBytes, nullptr);
  }
  if (!packed_or_uniform) {
    gather<T, V, A>(warp, at, base);
    return at + 1;
  }
  for (int h = 0; h < 2; ++h) {
    T* to[V];
    for (int v = 0; v < V; ++v) to[v] = warp.lanes<T>(at->operand[v]) + kHalf * h;
    const A first = static_cast<A>(pattern.first[h] + at->immediate);
    load_half<T, V>(reinterpret_cast<const std::byte*>(base + first), pattern.stride[h] != 0, to);
  }
  return at + 1;
}

// Lane by lane, lowest first: of several lanes that write one address the last one wins.
template <class T, int V, class A>
[[gnu::noinline]] void scatter(const Warp& warp, const DecodedInstruction* at, std::uint64_t base) {
  const Addresses<A> addresses(warp, at);
  for (int i = 0; i < kWarpSize; ++i)
    for (int v = 0; v < V; ++v)
      std::memcpy(
          reinterpret_cast<std::byte*>(base + addresses.of[i]) + static_cast<std::size_t>(v) * sizeof(T),
          warp.lanes<T>(at->operand[v]) + i, sizeof(T));
}

template <class T, int V, class A, bool Shared, Observation W>
const DecodedInstruction* store(Warp& warp, const DecodedInstruction* at) {
  constexpr unsigned kBytes = sizeof(T) * V;
  auto& pattern = *reinterpret_cast<AddressPattern*>(warp.frame + at->operand[kPatternOperand]);
  std::uint64_t base = 0;
  const bool packed = pattern.stride[0] == kBytes && pattern.stride[1] == kBytes;
  if (!may_do<A, Shared, true, W>(warp, at, pattern, kBytes, packed, base)) return at->body(warp, at);
  if (!packed) {
    report_access<A, Shared, true, W>(warp, at, pattern, kBytes,
                                      nullptr);  // counters only, which need no value
    scatter<T, V, A>(warp, at, base);
    return at + 1;
  }
  const T* from = warp.lanes<T>(at->operand[0]);
  alignas(64) T together[V == 1 ? 1 : kWarpSize * V];
  if constexpr (V > 1) {
    const T* apart[V];
    for (int v = 0; v < V; ++v) apart[v] = warp.lanes<T>(at->operand[v]);
    Interleave<T>::template together<V>(apart, reinterpret_cast<std::byte*>(together), kWarpSize);
    from = together;
  }
  report_access<A, Shared, true, W>(warp, at, pattern, kBytes, from);
  for (int h = 0; h < 2; ++h) {
    auto* to = reinterpret_cast<std::byte*>(base + static_cast<A>(pattern.first[h] + at->immediate));
    std::memcpy(to, from + kHalf * V * h, kHalf * kBytes);
  }
  return at + 1;
}

template <class T, int V, class A, bool Shared, Observation W>
Handler pick(bool is_store) {
  return is_store ? store<T, V, A, Shared, W> : load<T, V, A, Shared, W>;
}

template <class T, int V, Observation W>
Handler pick_space(const AffineAccess& access) {
  const bool shared = access.space == ptx::Space::shared;
  if (shared && !access.wide_address) return pick<T, V, std::uint32_t, true, W>(access.is_store);
  if (shared) return pick<T, V, std::uint64_t, true, W>(access.is_store);
  return access.wide_address ? pick<T, V, std::uint64_t, false, W>(access.is_store) : nullptr;
}

template <Observation W>
Handler pick_shape(const AffineAccess& access) {
  if (access.bytes == 4 && access.vector == 1) return pick_space<std::uint32_t, 1, W>(access);
  if (access.bytes == 4 && access.vector == 2) return pick_space<std::uint32_t, 2, W>(access);
  if (access.bytes == 4 && access.vector == 4) return pick_space<std::uint32_t, 4, W>(access);
  if (access.bytes == 8 && access.vector == 1) return pick_space<std::uint64_t, 1, W>(access);
  if (access.bytes == 8 && access.vector == 2) return pick_space<std::uint64_t, 2, W>(access);
  return nullptr;
}

}  // namespace

Handler affine_access_handler(const AffineAccess& access, Observation observation) {
  if (observation == Observation::counts) return pick_shape<Observation::counts>(access);
  return observation == Observation::all ? pick_shape<Observation::all>(access)
                                         : pick_shape<Observation::none>(access);
}

Handler address_pattern_handler(bool wide) {
  return wide ? compute_pattern<std::uint64_t> : compute_pattern<std::uint32_t>;
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
