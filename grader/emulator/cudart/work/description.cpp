// Work in words.
#include <string>

#include "cudart/work/commands.hpp"
#include "symbols/kernel_names.hpp"

namespace warpgrade::cudart {

std::string describe(const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work))
    return "kernel " + emulator::names_of_kernel(kernel->function->name).plain;
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
