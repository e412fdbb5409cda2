#include "cudart/module/device_code.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

std::string ptx_for(int target) {
  return ".version 8.0\n.target sm_" + std::to_string(target) +
         "\n.address_size 64\n.visible .entry f() { ret; }\n";
}

// The error, and the reason that is printed for it.
Failure failure(DeviceCode& code, int compute_capability = 90) {
  emulator::DeviceMemory memory(std::size_t{1} << 20);
  try {
    code.program(memory, compute_capability);
  } catch (const Failure& found) {
    return found;
  }
  return {cudaSuccess, ""};
}

}  // namespace

TEST_CASE("code is parsed when it is used, once") {
  emulator::DeviceMemory memory(std::size_t{1} << 20);
  const auto code = DeviceCode::copied(ptx_for(75), "kernel.ptx");
  CHECK_FALSE(code->loaded());
  emulator::Program& program = code->program(memory, 90);
  CHECK(code->loaded());
  CHECK(&code->program(memory, 90) == &program);
  CHECK(code->ptx_version() == 75);
  RegisteredFunction& f = code->function("f");
  CHECK(&code->function("f") == &f);
  CHECK(code->kernel(f, memory, 90) == program.find_kernel("f"));
  CHECK(code->kernel(code->function("g"), memory, 90) == nullptr);
}

TEST_CASE("a configuration error is printed once, and each use fails") {
  const auto code = DeviceCode::copied(".version 8.0\n.target sm_75\nnonsense\n", "kernel.ptx");
  const Failure first = failure(*code), second = failure(*code);
  CHECK(first.code == cudaErrorInvalidPtx);
  CHECK(first.why.find("kernel.ptx: ptx:") == 0);
  CHECK(second.code == cudaErrorInvalidPtx);
  CHECK(second.why.empty());
  CHECK(failure(*DeviceCode::copied("\x7f"
                                    "ELF",
                                    "x"))
            .code == cudaErrorInvalidKernelImage);
  CHECK(failure(*DeviceCode::refused(cudaErrorInvalidKernelImage, "why")).why == "why");
}

TEST_CASE("PTX newer than the device has no image for it") {
  CHECK(failure(*DeviceCode::copied(ptx_for(90), "k"), 90).code == cudaSuccess);
  CHECK(failure(*DeviceCode::copied(ptx_for(90), "k"), 75).code == cudaErrorNoKernelImageForDevice);
  // GPUs older than those that nvcc compiles for lend their limits only: code for 7.5 runs on them.
  CHECK(failure(*DeviceCode::copied(ptx_for(75), "k"), 10).code == cudaSuccess);
}
