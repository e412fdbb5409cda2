// Bytes of device memory that kernels have computed: the last to write them was a kernel, or a copy of such
// bytes.
#pragma once

#include <cstdint>
#include <map>

#include "machine/memory/address_ranges.hpp"

namespace warpgrade::emulator {

class ComputedBytes {
 public:
  void written(const AddressRanges& bytes);      // by a kernel
  void overwritten(const AddressRanges& bytes);  // by a copy or a fill
  // Byte by byte, in the order of the addresses.
  void copied(const AddressRanges& from, const AddressRanges& to);
  // A kernel has written to unknown addresses.
  void written_anywhere() { is_anywhere_ = true; }
  // The computed bytes in this range.
  AddressRanges in(AddressRange range) const;

 private:
  void add(AddressRange range);
  void remove(AddressRange range);

  std::map<std::uint64_t, std::uint64_t> ranges_;  // begin → end, with gaps between them
  bool is_anywhere_ = false;
};

}  // namespace warpgrade::emulator
