// Reads and writes whole files that have a descriptor and no name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::remoting {

constexpr std::size_t kMostRecorded = std::size_t{64} << 20;  // bytes of what a run left in a file

std::string contents(int file, std::size_t most = kMostRecorded);  // from its begin
std::vector<std::string> lines_of(int file);
bool append(int file, std::string_view text);  // false if not all of it could be written

}  // namespace warpgrade::remoting
