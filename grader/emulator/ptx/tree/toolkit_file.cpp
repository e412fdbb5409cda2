#include "ptx/tree/toolkit_file.hpp"

namespace warpgrade::ptx {

// nvcc takes its headers from an include folder that nvcc.profile names relative to the compiler's folder:
// ".../bin/../targets/x86_64-linux/include/" in a toolkit, ".../bin/..//include/" in the PyPI wheels. Other
// compilers name the folder itself: "/usr/local/cuda-13.0/include/", ".../nvidia/cu13/include/".
bool is_toolkit_file(std::string_view file) {
  constexpr std::string_view kInclude = "/include/";
  for (std::size_t at = file.find(kInclude); at != file.npos; at = file.find(kInclude, at + 1)) {
    std::string_view above = file.substr(0, at);
    while (above.ends_with('/')) above.remove_suffix(1);
    if (above.find("/bin/..") != above.npos) return true;
    const std::string_view name = above.substr(above.rfind('/') + 1);
    const std::string_view parent = above.substr(0, above.size() - name.size());
    const bool version = name.starts_with("cuda-") && name.find_first_not_of("0123456789.", 5) == name.npos;
    if (parent.ends_with("/targets/") || parent.ends_with("/nvidia/") || name == "cuda" || version)
      return true;
    if (file.substr(at + kInclude.size()).starts_with("crt/")) return true;
  }
  return false;
}

}  // namespace warpgrade::ptx
