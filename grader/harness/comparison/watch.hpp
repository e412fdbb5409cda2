// Looks at what a lab's run compares, without comparing it: a lab may launch several times, with other
// factors or arrays, and compare each result with what is right for it.
#pragma once
#include <functional>

#include "cases/dataset.hpp"

namespace warpgrade::harness {

// Gets each result that compare() is called with, and the data that hold what is right. Returns true for the
// one that it waits for: then the comparison fails, and a lab goes no further.
using Watch = std::function<bool(const Dataset& data, const Array& result)>;
inline const Watch* watch_now = nullptr;

// compare() calls the watch while this lives.
class Watching {
 public:
  explicit Watching(const Watch& watch) { watch_now = &watch; }
  ~Watching() { watch_now = nullptr; }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
};

}  // namespace warpgrade::harness
