// Which of the bytes that somebody has written somebody else has used: those of copies to the device that
// kernels read, and those of kernels that came to the host.
#pragma once

#include <cstdint>
#include <map>

#include "machine/memory/address_ranges.hpp"

namespace warpgrade::emulator {

class UsedBytes {
 public:
  // The writer, known by its number, has written these bytes. What was there before, and nobody has used, is
  // lost.
  void written(std::uint64_t writer, const AddressRanges& bytes);
  void overwritten(const AddressRanges& bytes);
  void used(const AddressRanges& bytes);
  // By somebody of whom it is not known what that is.
  void used_all();
  // Of this writer, each time that it ran: what stands in a graph runs as often as the graph is launched.
  std::uint64_t of(std::uint64_t writer) const;

 private:
  struct Waiting {
    std::uint64_t end, writer;
  };
  // Removes the range from what waits. `counts`: as it has been used.
  void take(AddressRange range, bool counts);

  std::map<std::uint64_t, Waiting> waiting_;  // by begin: intervals that nobody has used yet
  std::map<std::uint64_t, std::uint64_t> used_;
};

}  // namespace warpgrade::emulator
