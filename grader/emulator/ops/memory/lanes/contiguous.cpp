// The contiguous implementation of loads and stores (ops/memory/contiguous.hpp). Built once for each vector
// width.
//
// The addresses of a full warp are classified by halves of 16 lanes, because a 16-wide tile makes each half
// of a warp a row of its own. A packed or uniform half is one vector move, with the bounds checked at its
// ends. Whatever does not fit (another allocation than last time, a fault) goes to the general handler, which
// starts from the beginning: nothing has been changed by then.
#include <bit>
#include <cstring>

#include "ops/memory/access_form.hpp"
#include "ops/memory/lanes/contiguous_variants.hpp"
#include "ops/memory/lanes/gather.hpp"
#include "ops/memory/lanes/interleave.hpp"
#include "ops/memory/lanes/runs.hpp"
#include "ops/memory/resolve.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {
namespace {

using LanePattern = Access::LanePattern;

// An address a is in bounds where a - begin <= limit; its host address is base + a.
struct Bounds {
  std::uint64_t base, begin, limit;
  Allocation* allocation;
};

template <bool Shared, bool Write>
inline bool find_bounds(const Warp& warp, const DecodedInstruction* at, unsigned bytes, Bounds& bounds) {
  const Block& block = *warp.block;
  if constexpr (Shared) {
    if (block.shared_bytes < bytes) return false;
    bounds = {reinterpret_cast<std::uint64_t>(block.shared), 0, block.shared_bytes - bytes, nullptr};
    return true;
  } else {
    const AllocationCache::CachedAllocation& last =
        block.observers->allocations.entry[at->index % AllocationCache::kEntries];
    if (last.allocation == nullptr || last.end - last.begin < bytes) return false;
    if (last.allocation->kind == Allocation::Kind::module_constant) return false;
    bounds = {last.shift, last.begin, last.end - last.begin - bytes, last.allocation};
    return true;
  }
}

template <class A>
inline LanePattern pattern_of(const A* address, A step) {
  if (is_run(address, step)) return LanePattern::packed;
  return is_run(address, A{0}) ? LanePattern::uniform : LanePattern::scattered;
}

template <class A>
inline bool is_good(const Bounds& bounds, const A* address, unsigned bytes) {
  A bad = 0;
  const A begin = static_cast<A>(bounds.begin), limit = static_cast<A>(bounds.limit);
  for (int i = 0; i < kWarpSize; ++i) {
    bad |= address[i] & static_cast<A>(bytes - 1);
    bad |= static_cast<A>(address[i] - begin) > limit ? A{1} : A{0};
  }
  return bad == 0;
}

// Addresses of all lanes, where inactive lanes have the address of an active one. If no half is scattered,
// only those of lanes 0 and 16 are set.
template <class A>
struct Request {
  alignas(64) A address[kWarpSize];
  LanePattern half[2] = {LanePattern::scattered, LanePattern::scattered};
  Bounds bounds;
  bool known() const { return half[0] != LanePattern::scattered && half[1] != LanePattern::scattered; }
};

template <class A>
inline void read(const Warp& warp, const DecodedInstruction* at, Request<A>& request) {
  const A* from = warp.lanes<A>(at->operand[kAddressOperand]);
  const A offset = static_cast<A>(at->immediate);
  if (warp.active == kFullMask) {
    for (int i = 0; i < kWarpSize; ++i) request.address[i] = from[i] + offset;
    return;
  }
  const A spare = from[__builtin_ctz(warp.active)];
  for (int i = 0; i < kWarpSize; ++i)
    request.address[i] = ((warp.active >> i & 1u) != 0 ? from[i] : spare) + offset;
}

// For a packed or uniform half: if both ends are in bounds, all lanes are, as the limit is far below a
// wrap-around.
template <unsigned kBytes, class A>
inline bool ends_are_good(const Bounds& bounds, A first, A last) {
  const A begin = static_cast<A>(bounds.begin), limit = static_cast<A>(bounds.limit);
  return static_cast<A>(first - begin) <= limit && static_cast<A>(last - begin) <= limit &&
         first % kBytes == 0;
}

template <class A>
[[gnu::noinline]] bool prepare_scattered(const Warp& warp, const DecodedInstruction* at, unsigned bytes,
                                         Request<A>& request) {
  read(warp, at, request);
  return is_good(request.bounds, request.address, bytes);
}

// Whether the access may be executed as `request` describes it.
template <bool Shared, bool Write, unsigned kBytes, class A>
[[gnu::always_inline]] inline bool prepare(const Warp& warp, const DecodedInstruction* at,
                                           Request<A>& request) {
  if (!find_bounds<Shared, Write>(warp, at, kBytes, request.bounds)) return false;
  if (warp.active != kFullMask) return prepare_scattered(warp, at, kBytes, request);
  const A* from = warp.lanes<A>(at->operand[kAddressOperand]);
  bool good = true;
  for (int h = 0; h < 2; ++h) {
    const A* half = from + kHalf * h;
    request.half[h] = pattern_of(half, A{kBytes});
    request.address[kHalf * h] = half[0] + static_cast<A>(at->immediate);
    good &= ends_are_good<kBytes>(request.bounds, request.address[kHalf * h],
                                  static_cast<A>(half[kHalf - 1] + static_cast<A>(at->immediate)));
  }
  if (!request.known()) return prepare_scattered(warp, at, kBytes, request);
  return good;
}

// Counts the access where accesses are only counted. False: it needs an event.
template <class A>
inline bool is_counted(const Warp& warp, const DecodedInstruction* at, Access::Kind kind, unsigned bytes,
                       const Request<A>& request) {
  if (!warp.block->only_counted || !request.known()) return false;
  const unsigned packed =
      (request.half[0] == LanePattern::packed ? 1u : 0u) | (request.half[1] == LanePattern::packed ? 2u : 0u);
  return count_global(warp.rows[at->index], kind == Access::Kind::write, bytes, packed, request.address[0],
                      request.address[kHalf]);
}

template <bool Shared, class A>
[[gnu::noinline]] void report(Warp& warp, const DecodedInstruction* at, Access::Kind kind, unsigned bytes,
                              const Request<A>& request, const void* value) {
  alignas(64) std::uint64_t address[kWarpSize];
  const bool known = request.known();
  if (!known)
    for (int i = 0; i < kWarpSize; ++i) address[i] = request.address[i];
  const Access access{.at = at,
                      .warp = &warp,
                      .space = Shared ? ptx::Space::shared : ptx::Space::global,
                      .kind = kind,
                      .bytes = static_cast<std::uint8_t>(bytes),
                      .mask = warp.active,
                      .address = known ? nullptr : address,
                      .value = value,
                      .half = {request.half[0], request.half[1]},
                      .first = {request.address[0], request.address[kHalf]},
                      .allocation = request.bounds.allocation};
  warp.block->observers->access(access);
}

template <class T>
inline T get(std::uint64_t from) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(from), sizeof value);
  return value;
}
inline void put(std::uint64_t to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
}

