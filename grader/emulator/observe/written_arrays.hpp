// The allocations that a launch may write. What is only read there is in no race, and needs no record.
#pragma once

#include <algorithm>
#include <vector>

#include "exec/launch.hpp"
#include "exec/written_memory.hpp"

namespace warpgrade::observe {

class WrittenArrays {
 public:
  WrittenArrays() = default;  // all
  WrittenArrays(const exec::WrittenMemory& written, const exec::LaunchRequest& request,
                const exec::DeviceMemory& memory);

  bool may_be(const exec::Allocation* in) const {
    return all_ || in == nullptr || std::find(some_.begin(), some_.end(), in) != some_.end();
  }

 private:
  bool all_ = true;
  std::vector<const exec::Allocation*> some_;  // few
};

}  // namespace warpgrade::observe
