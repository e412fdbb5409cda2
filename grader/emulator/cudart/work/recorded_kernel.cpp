#include "cudart/work/recorded_kernel.hpp"

#include <algorithm>
#include <vector>

#include "cudart/runtime/runtime.hpp"
#include "symbols/kernel_names.hpp"

namespace warpgrade::cudart {
namespace {

constexpr std::size_t kMost = 20;  // kernels that are listed

// Each once.
std::vector<std::string> all_kernels(Runtime& runtime) {
  std::vector<std::string> names;
  for (DeviceCode* code : runtime.registry.codes()) {
    try {
      for (const emulator::KernelInfo* each : runtime.program(*code).kernels()) names.push_back(each->name);
    } catch (const Failure&) {
      continue;  // code of another architecture: its kernels cannot be launched
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// As short as they tell the kernels apart.
std::string list(const std::vector<emulator::KernelNames>& kernels) {
  std::string out;
  for (const emulator::KernelNames& each : kernels) {
    if (&each - kernels.data() == kMost) return out + ", …";
    const auto is_alike = [&](const emulator::KernelNames& other) { return other.plain == each.plain; };
    const bool is_alone = std::count_if(kernels.begin(), kernels.end(), is_alike) == 1;
    out += (out.empty() ? "" : ", ") + (is_alone ? each.plain : each.signature);
  }
  return out;
}

std::vector<emulator::KernelNames> all_names(const std::vector<std::string>& kernels) {
  std::vector<emulator::KernelNames> out;
  for (const std::string& each : kernels) out.push_back(emulator::names_of_kernel(each));
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.plain < b.plain; });
  return out;
}

}  // namespace

void RecordedKernel::find(Runtime& runtime) {
  const std::string& wanted = runtime.config.record_kernel;
  if (is_found_ || wanted.empty()) return;
  if (has_failed_) throw Failure{cudaErrorInitializationError, {}};
  const std::vector<std::string> kernels = all_kernels(runtime);
  const std::vector<emulator::KernelNames> found = emulator::kernels_called(wanted, kernels);
  is_found_ = found.size() == 1;
  has_failed_ = !is_found_;
  if (is_found_) {
    name_ = found[0].mangled;
    return;
  }
  const std::string what = "WARPGRADE_RECORD_KERNEL='" + wanted + "' is ";
  throw Failure{cudaErrorInitializationError,
                found.empty() ? what + "no kernel of this program; it has: " + list(all_names(kernels))
                              : what + "the name of several kernels; write one of: " + list(found)};
}

}  // namespace warpgrade::cudart