template <class T, int V>
inline void load_half(std::uint64_t base, LanePattern pattern, const auto* address, T* const* to) {
  if (pattern == LanePattern::uniform) {
    for (int v = 0; v < V; ++v) {
      const T value = get<T>(base + address[0] + v * sizeof(T));
      for (int i = 0; i < kHalf; ++i) to[v][i] = value;
    }
  } else {
    const auto* first = reinterpret_cast<const std::byte*>(base + address[0]);
    if constexpr (V == 1)
      std::memcpy(to[0], first, kHalf * sizeof(T));
    else
      Interleave<T>::template apart<V>(first, to, kHalf);
  }
}

// Prefetches the data while observers check the access.
template <class A>
inline void send_for(const Request<A>& request, unsigned bytes) {
  constexpr unsigned kLine = 64;
  for (int h = 0; h < 2; ++h) {
    const auto* from = reinterpret_cast<const std::byte*>(request.bounds.base + request.address[kHalf * h]);
    const unsigned end = request.half[h] == LanePattern::packed ? kHalf * bytes : 1;
    for (unsigned i = 0; i < end; i += kLine) __builtin_prefetch(from + i);
  }
}

template <class T, int V, bool Shared, class A, bool Observed>
const DecodedInstruction* load(Warp& warp, const DecodedInstruction* at) {
  constexpr unsigned kBytes = sizeof(T) * V;
  Request<A> request;
  if (!prepare<Shared, false, kBytes>(warp, at, request))
    return general_load_of<sizeof(T), Observed>(warp, at);
  if (Observed && (Shared || !is_counted(warp, at, Access::Kind::read, kBytes, request))) {
    if constexpr (!Shared) send_for(request, kBytes);
    report<Shared>(warp, at, Access::Kind::read, kBytes, request, nullptr);
  }
  T* to[V];
  for (int v = 0; v < V; ++v) to[v] = warp.lanes<T>(at->operand[v]);
  if (!request.known()) {
    for (int v = 0; v < V; ++v)
      gather_lanes(to[v], request.bounds.base + v * sizeof(T), request.address, warp.active);
    return at + 1;
  }
  for (int h = 0; h < 2; ++h) {
    T* half[V];
    for (int v = 0; v < V; ++v) half[v] = to[v] + kHalf * h;
    load_half<T, V>(request.bounds.base, request.half[h], request.address + kHalf * h, half);
  }
  return at + 1;
}

