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

// Those of the kernels that people may mean by the text: a kernel's name with or without parameters, template
// arguments, namespaces and spaces. A kernel that is called exactly so comes alone.
std::vector<KernelNames> kernels_called(std::string_view text, const std::vector<std::string>& mangled);

}  // namespace warpgrade::emulator
