#include "remoting/backend/descriptor.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>

namespace warpgrade::remoting {

std::string contents(int file, std::size_t most) {
  std::string text;
  char part[65536];
  for (off_t at = 0; text.size() < most;) {
    const ssize_t got = pread(file, part, std::min(sizeof part, most - text.size()), at);
    if (got <= 0) break;
    text.append(part, static_cast<std::size_t>(got));
    at += got;
  }
  return text;
}

std::vector<std::string> lines_of(int file) {
  std::vector<std::string> found;
  std::istringstream lines(contents(file));
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  return found;
}

bool append(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(file, text.data(), text.size());
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace warpgrade::remoting
