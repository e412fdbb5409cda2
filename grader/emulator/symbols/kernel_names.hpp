// Names of a kernel, as the compiler and as people write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::emulator {

struct KernelNames {
  std::string mangled;    // "_ZN5tools4scanIiEEvPi"
  std::string signature;  // "tools::scan<int>(int*)"
  std::string plain;      // "tools::scan<int>"
  std::string bare;       // "tools::scan"
};

KernelNames names_of_kernel(const std::string& mangled);

// The kernels that the text may name: by a kernel's name with or without parameters, template arguments,
// namespaces and spaces. If one kernel has exactly this name, only that one.
std::vector<KernelNames> kernels_called(std::string_view text, const std::vector<std::string>& mangled);

}  // namespace warpgrade::emulator
