// Addresses of device arrays that stay the same from one launch to the next.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace warpgrade::harness {

// While an object of this class exists, an array that is freed leaves its memory to the next one of the same
// name and size: a case that is run twice has its arrays at the same addresses, however its lab allocates
// them. So a kernel that recognises its operands by pointer and size meets them again. One object at a time.
class KeptAddresses {
 public:
  KeptAddresses();
  ~KeptAddresses();  // frees all that was left
  KeptAddresses(const KeptAddresses&) = delete;
  KeptAddresses& operator=(const KeptAddresses&) = delete;

  // Memory for an array: what one of this name and size left, else new. Throws CudaError.
  static std::byte* take(const std::string& name, std::size_t bytes);
  // Leaves the memory to the next array, or frees it where no object of this class exists.
  static void leave(const std::string& name, std::size_t bytes, std::byte* memory);

 private:
  struct Left {
    std::string name;
    std::size_t bytes;
    std::byte* memory;
  };
  std::vector<Left> left_;
};

}  // namespace warpgrade::harness
