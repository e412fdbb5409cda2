#include "symbols/shared_variables.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "machine/launch.hpp"

namespace warpgrade::emulator {

// The source has "tile", the PTX "_ZZ6smoothE4tile", and the parsed module "smooth::_ZZ…".
std::string short_name(const std::string& name) {
  const std::size_t colons = name.rfind("::");
  std::string out = colons == std::string::npos ? name : name.substr(colons + 2);
  if (!out.starts_with("_Z")) return out;  // "d" alone would be demangled to "double"
  // nvcc marks what is left of an array of which it keeps one element: "_ZZ6smoothE4tile_$_0".
  if (const std::size_t mark = out.rfind("_$_"); mark != std::string::npos) out.resize(mark);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(out.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !plain) return out;
  out = plain.get();
  const std::size_t scope = out.rfind("::");
  return scope == std::string::npos ? out : out.substr(scope + 2);
}

SharedRange shared_variable_at(const Block& block, std::uint64_t offset) {
  SharedRange out{"shared memory", 0, block.shared_bytes};
  if (block.launch == nullptr || block.launch->kernel == nullptr) return out;
  for (const SharedVariable& each : block.launch->kernel->shared) {
    if (each.offset > offset) break;
    const std::uint64_t end = each.bytes == 0 ? block.shared_bytes : each.offset + each.bytes;
    // Functions that are never active together may share bytes: the variable that holds the offset wins.
    if (offset < out.end && out.begin == each.offset && offset >= end) continue;
    out = {"shared array " + short_name(each.name), each.offset, end};
  }
  return out;
}

}  // namespace warpgrade::emulator
