#include "cudart/memory/page_guard.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace warpgrade::cudart {
namespace {

using emulator::Allocation;

// Bytes of a page of this machine: 4 KiB on x86-64, up to 64 KiB elsewhere.
std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// In smaller allocations a page is closed even if the operation does not access all of it.
constexpr std::size_t kSmall = std::size_t{64} << 10;
// Linux allows a process 65,530 mappings; strided accesses to large arrays are not guarded.
constexpr std::size_t kMostPieces = 1024;

std::uint64_t down(std::uint64_t at) { return at / page_bytes() * page_bytes(); }
std::uint64_t up(std::uint64_t at) { return down(at + page_bytes() - 1); }

bool is_shared(const Allocation& in) {
  return !in.freed && (in.kind == Allocation::Kind::managed || in.kind == Allocation::Kind::pinned);
}

void set(std::uint64_t begin, std::uint64_t end, int protection) {
  mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

// The pages of a range that may be closed; empty if there are none. Registered memory of the program may
// share its first and last page with anything.
emulator::AddressRange pages_of(emulator::AddressRange range, const Allocation& in, bool registered) {
  if (registered) return whole_pages(range);
  const bool whole = in.bytes <= kSmall;
  const bool from_start = range.begin == in.base;
  const bool to_end = range.end == in.base + in.bytes;
  const std::uint64_t begin = whole || from_start ? down(range.begin) : up(range.begin);
  return {begin, std::max(begin, whole || to_end ? up(range.end) : down(range.end))};
}

}  // namespace

emulator::AddressRange whole_pages(emulator::AddressRange bytes) {
  const std::uint64_t begin = up(bytes.begin);
  return {begin, std::max(begin, down(bytes.end))};
}

void PageGuard::insert(Pages& to, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  auto at = to.upper_bound(begin);
  if (at != to.begin() && std::prev(at)->second >= begin) --at;
  while (at != to.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = to.erase(at);
  }
  to[begin] = end;
}

bool PageGuard::has(const Pages& pages, std::uint64_t begin, std::uint64_t end) {
  const auto above = pages.lower_bound(end);
  return above != pages.begin() && begin < std::prev(above)->second;
}

void PageGuard::add(Pages& to, const emulator::AddressRanges& ranges, const emulator::DeviceMemory& memory) {
  if (ranges.items().size() > kMostPieces || to.size() > kMostPieces) return;
  for (const emulator::AddressRange& each : ranges.items()) {
    const Allocation* in = memory.find(each.begin);
    if (in == nullptr || !is_shared(*in)) continue;
    const emulator::AddressRange pages = pages_of(each, *in, !memory.in_range(each.begin));
    insert(to, pages.begin, pages.end);
  }
}

void PageGuard::add(const emulator::TouchedMemory& touched, const emulator::DeviceMemory& memory) {
  add(no_access_, touched.written, memory);
  add(no_access_, touched.written_strongly, memory);
  add(no_writes_, touched.read, memory);
}

void PageGuard::clear() {
  open();
  no_access_.clear();
  no_writes_.clear();
}

void PageGuard::open() {
  if (!closed_) return;
  closed_ = false;
  for (const Pages* pages : {&no_writes_, &no_access_})
    for (const auto& [begin, end] : *pages) set(begin, end, PROT_READ | PROT_WRITE);
}

void PageGuard::close() {
  if (empty()) return;
  closed_ = true;
  for (const auto& [begin, end] : no_writes_) set(begin, end, PROT_READ);
  for (const auto& [begin, end] : no_access_) set(begin, end, PROT_NONE);
}

bool PageGuard::release(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  if (!has(no_access_, address, end) && !has(no_writes_, address, end)) return false;
  if (closed_) set(down(address), up(end), PROT_READ | PROT_WRITE);
  return true;
}

}  // namespace warpgrade::cudart
