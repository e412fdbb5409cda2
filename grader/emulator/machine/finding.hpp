// One fault of a kernel, as data. Printed elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

enum class Check : std::uint8_t { memory, race, init, barrier, limit, trap, unsupported };

// The kind decides code, severity and help text: one row each in findings/kinds.def.
enum class FindingKind : std::uint8_t {
  out_of_bounds_read,
  out_of_bounds_write,
  misaligned,
  use_after_free,
  host_pointer,
  null_pointer,
  write_to_constant,
  wild_pointer,
  invalid_free,
  memory_leak,
  device_pointer,
  race_write_write,
  race_read_write,
  race_same_value,
  global_race,
  global_race_same_value,
  uninitialised_read,
  barrier_divergent,
  barrier_deadlock,
  barrier_partial_warp,
  warp_mask,
  step_limit,
  assertion,
  trap,
  stack_overflow,
  launch_resources,
  unsupported_instruction,
};

// One side of a finding: who did what where.
struct Site {
  std::uint32_t instruction = 0;  // Instruction::index
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string access;  // "read", "write", "atomic", "barrier"
  // filled by resolve():
  std::string file;
  int line = 0, column = 0;
  std::string source;      // text of the line, empty where the file cannot be read
  std::string inlined_at;  // "kernel.cu:40", empty where not inlined
};

struct Memory {
  std::string space;  // "global", "shared", …
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  // of one lane's access
  std::string allocation;   // "A", "shared array As", empty where unknown
  std::uint64_t allocation_bytes = 0;
  std::int64_t distance =
      0;  // bytes before the first (negative) or from the end of the allocation; inside: offset
  std::string relation;  // "before", "after", "inside"
};

// Where a warp, or a part of one, stands when nothing can go on.
struct ThreadPosition {
  std::uint32_t warp = 0, lanes = 0;  // lanes as a mask
  Site site;
  std::string state;  // "waits at barrier 0", "runs"
};

struct Finding {
  Check check = Check::memory;
  FindingKind kind = FindingKind::out_of_bounds_read;
  std::string message;    // one sentence with the numbers
  bool on_device = true;  // else the host did it, and `site` means nothing
  Site site;
  bool has_other = false;
  Site other;  // the other side of a race
  Memory memory;
  std::vector<ThreadPosition> standing;
  std::uint64_t times = 1;  // how often it was seen, over all blocks
  std::uint32_t lanes = 1;  // lanes of the first warp that showed it
};

const char* name(FindingKind kind);      // "out-of-bounds-read"
const char* code(FindingKind kind);      // "WG101"
const char* severity(FindingKind kind);  // "error" or "warning"
const char* help(FindingKind kind);      // one piece of advice
const char* name(Check check);

}  // namespace warpgrade::emulator
