#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace warpgrade::confine {

// What a command may see and do. Paths are absolute.
struct Options {
  std::string work;                   // current folder; it may be read and written
  std::vector<std::string> readable;  // may be read and executed; one that does not exist is left out
  std::vector<std::string> writable;  // besides work
  std::vector<std::string> devices;   // of a GPU; may be read, written and controlled
  std::optional<uid_t> user;          // user and group to become; none: the user stays the same
  std::optional<pid_t> parent;        // process that starts this one; the command ends with it
  bool traverse = false;              // that user may pass through folders that are closed to it
  bool landlock = true;               // false: files are kept apart by the user only
  std::vector<std::string> command;   // the program's path, and its arguments
};

// Failure where an option is unknown or a value is missing.
Options parse(int argc, char** argv);

}  // namespace warpgrade::confine
