// Makes the finding about a race, with both sides.
#pragma once

#include <cstdint>
#include <string>

#include "checks/shared_race/vector_clocks.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

struct RaceReport {
  const Access& access;  // the later side
  int lane = 0;
  std::uint32_t lanes = 0;   // lanes of the access that race
  std::uint32_t offset = 0;  // offset of the word in shared memory
  std::uint32_t other_thread = 0, other_instruction = 0;
  bool other_writes = false;
  bool same_value = false;  // both sides write the same value
  bool in_flight = false;   // the other side is an asynchronous copy that its thread has not waited for
};
void report_race(const RaceReport& report);

// Whether the program uses the word at this offset of a lane's access. See used_bytes().
bool is_used(const Access& access, unsigned offset);

// Whether both sides write the same bytes.
bool is_same_value(const Access& access, int lane, const VectorClockHistory::Conflict& other);

}  // namespace warpgrade::emulator
