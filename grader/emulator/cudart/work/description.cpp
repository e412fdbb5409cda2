// Work in words.
#include <cxxabi.h>

#include <cstdlib>
#include <string>

#include "cudart/work/commands.hpp"

namespace warpgrade::cudart {
namespace {

// As in the source, without parameters: "scale<float>" of a mangled name.
std::string plain_name(const std::string& mangled) {
  int status = 0;
  char* readable = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string out = readable != nullptr ? readable : mangled;
  std::free(readable);
  if (out.starts_with("void ")) out.erase(0, 5);
  return out.substr(0, out.find('('));
}

}  // namespace

std::string describe(const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work))
    return "kernel " + plain_name(kernel->function->name);
  if (const auto* copy = std::get_if<CopyWork>(&work)) {
    const std::size_t bytes = copy->width * copy->height * copy->depth;
    const char* kind = copy->kind == cudaMemcpyHostToDevice     ? " to the device"
                       : copy->kind == cudaMemcpyDeviceToHost   ? " to the host"
                       : copy->kind == cudaMemcpyDeviceToDevice ? " within the device"
                                                                : "";
    return "a copy of " + std::to_string(bytes) + " bytes" + kind;
  }
  if (std::holds_alternative<FillWork>(work)) return "a cudaMemset";
  if (std::holds_alternative<HostWork>(work)) return "a host function";
  if (std::holds_alternative<ChildWork>(work)) return "a graph";
  return {};  // work whose delay a program cannot observe
}

}  // namespace warpgrade::cudart
