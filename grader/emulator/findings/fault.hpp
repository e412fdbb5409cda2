// Explains an access that memory refused.
#pragma once

#include <cstdint>

#include "machine/block.hpp"
#include "machine/finding.hpp"
#include "machine/observers.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct Fault {
  const DecodedInstruction* at = nullptr;
  const Warp* warp = nullptr;
  int lane = 0;                           // the lowest that fails
  std::uint32_t lanes = 1;                // how many of the warp's do
  ptx::Space space = ptx::Space::global;  // resolved, not generic
  std::uint64_t address = 0;              // device address, or offset in shared or local memory
  std::uint32_t bytes = 0;
  Access::Kind kind = Access::Kind::read;
  bool writes() const { return kind != Access::Kind::read; }
};

// Misaligned where the address is not a multiple of `alignment` (a power of two), else out of bounds,
// freed, null, the host's …; the block's memory says which.
Finding explain(const Fault& fault, std::uint32_t alignment);

// An access by a pointer to local memory: of another thread, of an earlier launch, or to a part of the
// thread's own in which no running function has a variable. `given`: the generic address; `own`: one of the
// thread's own local memory.
Finding explain_invalid_local(const Fault& fault, std::uint64_t given, std::uint64_t own);

// Fills what is known of the place: allocation, its size, distance. `space` and `address` as in Fault.
Memory describe(const Block& block, const Warp* warp, ptx::Space space, std::uint64_t address,
                std::uint32_t bytes);

// An access to shared memory that leaves the array that it is meant for: [begin, end).
Finding explain_neighbour(const Fault& fault, std::uint64_t begin, std::uint64_t end);

Memory describe_global(const DeviceMemory& memory, std::uint64_t address, std::uint32_t bytes);

// For a place inside an array "byte 4 of A", which is kept in `words` for callers that know the array's
// shape; else `otherwise`.
std::string place_words(Memory& at, const char* otherwise);

// "at byte 4 of A (400 bytes)", "2 bytes past the end of A (400 bytes)".
std::string distance_words(const Memory& at);

// What the host called it, else "allocation 3".
std::string name_of(const Allocation& allocation);

// ", allocated at main+0x1f in program, freed at …", as far as it is known.
std::string provenance(const Allocation& allocation);

// The line of the program or of the kernel that allocated it, "bfs.cu:40"; without line information the
// function, "main+0x2f in bfs". Empty if unknown.
std::string place_of_allocation(const Allocation& allocation);

// The same for a call of the host.
std::string place_of_call(const void* call);

// "0x1f", with at least `digits` digits.
std::string hex(std::uint64_t value, int digits = 1);

// What a thread does by an access: "reads", "writes", "updates".
const char* verb_of(const Site& site);

// "global memory", for sentences.
const char* space_words(ptx::Space space);
const char* space_name(ptx::Space space);  // "global", for data

}  // namespace warpgrade::emulator
