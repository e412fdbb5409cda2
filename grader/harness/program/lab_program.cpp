#include "program/lab_program.hpp"

#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"

namespace warpgrade::harness {

Outcome run_case(const LabProgram& lab, const Dataset& data, const Kernels& kernels) {
  if (lab.run) return lab.run(data, kernels);
  const DeviceArrays on_device(data);
  lab.launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");
  if (const auto fault = on_device.first_fault()) return *fault;
  return compare(data, on_device.copy_back(), kernels);
}

}  // namespace warpgrade::harness
