#include "machine/memory/device_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <new>
#include <utility>

namespace warpgrade::emulator {
namespace {

// The look-up table has one entry for each granule of 64 KiB of address space. A granule never holds two
// allocations, so finding an allocation takes one load and two comparisons.
constexpr unsigned kGranuleShift = 16;
constexpr std::uint64_t kGranule = std::uint64_t{1} << kGranuleShift;

// Unused bytes after every allocation: an index that is off by one falls into them.
constexpr std::uint64_t kRedZone = 256;

// Small allocations share committed chunks, because each change of protection costs the kernel a
// mapping and Linux allows 65,530 of them (vm.max_map_count). Large ones stand between unmapped granules.
constexpr std::uint64_t kChunk = std::uint64_t{16} << 20;
constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
constexpr std::size_t kMostGuarded = 8192;

// Below the lowest place that Linux picks for libraries and stacks (they fill [0x7ef0…, 0x7fff…]), and
// inside what AddressSanitizer and ThreadSanitizer let a program map.
constexpr std::uint64_t kBase = 0x0000'7e80'0000'0000;
constexpr std::uint64_t kMostSpan = std::uint64_t{256} << 30;
constexpr std::uint64_t kLeastSpan = std::uint64_t{1} << 30;

// The part of the range that only modules and the host take from: a kernel that calls malloc() without end
// must not keep the next module from being loaded.
constexpr std::uint64_t kHostShare = 4;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

void* reserve(std::uint64_t place, std::uint64_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place != 0 ? MAP_FIXED_NOREPLACE : 0);
  void* got = mmap(reinterpret_cast<void*>(place), bytes, PROT_NONE, flags, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  if (place != 0 && reinterpret_cast<std::uint64_t>(got) != place) {  // kernels before 4.17 ignore the flag
    munmap(got, bytes);
    return nullptr;
  }
  return got;
}

// The host reads and writes it at the address that kernels use.
bool shared_with_host(Allocation::Kind kind) {
  return kind == Allocation::Kind::managed || kind == Allocation::Kind::pinned;
}

}  // namespace

struct DeviceMemory::Impl {
  using Entry = std::atomic<Allocation*>;
  static_assert(sizeof(Entry) == sizeof(void*) && Entry::is_always_lock_free);

  // Host memory that cudaHostRegister opened to kernels. It lies outside the reserved range. The list is
  // short, and a change replaces it as a whole.
  struct Adopted {
    std::vector<Allocation*> items;
  };

  // Address space for allocations of one kind of access: host-accessible or not.
  struct Area {
    std::uint64_t shift = 0;
    std::uint64_t chunk = 0, chunk_end = 0;
    std::map<std::uint64_t, std::uint64_t> free_list;  // extents to reuse: begin → bytes
  };

  std::uint64_t begin = 0, end = 0;  // the reserved range of addresses
  std::uint64_t bytes_at = 0;        // host address of the bytes that a program's host code cannot access
  std::size_t capacity = 0;
  std::size_t heap_used = 0, most_heap = 0, heap_limit = kHeapBytes;
  std::atomic<std::size_t> used{0};
  std::atomic<bool> shares{false};
  Entry* table = nullptr;
  std::size_t table_bytes = 0;
  std::atomic<const Adopted*> adopted{nullptr};

  mutable std::mutex mutex;  // guards all below
  std::uint64_t fresh = 0;   // first address that no allocation or chunk has had
  Area closed, open_to_host;
  std::size_t guarded = 0;
  std::uint32_t serial = 0;
  std::deque<Allocation> allocations;            // never shrinks: messages point into it
  std::vector<Allocation*> freed_by_kernels;     // the race check still has their shadow memory
  std::deque<Adopted> adopted_versions;          // readers may hold an old one
  std::map<std::uint64_t, Allocation*> by_base;  // includes freed allocations

