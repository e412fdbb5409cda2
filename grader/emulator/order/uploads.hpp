// Which of the bytes that copies have brought to the device a kernel has read.
#pragma once

#include <cstdint>
#include <map>

#include "machine/address_ranges.hpp"

namespace warpgrade::emulator {

class Uploads {
 public:
  // A copy from the host has written these bytes. What was there before, and nobody has read, is lost.
  void brought(std::uint64_t copy, const AddressRanges& bytes);
  void overwritten(const AddressRanges& bytes);
  void read(const AddressRanges& bytes);
  // By a kernel of which it is not known what it reads.
  void read_all();
  // Of this copy, each time that it ran: in a graph, a copy runs as often as the graph is launched.
  std::uint64_t bytes_read(std::uint64_t copy) const;

 private:
  struct Waiting {
    std::uint64_t end, copy;
  };
  // Removes the range from what waits. `counts`: as it has been read.
  void take(AddressRange range, bool counts);

  std::map<std::uint64_t, Waiting> waiting_;  // by begin: intervals that nobody has read yet
  std::map<std::uint64_t, std::uint64_t> read_;
};

}  // namespace warpgrade::emulator
