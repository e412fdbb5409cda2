// Which of the bytes that one operation has written another one has used: bytes copied to the device that
// kernels read, and bytes written by kernels that reached the host.
#pragma once

#include <cstdint>
#include <map>

#include "machine/memory/address_ranges.hpp"

namespace warpgrade::emulator {

class UsedBytes {
 public:
  // `writer`, a number, has written these bytes. Earlier bytes there that nothing has used are forgotten.
  void written(std::uint64_t writer, const AddressRanges& bytes);
  void overwritten(const AddressRanges& bytes);
  void used(const AddressRanges& bytes);
  // All written bytes count as used: an operation with unknown accesses has run.
  void used_all();
  // Used bytes of this writer, summed over its runs: a graph's node runs as often as the graph is launched.
  std::uint64_t of(std::uint64_t writer) const;

 private:
  struct Waiting {
    std::uint64_t end, writer;
  };
  // Removes the range from waiting_. `counts`: whether its bytes count as used.
  void take(AddressRange range, bool counts);

  std::map<std::uint64_t, Waiting> waiting_;  // indexed by begin: intervals that nothing has used yet
  std::map<std::uint64_t, std::uint64_t> used_;
};

}  // namespace warpgrade::emulator
