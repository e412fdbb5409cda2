// A kernel call, from the program's arguments to its findings.
#include <algorithm>
#include <cstring>

#include "cudart/device/occupancy.hpp"
#include "cudart/memory/host_errors.hpp"
#include "cudart/runtime/runtime.hpp"
#include "cudart/work/commands.hpp"
#include "ptx/parser.hpp"

namespace warpgrade::cudart {
namespace {

emulator::Dim3 to_dim3(dim3 d) { return {d.x, d.y, d.z}; }

bool within(const emulator::Dim3& size, const emulator::Dim3& most) {
  return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= most.x && size.y <= most.y &&
         size.z <= most.z;
}

// An H200 with runtime 13.0 answers cudaErrorInvalidValue to every impossible shape; before 13 it was
// cudaErrorInvalidConfiguration.
void check_shape(const Runtime& runtime, const KernelWork& work, const emulator::Kernel& kernel) {
  const emulator::DeviceLimits& most = runtime.limits;
  const auto& [gx, gy, gz] = work.grid;
  const auto& [bx, by, bz] = work.block;
  if (!within(work.grid, most.max_grid))
    fail(cudaErrorInvalidValue, "%s: a grid of %u×%u×%u blocks is not possible (1×1×1 to %u×%u×%u)",
         kernel.name.c_str(), gx, gy, gz, most.max_grid.x, most.max_grid.y, most.max_grid.z);
  const auto threads = work.block.count();
  if (!within(work.block, most.max_block) || threads > static_cast<unsigned>(most.max_threads_per_block))
    fail(cudaErrorInvalidValue,
         "%s: a block of %u×%u×%u threads is not possible (1 to %d threads, at most %u×%u×%u)",
         kernel.name.c_str(), bx, by, bz, most.max_threads_per_block, most.max_block.x, most.max_block.y,
         most.max_block.z);
  if (threads > static_cast<unsigned>(kernel.max_threads))
    fail(cudaErrorInvalidValue, "%s: %llu threads a block, but it was compiled for at most %d",
         kernel.name.c_str(), static_cast<unsigned long long>(threads), kernel.max_threads);
}

void check_cluster(const emulator::Kernel& kernel) {
  const auto& shape = kernel.program->module().functions[static_cast<std::size_t>(kernel.function)].cluster;
  const int blocks = std::max(shape[0], 1) * std::max(shape[1], 1) * std::max(shape[2], 1);
  if (blocks > 1)
    fail(cudaErrorNotSupported, "%s: clusters of %d blocks are not supported", kernel.name.c_str(), blocks);
}

void check_shared(const Runtime& runtime, const KernelWork& work, const emulator::Kernel& kernel) {
  const std::size_t asked = static_cast<std::size_t>(work.function->max_dynamic_shared);
  const std::size_t without_asking = runtime.limits.shared_bytes_per_block -
                                     std::min(kernel.static_shared, runtime.limits.shared_bytes_per_block);
  const std::size_t most = std::max(asked, without_asking);
  if (kernel.static_shared > runtime.limits.shared_bytes_per_block)
    fail(cudaErrorInvalidKernelImage, "%s: %u bytes of static shared memory, a block may have %u",
         kernel.name.c_str(), kernel.static_shared, runtime.limits.shared_bytes_per_block);
  if (work.dynamic_shared > most)
    fail(cudaErrorInvalidValue,
         "%s: %zu bytes of dynamic shared memory, at most %zu are left; more needs cudaFuncSetAttribute",
         kernel.name.c_str(), work.dynamic_shared, most);
}

void check_cooperative(const Runtime& runtime, const KernelWork& work, const emulator::Kernel& kernel) {
  const BlockNeeds needs{static_cast<int>(work.block.count()), kernel.registers,
                         kernel.static_shared + work.dynamic_shared};
  const auto resident = static_cast<std::uint64_t>(blocks_per_sm(capability(runtime.gpu), needs)) *
                        static_cast<std::uint64_t>(runtime.limits.sm_count);
  if (work.grid.count() > resident)
    fail(cudaErrorCooperativeLaunchTooLarge, "%s: %llu blocks must run at once, the GPU holds %llu",
         kernel.name.c_str(), static_cast<unsigned long long>(work.grid.count()),
         static_cast<unsigned long long>(resident));
}

std::vector<std::byte> pack(const emulator::Kernel& kernel, void** arguments) {
  std::vector<std::byte> packed(kernel.parameter_bytes);
  require(kernel.parameters.empty() || arguments != nullptr, cudaErrorInvalidValue);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const emulator::Parameter& each = kernel.parameters[i];
    require(arguments[i] != nullptr || each.bytes == 0, cudaErrorInvalidValue);
    if (each.bytes != 0) std::memcpy(packed.data() + each.offset, arguments[i], each.bytes);
  }
  return packed;
}

}  // namespace

KernelWork kernel_work(Runtime& runtime, const void* function, dim3 grid, dim3 block, void** arguments,
                       std::size_t dynamic_shared, bool cooperative) {
  KernelWork work;
  work.function = &runtime.function(function);
  work.grid = to_dim3(grid);
  work.block = to_dim3(block);
  work.dynamic_shared = dynamic_shared;
  work.cooperative = cooperative;
  const emulator::Kernel& kernel = runtime.kernel(*work.function);
  check_cluster(kernel);
  try {
    check_shape(runtime, work, kernel);
    check_shared(runtime, work, kernel);
    if (cooperative) check_cooperative(runtime, work, kernel);
  } catch (const Failure& refused) {
    report_refused(runtime, kernel.name, refused.why);
    throw;
  }
  work.parameters = pack(kernel, arguments);
  return work;
}

void launch_now(Runtime& runtime, const KernelWork& work) {
  runtime.function(work.function);  // a graph may outlive the library
  const emulator::Kernel& kernel = runtime.kernel(*work.function);
  emulator::LaunchRequest request;
  request.kernel = &kernel;
  request.grid = work.grid;
  request.block = work.block;
  request.dynamic_shared = static_cast<std::uint32_t>(work.dynamic_shared);
  request.parameters = work.parameters;
  request.cooperative = work.cooperative;
  request.max_dynamic_shared = static_cast<std::uint32_t>(work.function->max_dynamic_shared);
  emulator::LaunchResult result;
  try {
    result = emulator::launch(request, runtime.memory, runtime.limits, runtime.config.options);
  } catch (const ptx::ParseError& error) {  // an instruction that the kernel has and ours has not
    throw Failure{cudaErrorInvalidPtx, work.function->code->origin() + ": " + error.what()};
  }
  runtime.reporter.launched(request, result);
  const auto status = static_cast<cudaError_t>(result.status);
  // As on hardware, where a launch returns at once: the next call that needs the context hears of it.
  if (is_sticky(status))
    runtime.sticky = status;
  else
    require(status == cudaSuccess, status);
}

}  // namespace warpgrade::cudart