  Area& area(Allocation::Kind kind) { return shared_with_host(kind) ? open_to_host : closed; }
  static bool open(const Area& area, std::uint64_t at, std::uint64_t bytes) {
    return mprotect(reinterpret_cast<void*>(at + area.shift), bytes, PROT_READ | PROT_WRITE) == 0;
  }
  std::uint64_t end_for(Allocation::Kind kind) const {
    return kind == Allocation::Kind::device_heap ? end - (end - begin) / kHostShare : end;
  }
  std::uint64_t place_small(Area& area, std::uint64_t extent, std::uint64_t last);
  std::uint64_t place_large(const Area& area, std::uint64_t extent, std::uint64_t last);
  std::uint64_t reuse(Area& area, std::uint64_t extent);
  static void give_back(Area& area, std::uint64_t at, std::uint64_t extent);
  void enter(std::uint64_t at, std::uint64_t extent, Allocation* allocation) const;
  Allocation* find_adopted(std::uint64_t address) const;
};

std::uint64_t DeviceMemory::Impl::place_small(Area& area, std::uint64_t extent, std::uint64_t last) {
  if (area.chunk + extent > area.chunk_end) {
    if (fresh + kChunk > last || !open(area, fresh, kChunk)) return 0;
    area.chunk = fresh;
    area.chunk_end = fresh += kChunk;
  }
  const std::uint64_t at = area.chunk;
  area.chunk += extent;
  return at;
}

std::uint64_t DeviceMemory::Impl::place_large(const Area& area, std::uint64_t extent, std::uint64_t last) {
  const std::uint64_t gap = guarded < kMostGuarded ? kGranule : 0;
  if (fresh + gap + extent + gap > last) return 0;
  const std::uint64_t at = fresh + gap;
  if (!open(area, at, extent)) return 0;
  if (gap != 0) ++guarded;
  fresh = at + extent + gap;
  return at;
}

// The lowest freed extent that is large enough; its rest stays on the list.
std::uint64_t DeviceMemory::Impl::reuse(Area& area, std::uint64_t extent) {
  auto& free_list = area.free_list;
  for (auto it = free_list.begin(); it != free_list.end(); ++it) {
    const auto [at, bytes] = *it;
    if (bytes < extent) continue;
    if (!open(area, at, extent)) return 0;
    free_list.erase(it);
    if (bytes > extent) free_list.emplace(at + extent, bytes - extent);
    // Remove records of freed allocations here: a look-up must not find them for the new allocation's
    // addresses.
    by_base.erase(by_base.lower_bound(at), by_base.lower_bound(at + extent));
    return at;
  }
  return 0;
}

void DeviceMemory::Impl::give_back(Area& area, std::uint64_t at, std::uint64_t extent) {
  madvise(reinterpret_cast<void*>(at + area.shift), extent, MADV_DONTNEED);
  auto& free_list = area.free_list;
  auto [it, fresh_entry] = free_list.emplace(at, extent);
  (void)fresh_entry;
  if (auto next = std::next(it); next != free_list.end() && it->first + it->second == next->first) {
    it->second += next->second;
    free_list.erase(next);
  }
  if (it == free_list.begin()) return;
  if (auto previous = std::prev(it); previous->first + previous->second == it->first) {
    previous->second += it->second;
    free_list.erase(it);
  }
}

void DeviceMemory::Impl::enter(std::uint64_t at, std::uint64_t extent, Allocation* allocation) const {
  for (std::uint64_t i = (at - begin) >> kGranuleShift, n = extent >> kGranuleShift; n != 0; ++i, --n)
    table[i].store(allocation, std::memory_order_release);
}

Allocation* DeviceMemory::Impl::find_adopted(std::uint64_t address) const {
  const Adopted* now = adopted.load(std::memory_order_acquire);
  if (now == nullptr) return nullptr;
  for (Allocation* each : now->items)
    if (address - each->base < each->bytes) return each;
  return nullptr;
}

DeviceMemory::DeviceMemory(std::size_t capacity) : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  std::uint64_t span = std::clamp(round_up(2 * std::uint64_t{capacity}, kChunk), kLeastSpan, kMostSpan);
  void *got = nullptr, *bytes = nullptr;
  // The fixed place may be taken by another object or by an odd layout, and ulimit -v may limit address
  // space: try any place, then a smaller range.
  for (; bytes == nullptr && span >= kChunk; span /= 2) {
    got = reserve(kBase, span);
    if (got == nullptr) got = reserve(0, span);
    if (got == nullptr) continue;
    bytes = reserve(0, span);
    if (bytes != nullptr) break;
    munmap(got, span);
  }
  if (bytes == nullptr) throw std::bad_alloc();
  m.begin = round_up(reinterpret_cast<std::uint64_t>(got), kGranule);
  m.end = (reinterpret_cast<std::uint64_t>(got) + span) & ~(kGranule - 1);
  m.bytes_at = reinterpret_cast<std::uint64_t>(bytes);
  m.closed.shift = m.bytes_at - m.begin;
  m.capacity = std::min<std::size_t>(capacity, m.end - m.begin);
  m.table_bytes = ((m.end - m.begin) >> kGranuleShift) * sizeof(Impl::Entry);
  void* table = mmap(nullptr, m.table_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) {
    munmap(got, span);
    munmap(bytes, span);
    throw std::bad_alloc();
  }
  m.table = static_cast<Impl::Entry*>(table);  // zero pages: every entry null
  m.fresh = m.begin + kGranule;  // an address just before the first allocation is in the range too
}

