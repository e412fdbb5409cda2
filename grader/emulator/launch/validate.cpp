#include "launch/validate.hpp"

#include <algorithm>

#include "launch/occupancy.hpp"
#include "symbols/kernel_names.hpp"

namespace warpgrade::emulator {
namespace {

std::string text(const Dim3& d) {
  return std::to_string(d.x) + "×" + std::to_string(d.y) + "×" + std::to_string(d.z);
}

bool is_within(const Dim3& size, const Dim3& most) {
  return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= most.x && size.y <= most.y &&
         size.z <= most.z;
}

Refusal refused(LaunchStatus why, const KernelInfo& kernel, const std::string& words) {
  return {why, names_of_kernel(kernel.name).plain + ": " + words};
}

// Runtime 13 returns cudaErrorInvalidValue for every impossible shape; earlier versions returned
// cudaErrorInvalidConfiguration.
std::optional<Refusal> check_shape(const LaunchRequest& request, const DeviceLimits& limits) {
  const KernelInfo& kernel = *request.kernel;
  const std::uint64_t threads = request.block.count();
  const int most = limits.sm.block_threads;
  if (!is_within(request.grid, limits.max_grid))
    return refused(LaunchStatus::invalid_value, kernel,
                   "a grid of " + text(request.grid) + " blocks is not possible (1×1×1 to " +
                       text(limits.max_grid) + ")");
  if (!is_within(request.block, limits.max_block) || threads > static_cast<std::uint64_t>(most))
    return refused(LaunchStatus::invalid_value, kernel,
                   "a block of " + text(request.block) + " threads is not possible (1 to " +
                       std::to_string(most) + " threads, at most " + text(limits.max_block) + ")");
  if (threads > static_cast<std::uint64_t>(kernel.max_threads))
    return refused(LaunchStatus::invalid_value, kernel,
                   std::to_string(threads) + " threads a block, but it was compiled for at most " +
                       std::to_string(kernel.max_threads));
  return std::nullopt;
}

std::optional<Refusal> check_shared(const LaunchRequest& request, const DeviceLimits& limits) {
  const KernelInfo& kernel = *request.kernel;
  const auto without_optin = static_cast<std::uint32_t>(limits.sm.block_shared);
  if (kernel.static_shared > without_optin)
    return refused(LaunchStatus::invalid_kernel_image, kernel,
                   std::to_string(kernel.static_shared) +
                       " bytes of static shared memory, a block may have " + std::to_string(without_optin));
  const std::uint32_t most = std::max(request.max_dynamic_shared, without_optin - kernel.static_shared);
  if (request.dynamic_shared > most)
    return refused(LaunchStatus::invalid_value, kernel,
                   std::to_string(request.dynamic_shared) + " bytes of dynamic shared memory, at most " +
                       std::to_string(most) + " are left; more needs cudaFuncSetAttribute");
  return std::nullopt;
}

std::optional<Refusal> check_cooperative(const LaunchRequest& request, const DeviceLimits& limits) {
  if (!request.cooperative) return std::nullopt;
  const std::uint64_t resident = resident_blocks(request, limits);
  if (request.grid.count() <= resident) return std::nullopt;
  return refused(LaunchStatus::cooperative_launch_too_large, *request.kernel,
                 std::to_string(request.grid.count()) + " blocks must run at once, the GPU holds " +
                     std::to_string(resident));
}

}  // namespace

std::uint64_t resident_blocks(const LaunchRequest& request, const DeviceLimits& limits) {
  const KernelInfo& kernel = *request.kernel;
  const BlockNeeds needs{static_cast<int>(request.block.count()), kernel.registers,
                         std::size_t{kernel.static_shared} + request.dynamic_shared};
  return static_cast<std::uint64_t>(blocks_per_sm(limits.sm, needs)) *
         static_cast<std::uint64_t>(limits.sm_count);
}

std::uint32_t shared_bytes(const LaunchRequest& request) {
  const KernelInfo& kernel = *request.kernel;
  if (request.dynamic_shared == 0) return kernel.static_shared;
  return kernel.dynamic_begin + request.dynamic_shared;
}

std::optional<Refusal> check_request(const LaunchRequest& request, const DeviceLimits& limits) {
  if (auto refusal = check_shape(request, limits)) return refusal;
  if (auto refusal = check_shared(request, limits)) return refusal;
  return check_cooperative(request, limits);
}

Finding refused_launch(const std::string& message) {
  Finding finding;
  finding.kind = FindingKind::launch_resources;
  finding.on_device = false;
  finding.message = message;
  return finding;
}

}  // namespace warpgrade::emulator
