// Where the local variables and call parameters of one function lie in its part of local memory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "ptx/module.hpp"

namespace warpgrade::emulator {

struct LocalLayout {
  struct Place {
    std::uint32_t offset = 0, bytes = 0;
  };
  std::unordered_map<std::string, Place> variables;  // .local, .param of the body, and the own parameters
  std::uint32_t bytes = 0;                           // a multiple of 16
};

// Call sequences do not nest, so what they pass shares one area.
LocalLayout lay_out_local(const ptx::Function& function);

}  // namespace warpgrade::emulator
