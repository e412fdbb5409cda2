// Generic addresses of shared memory, as on hardware: a window outside device memory, in which an address
// names the running block's byte.
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

constexpr std::uint64_t kSharedWindow = 0x0000'7e00'0000'0000;
constexpr std::uint64_t kSharedWindowBytes = 0x0000'0000'0100'0000;

constexpr bool is_in_shared_window(std::uint64_t address) {
  return address - kSharedWindow < kSharedWindowBytes;
}

// The byte's offset in its block's shared memory. An address of .shared is that offset already.
constexpr std::uint64_t shared_offset(std::uint64_t address) {
  return is_in_shared_window(address) ? address - kSharedWindow : address;
}

}  // namespace warpgrade::emulator
