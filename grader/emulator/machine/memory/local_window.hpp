// Generic addresses of local memory.
//
// On hardware they are the same in all threads, and each thread finds its own bytes there. Here each names
// the thread whose bytes are meant, so that a pointer that another thread uses is found. They lie above all
// addresses of a host program (2^48).
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

// Bits of an address: one that marks it, those of launch, block and thread, each modulo its range, and the
// byte. The thread's bytes begin in the middle, so that an index below them still names their thread.
constexpr std::uint64_t kLocalWindows = std::uint64_t{1} << 48;
constexpr unsigned kLocalByteBits = 24, kLocalThreadBits = 10, kLocalBlockBits = 10, kLocalLaunchBits = 3;
constexpr std::uint64_t kLocalWindowBytes = std::uint64_t{1} << kLocalByteBits;
constexpr std::uint64_t kLocalBegin = kLocalWindowBytes / 2;

// The generic address of a thread's first byte. That of the next thread is kLocalWindowBytes further on.
constexpr std::uint64_t local_window(std::uint64_t launch, std::uint64_t block, std::uint32_t thread) {
  const std::uint64_t in_launch = (launch << kLocalBlockBits) | (block & ((1u << kLocalBlockBits) - 1));
  const std::uint64_t owner = (in_launch << kLocalThreadBits) | thread;
  constexpr std::uint64_t kOwners = std::uint64_t{1}
                                    << (kLocalThreadBits + kLocalBlockBits + kLocalLaunchBits);
  return kLocalWindows + (owner % kOwners << kLocalByteBits) + kLocalBegin;
}

constexpr bool is_local(std::uint64_t address) {
  constexpr unsigned kBits = kLocalByteBits + kLocalThreadBits + kLocalBlockBits + kLocalLaunchBits;
  return address >> kBits == kLocalWindows >> kBits;
}

// The byte's offset in its thread's local memory; one below that wraps.
constexpr std::uint64_t local_offset(std::uint64_t address) {
  return address % kLocalWindowBytes - kLocalBegin;
}

// What two addresses of one thread have in common; whose address that is, counted from the first owner's.
constexpr std::uint64_t local_owner(std::uint64_t address) {
  return (address - kLocalWindows) >> kLocalByteBits;
}

}  // namespace warpgrade::emulator
