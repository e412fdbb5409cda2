// The kernel parameters of one launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/launch.hpp"
#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

// In device memory where the kernel takes the address of a parameter. That memory goes back to the program,
// whose next launch takes it again.
class ParameterBuffer {
 public:
  ParameterBuffer(Program::Impl& program, const Code& code, const LaunchRequest& request);
  ~ParameterBuffer();
  ParameterBuffer(const ParameterBuffer&) = delete;
  ParameterBuffer& operator=(const ParameterBuffer&) = delete;

  const std::byte* data() const { return data_; }
  std::uint64_t address() const { return placed_ ? placed_->base : 0; }  // on the device; 0: not there

 private:
  Allocation* take(std::size_t bytes);

  Program::Impl& program_;
  Allocation* placed_ = nullptr;
  std::vector<std::byte> own_;
  const std::byte* data_ = nullptr;
};

}  // namespace warpgrade::emulator
