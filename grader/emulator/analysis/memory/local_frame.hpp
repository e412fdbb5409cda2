// The layout of one function's frame in local memory: its local variables and call parameters.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

struct LocalLayout {
  struct LocalSlot {
    std::uint32_t offset = 0, bytes = 0;
  };
  std::unordered_map<std::string, LocalSlot>
      variables;            // .local and .param variables of the body, and the function's parameters
  std::uint32_t bytes = 0;  // a multiple of 16
};

// Call sequences do not nest, so their parameters share one area.
LocalLayout lay_out_local(const ptx::Function& function);

}  // namespace warpgrade::emulator
