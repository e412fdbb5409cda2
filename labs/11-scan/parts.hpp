// The parts of the lab, which the kind of a case's values names.
#pragma once
#include <cstdint>

#include "lab.hpp"

using namespace warpgrade::harness;

// Numbers of one scan in parts 1 and 2.
static constexpr std::int64_t SEGMENT = 1024;
// The least numbers of a tile in parts 3 and 4.
static constexpr std::int64_t LEAST_TILE = 256;

static bool is_of_all(const Dataset& data) { return data.task.values.starts_with("all"); }  // part 3
static bool is_of_compaction(const Dataset& data) {
  return data.task.values.starts_with("compact");
}  // part 4