DeviceMemory::~DeviceMemory() {
  munmap(impl_->table, impl_->table_bytes);
  munmap(reinterpret_cast<void*>(impl_->begin), impl_->end - impl_->begin);
  munmap(reinterpret_cast<void*>(impl_->bytes_at), impl_->end - impl_->begin);
}

Allocation* DeviceMemory::allocate(std::size_t bytes, Allocation::Kind kind, std::string name) {
  Impl& m = *impl_;
  if (bytes == 0 || bytes > m.capacity) return nullptr;
  std::lock_guard lock(m.mutex);
  if (m.used.load(std::memory_order_relaxed) + bytes > m.capacity) return nullptr;
  const bool on_heap = kind == Allocation::Kind::device_heap;
  if (on_heap && bytes > m.heap_limit - std::min(m.heap_used, m.heap_limit)) return nullptr;
  const std::uint64_t extent = round_up(bytes + kRedZone, kGranule);
  Impl::Area& area = m.area(kind);
  const std::uint64_t last = m.end_for(kind);
  std::uint64_t at = extent < kLarge ? m.place_small(area, extent, last) : m.place_large(area, extent, last);
  if (at == 0) at = m.reuse(area, extent);
  if (at == 0) return nullptr;
  Allocation& made = m.allocations.emplace_back();
  made.base = made.open_begin = at;
  made.shift = area.shift;
  made.bytes = bytes;
  made.open_end = at + bytes;
  made.kind = kind;
  if (shared_with_host(kind)) m.shares = true;
  made.name = std::move(name);
  made.serial = ++m.serial;
  m.by_base[at] = &made;
  m.used.fetch_add(bytes, std::memory_order_relaxed);
  if (on_heap) m.most_heap = std::max(m.most_heap, m.heap_used += bytes);
  m.enter(at, extent, &made);
  return &made;
}

Allocation* DeviceMemory::adopt(std::uint64_t base, std::size_t bytes) {
  Impl& m = *impl_;
  std::lock_guard lock(m.mutex);
  if (bytes == 0 || base + bytes < base) return nullptr;
  const Impl::Adopted* now = m.adopted.load(std::memory_order_relaxed);
  Impl::Adopted next = now == nullptr ? Impl::Adopted{} : *now;
  for (const Allocation* each : next.items)
    if (base < each->base + each->bytes && each->base < base + bytes) return nullptr;
  Allocation& made = m.allocations.emplace_back();
  made.base = made.open_begin = base;
  made.bytes = bytes;
  made.open_end = base + bytes;
  made.kind = Allocation::Kind::pinned;
  m.shares = true;
  made.serial = ++m.serial;
  next.items.push_back(&made);
  m.adopted.store(&m.adopted_versions.emplace_back(std::move(next)), std::memory_order_release);
  return &made;
}

