// Which of a module's source files are the toolkit's own headers.
#pragma once

#include <string_view>

namespace warpgrade::ptx {

// A header that comes with the compiler: its lines mean nothing to a student.
bool is_toolkit_file(std::string_view file);

}  // namespace warpgrade::ptx
