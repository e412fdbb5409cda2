#include "launch/kept_state.hpp"

#include <algorithm>

namespace warpgrade::emulator {

std::vector<std::string> kept_state(const Code& code, const Program::Impl& program) {
  std::vector<std::string> names;
  for (const auto& [name, placed] : program.variables)
    if (placed->kind != Allocation::Kind::module_constant &&
        (code.written.anywhere || code.written.variables.contains(name)))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  if (code.written.heap) names.emplace_back("the device heap");
  return names;
}

}  // namespace warpgrade::emulator
