// As much of a block as observers need, without a program or a scheduler.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "checks/uninitialised/pending_reads.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

class Stage {
 public:
  explicit Stage(std::uint32_t threads, std::uint32_t shared_bytes = 4096)
      : memory(std::size_t{64} << 20), shared(shared_bytes), checks(0) {
    kernel.parameter_bytes = 64;
    launch.kernel = &kernel;
    launch.block = {threads, 1, 1};
    block.index = {0, 0, 0};
    block.shared = shared.data();
    block.shared_bytes = shared_bytes;
    block.threads = threads;
    block.warps = (threads + 31) / 32;
    block.launch = &launch;
    block.memory = &memory;
    block.checks = &checks;
    for (std::uint32_t i = 0; i < block.warps; ++i) {
      Warp& warp = warps.emplace_back();
      warp.index = i;
      warp.block = &block;
      warp.alive = warp.active = kFullMask;
    }
  }

  // An access of the warp's lanes in `mask`; `word` gives each lane's word. Calls use(access).
  struct Event {
    Access::Kind kind = Access::Kind::read;
    std::uint32_t warp = 0;
    std::function<std::uint64_t(std::uint32_t)> address;  // by lane, bytes
    std::uint32_t bytes = 4, mask = kFullMask, instruction = 0;
    bool is_volatile = false, is_strong = false, releases = false;
    std::function<std::uint32_t(std::uint32_t)> value = {};  // by lane, of 4-byte writes
    ptx::Space space = ptx::Space::shared;
    Allocation* allocation = nullptr;
    bool patterns = true;  // as the fast handlers report them
  };
  void perform(const Event& event, const std::function<void(const Access&)>& use) {
    std::uint64_t address[32];
    std::uint32_t value[32];
    for (std::uint32_t i = 0; i < 32; ++i) {
      address[i] = event.address(i);
      value[i] = event.value ? event.value(i) : 1000 * event.instruction + 32 * event.warp + i;
    }
    DecodedInstruction at;
    at.index = event.instruction;
    Access access;
    access.at = &at;
    access.warp = &warps[event.warp];
    access.space = event.space;
    access.kind = event.kind;
    access.is_volatile = event.is_volatile;
    access.is_strong = event.is_strong;
    access.releases = event.releases;
    access.bytes = static_cast<std::uint8_t>(event.bytes);
    access.mask = event.mask;
    access.address = address;
    access.value = event.bytes == 4 ? value : nullptr;
    access.allocation = event.allocation;
    if (event.patterns && event.mask == kFullMask)
      for (int half = 0; half < 2; ++half) {
        access.half[half] = pattern(address + 16 * half, event.bytes);
        access.first[half] = address[16 * half];
      }
    if (access.known()) access.address = nullptr;
    use(access);
    if (event.kind == Access::Kind::read || event.bytes != 4 || event.space != ptx::Space::shared) return;
    for (std::uint32_t left = event.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      std::memcpy(block.shared + address[lane], &value[lane], 4);
    }
  }

  DeviceMemory memory;
  std::vector<std::byte> shared;
  KernelInfo kernel;
  LaunchRequest launch;
  Block block;
  std::vector<Warp> warps;
  BlockDefinedness checks;

 private:
  static Access::LanePattern pattern(const std::uint64_t* address, std::uint32_t bytes) {
    bool packed = true, uniform = true;
    for (std::uint32_t i = 0; i < 16; ++i) {
      packed &= address[i] == address[0] + std::uint64_t{i} * bytes;
      uniform &= address[i] == address[0];
    }
    return packed    ? Access::LanePattern::packed
           : uniform ? Access::LanePattern::uniform
                     : Access::LanePattern::scattered;
  }
};

}  // namespace warpgrade::emulator
