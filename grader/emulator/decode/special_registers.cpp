#include "machine/special_registers.hpp"

#include <unordered_map>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

Special find_special(const std::string& name) {
  static const auto& kNames = *new const std::unordered_map<std::string, Special>{
#define NAME(name, id) {name, Special::id},
#include "decode/special_register_names.def"
#undef NAME
  };
  auto found = kNames.find(name);
  if (found != kNames.end()) return found->second;
  if (name.rfind("%envreg", 0) == 0 || name.rfind("%pm", 0) == 0) return Special::zero;
  return Special::unknown;
}

bool is_reserved_shared(const std::string& name) { return name.starts_with("%reserved_smem"); }

bool changes_while_running(Special special) {
  return special >= Special::clock && special < Special::unknown;
}

bool changes_with_block(Special special) {
  return special == Special::ctaid_x || special == Special::ctaid_y || special == Special::ctaid_z ||
         special == Special::smid;
}

bool is_64_bit(Special special) {
  return special == Special::gridid || special == Special::clock64 || special == Special::globaltimer;
}

std::uint64_t special_value(Special special, const Warp& warp, std::uint32_t lane, const LaunchFacts& facts) {
  const Block& block = *warp.block;
  const LaunchRequest& launch = *block.launch;
  const Dim3& shape = launch.block;
  const std::uint32_t thread = warp.index * kWarpSize + lane;
  switch (special) {
#define SPECIAL(id, value) \
  case Special::id:        \
    return value;
#include "machine/special_registers.def"
#undef SPECIAL
    case Special::unknown:
      break;
  }
  return 0;
}

}  // namespace warpgrade::emulator
