// Pages of managed and pinned memory that unfinished operations access: the host gets SIGSEGV there.
//
// A page is closed only where all of it that belongs to the allocation is in use, so that a right program
// never touches a closed page, neither itself nor through the system; small allocations are closed page by
// page. Nothing is closed, and nothing costs time, unless an unfinished operation accesses such memory.
#pragma once

#include <cstdint>
#include <map>

#include "machine/memory/device_memory.hpp"
#include "machine/memory/touched_memory.hpp"

namespace warpgrade::cudart {

// The pages that lie in these bytes as a whole; empty if there are none.
emulator::AddressRange whole_pages(emulator::AddressRange bytes);

class PageGuard {
 public:
  using Pages = std::map<std::uint64_t, std::uint64_t>;  // begin → end
  ~PageGuard() { clear(); }
  // Adds what an operation accessed. Takes effect with close().
  void add(const emulator::TouchedMemory& touched, const emulator::DeviceMemory& memory);
  void clear();
  // While the emulator itself, or a host function in a stream, accesses memory, all pages are open.
  void open();
  void close();

  // Opens the pages of the refused host access until the next close(), so that the program continues. False
  // if none of them was closed.
  bool release(std::uint64_t address, std::uint64_t bytes);
  bool empty() const { return no_access_.empty() && no_writes_.empty(); }

  // Pages that are closed for all accesses, and pages that are closed for writes only.
  const Pages& no_access() const { return no_access_; }
  const Pages& no_writes() const { return no_writes_; }

 private:
  static void insert(Pages& to, std::uint64_t begin, std::uint64_t end);
  static bool has(const Pages& pages, std::uint64_t begin, std::uint64_t end);
  void add(Pages& to, const emulator::AddressRanges& ranges, const emulator::DeviceMemory& memory);

  Pages no_access_, no_writes_;
  bool closed_ = false;
};

}  // namespace warpgrade::cudart
