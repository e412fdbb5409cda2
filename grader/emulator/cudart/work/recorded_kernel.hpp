// The kernel that WARPGRADE_RECORD_KERNEL names.
#pragma once

#include <string>

namespace warpgrade::cudart {

class Runtime;

class RecordedKernel {
 public:
  // Looks the name up among the program's kernels, once. Throws Failure where it names none, or several.
  void find(Runtime& runtime);
  // The name in the PTX; empty: any kernel.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  bool is_found_ = false, has_failed_ = false;
};

}  // namespace warpgrade::cudart
