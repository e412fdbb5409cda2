// A race as a finding, with both sides.
#pragma once

#include <cstdint>

#include "checks/shared_race/vector_clocks.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

struct RaceReport {
  const Access& access;  // the later side
  int lane = 0;
  std::uint32_t lanes = 0;   // lanes of the access that race
  std::uint32_t offset = 0;  // in shared memory, of the word
  std::uint32_t other_thread = 0, other_instruction = 0;
  bool other_writes = false;
  bool same_value = false;  // both write, and the same
};
void report_race(const RaceReport& report);

// Does the program use the word at this offset in a lane's access? See used_bytes().
bool is_used(const Access& access, unsigned offset);

// Two writes of the same bytes.
bool is_same_value(const Access& access, int lane, const VectorClockHistory::Conflict& other);

}  // namespace warpgrade::emulator
