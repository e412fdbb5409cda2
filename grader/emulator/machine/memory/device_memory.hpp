// Device memory: every allocation, its address, and the bytes of it that kernels may access.
//
// Device addresses lie in one range reserved at a fixed place, so that a kernel that prints or hashes
// pointers does so equally on every run. Nothing can be read or written there: the bytes are elsewhere, at
// address + Allocation::shift, so that host code that touches device memory gets SIGSEGV, as with a GPU.
// Only memory that the host shares (managed, pinned) is mapped at its own address. An address is reused only
// when the range has no unused ones left, so that every use after free before that is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "machine/memory/shadow_handle.hpp"

namespace warpgrade::emulator {

class Program;

// What memory is filled with before a program writes it: a read of unwritten memory gives the same wrong
// value on each run.
constexpr int kUnwrittenByte = 0xCD;

// A word of four bytes in which a cudaMemset began or ended.
struct CutWord {
  std::uint64_t at = 0;  // offset of the end within the word
  bool of_all = false;   // the call began with the allocation and ended in its last word
};

struct Allocation {
  enum class Kind : std::uint8_t {
    device,
    managed,
    pinned,
    module_global,
    module_constant,
    device_heap,
    workspace,  // of the emulator: a cooperative grid's barriers
  };
  std::uint64_t base = 0;   // address of its first byte
  std::uint64_t shift = 0;  // host address of a byte minus its device address; 0: shared with the host
  std::size_t bytes = 0;
  std::uint64_t open_begin = 0;  // kernels may touch [open_begin, open_end): all of it, unless a guard
  std::uint64_t open_end = 0;    // band was declared around the data (warpgradeNameBuffer)
  Kind kind = Kind::device;
  bool freed = false;
  std::string name;                    // "A", or the variable's; empty: "allocation 3"
  std::uint32_t serial = 0;            // counted from 1 in order of allocation
  const void* allocated_at = nullptr;  // the host's calls, if known
  const void* freed_at = nullptr;
  const Program* program = nullptr;  // of the device heap: whose instruction made it
  std::uint32_t instruction = 0;
  // One bit for each byte that has been written; empty if the init check is off or if all bytes have been.
  std::vector<std::uint8_t> written;
  std::vector<CutWord> cut_words;
  ShadowHandle race;  // the race check's shadow memory: the last accesses to each byte

  // The bytes at a device address, for the emulator's own use.
  std::byte* at(std::uint64_t address) const { return reinterpret_cast<std::byte*>(address + shift); }
  std::byte* data() const { return at(base); }
};

// Thread-safe. Look-ups take no lock; allocations are kept, freed or not, until the memory is needed.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  // 256-byte aligned, contents undefined (filled with kUnwrittenByte where the init check is on). Null: out
  // of memory, or, for what a kernel allocates, out of heap.
  Allocation* allocate(std::size_t bytes, Allocation::Kind kind, std::string name = {});
  // Opens host memory to kernels (cudaHostRegister), as an allocation of kind pinned. Null if it overlaps
  // another.
  Allocation* adopt(std::uint64_t base, std::size_t bytes);
  enum class Freed : std::uint8_t { done, not_an_allocation, already_freed };
  Freed release(std::uint64_t base);  // frees an allocation or adopted memory
  void set_heap_limit(std::size_t bytes);

  // The allocation, freed or not, whose [base, base + bytes) holds the address; null if none does.
  Allocation* find(std::uint64_t address) const;
  // The allocation closest to the address, for messages; null if there are none.
  Allocation* nearest(std::uint64_t address) const;
  bool in_range(std::uint64_t address) const;  // inside the reserved range at all
  bool shares_with_host() const;               // there is, or was, managed or pinned memory
  std::uint64_t range_begin() const;
  std::uint64_t range_bytes() const;

  static constexpr std::size_t kHeapBytes = std::size_t{8} << 20;  // unless the host asks for more
  std::size_t total() const;
  std::size_t used() const;
  std::size_t most_heap() const;                // bytes that kernels held at a time
  std::vector<const Allocation*> live() const;  // for the leak report

  // The first segment number of the race check that the next launch may use. `most`: the highest
  // number. Once half of them are used, numbers start again from 1 and every Allocation::race is cleared.
  std::uint32_t next_race_segment(std::uint32_t most);
  void set_race_segment(std::uint32_t next) { race_segment_ = next; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::uint32_t race_segment_ = 1;
};

}  // namespace warpgrade::emulator
