// One error of a kernel, as data. findings/ prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

// Groups of kinds of findings. A group is switched on or off together and decides the verdict on a case.
// WARPGRADE_CHECK switches `memory`, `race`, `init`, `barrier` and `order`; the others are always on.
enum class Check : std::uint8_t { memory, race, init, barrier, order, limit, host, trap, unsupported };

// Kinds of findings. finding_kinds.def has a row for each kind.
enum class FindingKind : std::uint8_t {
#define KIND(id, code, name, check, severity, help) id,
#include "machine/finding_kinds.def"
#undef KIND
};

// One side of a finding: the thread, its access and the source line.
struct Site {
  std::uint32_t instruction = 0;  // DecodedInstruction::index
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  // "read", "write", "atomic", "barrier", "exchange" (a warp operation); of the host: what it does, in words
  std::string access;
  bool by_host = false;        // a line of the host's code: there is no thread
  const void* call = nullptr;  // of the host, in another process's program, whose lines are not known here
  // filled by resolve():
  std::string file;
  int line = 0, column = 0;
  std::string source;      // text of the line, empty if the file cannot be read
  std::string inlined_at;  // "kernel.cu:40", empty if not inlined
};

// Where an access lies relative to the nearest allocation.
enum class Placement : std::uint8_t { unknown, before, inside, after };

struct Memory {
  std::string space;  // "global", "shared", …
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  // bytes of one lane's access
  std::string allocation;   // "A", "shared array tile", empty if unknown
  std::uint64_t allocation_bytes = 0;
  std::int64_t distance =
      0;  // bytes before the first (negative) or from the end of the allocation; inside: offset
  Placement relation = Placement::unknown;
  std::string made_at{};  // "bfs.cu:40", the line that allocated it, where `allocation` is only a number
  std::string words{};    // the part of the finding's message that says this place; empty: none does
  // The array of the kernel's parameter that the address was computed from; empty where it is `allocation` or
  // not known. `from_pointer`: bytes from that array's start.
  std::string pointer{};
  std::uint64_t pointer_bytes = 0;  // of that array
  std::int64_t from_pointer = 0;
  // Bytes of the largest array among the launch's arguments, if that has room for what lies behind this one,
  // which the program itself has allocated; else 0.
  std::uint64_t larger_bytes = 0;
};

// Position of a warp, or of some of its lanes, when no thread can continue.
struct ThreadPosition {
  std::uint32_t warp = 0, lanes = 0;  // lanes as a mask
  Site site;
  std::string state;  // "waits at barrier 0", "runs"
};

// Bytes of an array, from its start.
struct WrittenBytes {
  std::uint64_t offset = 0, bytes = 0;
};

struct Finding {
  FindingKind kind = FindingKind::out_of_bounds_read;
  std::string message;    // one sentence with the numbers
  bool on_device = true;  // false: an error of the host; `site` is then unused
  Site site;
  bool has_other = false;
  Site other;  // the other side of a race
  // Both sides belong to a read, a change and a write back of one word (x[i] += 1) that are not one step.
  bool is_update = false;
  bool is_idle_loop = false;       // an endless loop that executes nothing but jumps
  bool is_of_block_order = false;  // a block waits for one with a smaller index, which cannot begin
  bool lacks_lock_fence = false;   // a race: both sides hold the same lock, which was taken without a fence
  bool is_torn = false;            // a race: one load reads at once what two stores write
  bool is_early = false;           // a race: the read comes before the wait for the flag that orders it
  bool is_over_results = false;    // a copy of unwritten memory to where a kernel has written
  // An uninitialised read: the store that should have written the word, by the pattern of the others, with
  // its thread, and the branch by which that thread passes the store.
  bool has_writer = false, has_left = false;
  Site writer, left;
  std::optional<std::vector<WrittenBytes>> written{};  // the parts of a shared array that were written
  Memory memory;
  std::vector<ThreadPosition> standing;
  std::uint64_t times = 1;  // occurrences, over all blocks
  std::uint32_t lanes = 1;  // number of lanes of the first warp with this error
};

const char* name(FindingKind kind);      // "out-of-bounds-read"
const char* code(FindingKind kind);      // "WG101"
const char* severity(FindingKind kind);  // "error" or "warning"
const char* help(FindingKind kind);      // one piece of advice
Check check_of(FindingKind kind);
const char* check_name(FindingKind kind);  // "memory"
const char* name(Placement relation);      // "before", empty if unknown

}  // namespace warpgrade::emulator
