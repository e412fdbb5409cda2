#include "launch/validate.hpp"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

std::string text(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

bool exceeds(const Dim3& d, const Dim3& most) { return d.x > most.x || d.y > most.y || d.z > most.z; }
bool has_zero(const Dim3& d) { return d.x == 0 || d.y == 0 || d.z == 0; }

std::optional<Refusal> check_shape(const LaunchRequest& request, const DeviceLimits& limits) {
  const std::string kernel = "Kernel " + request.kernel->name;
  const Dim3 &block = request.block, &grid = request.grid;
  if (has_zero(block) || has_zero(grid)) {
    return Refusal{Status::invalid_configuration, kernel + " was launched with block " + text(block) +
                                                      " and grid " + text(grid) +
                                                      "; each extent must be at least 1."};
  }
  if (block.count() > static_cast<std::uint64_t>(limits.max_threads_per_block)) {
    return Refusal{Status::invalid_configuration,
                   kernel + " was launched with " + std::to_string(block.count()) + " threads a block " +
                       text(block) + "; " + limits.name + " allows " +
                       std::to_string(limits.max_threads_per_block) + ". Make the block smaller."};
  }
  if (exceeds(block, limits.max_block)) {
    return Refusal{Status::invalid_configuration, kernel + " was launched with block " + text(block) +
                                                      "; the largest is " + text(limits.max_block) + "."};
  }
  if (exceeds(grid, limits.max_grid)) {
    return Refusal{Status::invalid_configuration, kernel + " was launched with grid " + text(grid) +
                                                      "; the largest is " + text(limits.max_grid) + "."};
  }
  if (block.count() > static_cast<std::uint64_t>(request.kernel->max_threads)) {
    return Refusal{Status::launch_out_of_resources,
                   kernel + " was launched with " + std::to_string(block.count()) +
                       " threads a block, but __launch_bounds__ promised at most " +
                       std::to_string(request.kernel->max_threads) + "."};
  }
  return std::nullopt;
}

std::optional<Refusal> check_shared(const LaunchRequest& request, const DeviceLimits& limits) {
  const Kernel& kernel = *request.kernel;
  if (kernel.static_shared > limits.shared_bytes_per_block) {
    return Refusal{Status::launch_out_of_resources,
                   "Kernel " + kernel.name + " declares " + std::to_string(kernel.static_shared) +
                       " bytes of __shared__ arrays; a block may have " +
                       std::to_string(limits.shared_bytes_per_block) + ". Make the tile smaller."};
  }
  const std::uint32_t opted = std::min(request.max_dynamic_shared, limits.shared_bytes_per_block_optin);
  const std::uint32_t most = std::max(limits.shared_bytes_per_block, kernel.static_shared + opted);
  const std::uint64_t all = std::uint64_t{kernel.static_shared} + request.dynamic_shared;
  if (all > most) {
    return Refusal{Status::invalid_value,
                   "Kernel " + kernel.name + " asks for " + std::to_string(all) +
                       " bytes of shared memory a block (" + std::to_string(request.dynamic_shared) +
                       " at launch); allowed are " + std::to_string(most) +
                       ". Ask for less, or raise the limit with cudaFuncSetAttribute(kernel, "
                       "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), up to " +
                       std::to_string(limits.shared_bytes_per_block_optin) + "."};
  }
  return std::nullopt;
}

std::optional<Refusal> check_cooperative(const LaunchRequest& request, const DeviceLimits& limits) {
  if (!request.cooperative) return std::nullopt;
  const std::uint64_t resident =
      std::min<std::uint64_t>(32, 2048 / std::max<std::uint64_t>(request.block.count(), 1));
  const std::uint64_t most = resident * static_cast<std::uint64_t>(limits.sm_count);
  if (request.grid.count() <= most) return std::nullopt;
  return Refusal{Status::cooperative_launch_too_large,
                 "The cooperative launch of " + request.kernel->name + " has " +
                     std::to_string(request.grid.count()) + " blocks; " + limits.name + " can hold " +
                     std::to_string(most) + " at once. Make the grid smaller."};
}

}  // namespace

std::uint32_t shared_bytes(const LaunchRequest& request) {
  const Kernel& kernel = *request.kernel;
  if (request.dynamic_shared == 0) return kernel.static_shared;
  return kernel.dynamic_begin + request.dynamic_shared;
}

std::optional<Refusal> check_request(const LaunchRequest& request, const DeviceLimits& limits) {
  if (auto refusal = check_shape(request, limits)) return refusal;
  if (auto refusal = check_shared(request, limits)) return refusal;
  return check_cooperative(request, limits);
}

}  // namespace warpgrade::emulator