DeviceMemory::Freed DeviceMemory::release(std::uint64_t base) {
  Impl& m = *impl_;
  std::lock_guard lock(m.mutex);
  if (!in_range(base)) {
    Allocation* found = m.find_adopted(base);
    if (found == nullptr || found->base != base) return Freed::not_an_allocation;
    Impl::Adopted next = *m.adopted.load(std::memory_order_relaxed);
    std::erase(next.items, found);
    found->freed = true;
    m.adopted.store(&m.adopted_versions.emplace_back(std::move(next)), std::memory_order_release);
    return Freed::done;
  }
  const auto it = m.by_base.find(base);
  if (it == m.by_base.end()) return Freed::not_an_allocation;
  Allocation& old = *it->second;
  if (old.freed) return Freed::already_freed;
  old.freed = true;
  old.written = {};
  // Other blocks may be checking accesses to the allocation at the same time, so keep its shadow memory.
  if (old.kind == Allocation::Kind::device_heap)
    m.freed_by_kernels.push_back(&old);
  else
    old.race.reset();
  m.used.fetch_sub(old.bytes, std::memory_order_relaxed);
  if (old.kind == Allocation::Kind::device_heap) m.heap_used -= old.bytes;
  Impl::give_back(m.area(old.kind), base, round_up(old.bytes + kRedZone, kGranule));
  return Freed::done;
}

void DeviceMemory::set_heap_limit(std::size_t bytes) {
  const std::lock_guard lock(impl_->mutex);
  impl_->heap_limit = bytes;
}

Allocation* DeviceMemory::find(std::uint64_t address) const {
  const Impl& m = *impl_;
  const std::uint64_t offset = address - m.begin;
  if (offset >= m.end - m.begin) return m.find_adopted(address);
  Allocation* found = m.table[offset >> kGranuleShift].load(std::memory_order_acquire);
  return found != nullptr && address - found->base < found->bytes ? found : nullptr;
}

Allocation* DeviceMemory::nearest(std::uint64_t address) const {
  const Impl& m = *impl_;
  std::lock_guard lock(m.mutex);
  if (m.by_base.empty()) return nullptr;
  const auto above = m.by_base.upper_bound(address);
  if (above == m.by_base.begin()) return above->second;
  Allocation* below = std::prev(above)->second;
  if (above == m.by_base.end() || address < below->base + below->bytes) return below;
  const std::uint64_t past = address - (below->base + below->bytes);
  return past <= above->first - address ? below : above->second;
}

bool DeviceMemory::in_range(std::uint64_t address) const {
  return address - impl_->begin < impl_->end - impl_->begin;
}

bool DeviceMemory::shares_with_host() const { return impl_->shares.load(std::memory_order_relaxed); }

std::uint64_t DeviceMemory::range_begin() const { return impl_->begin; }
std::uint64_t DeviceMemory::range_bytes() const { return impl_->end - impl_->begin; }

std::size_t DeviceMemory::total() const { return impl_->capacity; }
std::size_t DeviceMemory::used() const { return impl_->used.load(std::memory_order_relaxed); }

std::size_t DeviceMemory::most_heap() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->most_heap;
}

std::uint32_t DeviceMemory::next_race_segment(std::uint32_t most) {
  const std::lock_guard lock(impl_->mutex);
  for (Allocation* each : std::exchange(impl_->freed_by_kernels, {})) each->race.reset();
  if (race_segment_ > most / 2) {
    for (Allocation& each : impl_->allocations) each.race.reset();
    race_segment_ = 1;
  }
  return race_segment_;
}

std::vector<const Allocation*> DeviceMemory::live() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<const Allocation*> out;
  for (const Allocation& each : impl_->allocations)
    if (!each.freed) out.push_back(&each);
  return out;
}

}  // namespace warpgrade::emulator
