// Translates a warp's addresses to host addresses. Every access is checked here, or in lanes/contiguous.cpp
// or lanes/affine.cpp, which make the same checks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/block.hpp"
#include "machine/observers.hpp"
#include "ops/memory/access_form.hpp"

namespace warpgrade::emulator {

struct Lanes {
  alignas(64) std::uint64_t address[kWarpSize];  // the addresses that the lanes computed
  std::byte* host[kWarpSize];                    // set for active lanes
};

// Addresses of all lanes: address register + immediate. 32-bit registers wrap at 32 bits.
void read_addresses(const Warp& warp, const DecodedInstruction* at, AccessForm form, std::uint64_t* address);

struct ResolveRequest {
  Warp& warp;
  const DecodedInstruction* at;
  AccessForm form;
  Access::Kind kind;
  bool observed;  // report to the observers
  bool is_async = false;
  const void* value = nullptr;  // see Access
  bool is_bulk = false;
};

// Checks alignment and bounds of lanes.address for the active lanes, lowest lane first, and fills
// lanes.host. Throws Trap after the finding of the first lane that fails has been reported.
void resolve(const ResolveRequest& request, Lanes& lanes);

inline AccessForm form_of(const DecodedInstruction* at) {
  return std::bit_cast<AccessForm>(at->operand[kFormOperand]);
}

}  // namespace warpgrade::emulator
