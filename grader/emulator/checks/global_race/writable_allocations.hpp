// The allocations that a launch may write. The others cannot race and need no shadow memory.
#pragma once

#include <algorithm>
#include <vector>

#include "machine/kernel_facts/written_globals.hpp"
#include "machine/launch.hpp"

namespace warpgrade::emulator {

class WritableAllocations {
 public:
  WritableAllocations() = default;  // all allocations
  WritableAllocations(const WrittenGlobals& written, const LaunchRequest& request,
                      const DeviceMemory& memory);

  bool may_be(const Allocation* in) const {
    return all_ || in == nullptr || std::find(some_.begin(), some_.end(), in) != some_.end();
  }

  bool are_all() const { return all_; }

 private:
  bool all_ = true;
  std::vector<const Allocation*> some_;  // few
};

}  // namespace warpgrade::emulator
