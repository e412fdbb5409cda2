// Rows of the program's own memory, packed for a message and put back from one.
#pragma once

#include <cstdint>
#include <string>

#include "remoting/message.hpp"

namespace warpgrade::remoting {

// A row that begins where the previous one ends is joined to it. The memory is accessed by system calls: for
// a wild pointer they fail, where an access would end the program.
struct ProgramRows {
  std::uint64_t memory = 0, pitch = 0, width = 0, height = 0;  // address and bytes

  bool read(std::string& rows) const;
  bool write(MessageReader& rows) const;
};

}  // namespace warpgrade::remoting
