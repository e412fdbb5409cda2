#include "launch/kept_state.hpp"

#include <algorithm>

namespace warpgrade::emulator {

std::vector<std::string> kept_state(const Code& code, const Program::Impl& program, bool wrote_elsewhere) {
  std::vector<std::string> names;
  for (const auto& [name, placed] : program.variables)
    if (placed->kind != Allocation::Kind::module_constant &&
        (wrote_elsewhere || code.written.anywhere || code.written.variables.contains(name)))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  if (wrote_elsewhere && names.empty()) names.emplace_back("memory that its code does not lead to");
  if (code.written.heap) names.emplace_back("the device heap");
  return names;
}

}  // namespace warpgrade::emulator