template <class T, int V>
inline void store_half(std::uint64_t base, LanePattern pattern, const auto* address, const T* const* from) {
  if (pattern == LanePattern::packed) {
    if constexpr (V == 1) return put(base + address[0], from[0], kHalf * sizeof(T));
    return Interleave<T>::template together<V>(from, reinterpret_cast<std::byte*>(base + address[0]), kHalf);
  }
  if (pattern == LanePattern::uniform) {  // of several lanes at one address the last one wins
    for (int v = 0; v < V; ++v) put(base + address[0] + v * sizeof(T), from[v] + kHalf - 1, sizeof(T));
    return;
  }
  for (int i = 0; i < kHalf; ++i)
    for (int v = 0; v < V; ++v) put(base + address[i] + v * sizeof(T), from[v] + i, sizeof(T));
}

template <class T, int V, bool Shared, class A, bool Observed>
const DecodedInstruction* store(Warp& warp, const DecodedInstruction* at) {
  constexpr unsigned kBytes = sizeof(T) * V;
  Request<A> request;
  if (!prepare<Shared, true, kBytes>(warp, at, request))
    return general_store_of<sizeof(T), Observed>(warp, at);
  const T* from[V];
  for (int v = 0; v < V; ++v) from[v] = warp.lanes<T>(at->operand[v]);
  if (Observed && (Shared || !is_counted(warp, at, Access::Kind::write, kBytes, request))) {
    alignas(64) T together[V == 1 ? 1 : kWarpSize * V];
    if constexpr (V > 1)
      Interleave<T>::template together<V>(from, reinterpret_cast<std::byte*>(together), kWarpSize);
    report<Shared>(warp, at, Access::Kind::write, kBytes, request, V == 1 ? from[0] : together);
  }
  if (warp.active == kFullMask) {
    const T* upper[V];
    for (int v = 0; v < V; ++v) upper[v] = from[v] + kHalf;
    store_half<T, V>(request.bounds.base, request.half[0], request.address, from);
    store_half<T, V>(request.bounds.base, request.half[1], request.address + kHalf, upper);
    return at + 1;
  }
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    for (int v = 0; v < V; ++v)
      put(request.bounds.base + request.address[lane] + v * sizeof(T), from[v] + lane, sizeof(T));
  }
  return at + 1;
}

template <class T, int V, bool Observed>
Handler pick(const ContiguousAccess& access, bool is_store) {
  const bool shared = access.space == ptx::Space::shared;
  if (shared && access.wide_address)
    return is_store ? store<T, V, true, std::uint64_t, Observed> : load<T, V, true, std::uint64_t, Observed>;
  if (shared)
    return is_store ? store<T, V, true, std::uint32_t, Observed> : load<T, V, true, std::uint32_t, Observed>;
  return is_store ? store<T, V, false, std::uint64_t, Observed> : load<T, V, false, std::uint64_t, Observed>;
}

template <bool Observed>
Handler pick_shape(const ContiguousAccess& access, bool is_store) {
  if (access.shape.bytes == 4) {
    if (access.vector == 1) return pick<std::uint32_t, 1, Observed>(access, is_store);
    if (access.vector == 2) return pick<std::uint32_t, 2, Observed>(access, is_store);
    return pick<std::uint32_t, 4, Observed>(access, is_store);
  }
  return access.vector == 1 ? pick<std::uint64_t, 1, Observed>(access, is_store)
                            : pick<std::uint64_t, 2, Observed>(access, is_store);
}

}  // namespace

Handler contiguous_access(const ContiguousAccess& access, bool is_store, bool observed) {
  return observed ? pick_shape<true>(access, is_store) : pick_shape<false>(access, is_store);
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
