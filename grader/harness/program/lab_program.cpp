#include "program/lab_program.hpp"

#include <cuda_runtime_api.h>

#include "base/cuda_check.hpp"

namespace warpgrade::harness {

Outcome judge_results(const LabProgram& lab, const Dataset& data, const HostArrays& results,
                      const Kernels& kernels) {
  return lab.judge ? lab.judge(data, results, kernels) : compare(data, results, kernels);
}

Outcome run_case(const LabProgram& lab, const Dataset& data, const Kernels& kernels) {
  if (lab.run) return lab.run(data, kernels);
  const DeviceArrays on_device(data);
  lab.launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");
  const DeviceArrays::Downloaded after = on_device.download();
  if (const auto fault = after.first_fault()) return *fault;
  return judge_results(lab, data, after.results(), kernels);
}

}  // namespace warpgrade::harness
