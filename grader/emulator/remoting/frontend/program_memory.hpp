// Rows of the program's own memory, packed for a message and put back from one.
#pragma once

#include <cstdint>
#include <string>

#include "remoting/message.hpp"

namespace warpgrade::remoting {

// A row that begins where the one before ends makes them one. Both go through the system, so that a wild
// pointer is false and does not end the program.
struct ProgramRows {
  std::uint64_t memory = 0, pitch = 0, width = 0, height = 0;  // address and bytes

  bool read(std::string& rows) const;
  bool write(MessageReader& rows) const;
};

}  // namespace warpgrade::remoting
