// Generic addresses of local memory.
//
// On hardware they are the same in all threads: each thread reaches its own bytes. Here an address also names
// the thread, so that a use by another thread is found. They lie above all addresses of a host program
// (2^48).
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

// Bits of an address, from the top: the mark of local memory; launch, block and thread, each modulo its
// range; the byte. The thread's bytes begin in the middle, so that an index below them still names their
// thread.
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

// The part that all addresses of one thread share: whose local memory it is, counted from the first owner.
constexpr std::uint64_t local_owner(std::uint64_t address) {
  return (address - kLocalWindows) >> kLocalByteBits;
}

}  // namespace warpgrade::emulator
