#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace warpgrade::confine {

// Why no command was started. The message is for staff: it names the system call or the option.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail_with_errno(const std::string& what) {
  throw Failure(what + ": " + std::strerror(errno));
}

}  // namespace warpgrade::confine
