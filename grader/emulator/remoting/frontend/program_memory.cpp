#include "remoting/frontend/program_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

namespace warpgrade::remoting {
namespace {

iovec part(std::uint64_t address, std::uint64_t bytes) { return {reinterpret_cast<void*>(address), bytes}; }

}  // namespace

bool ProgramRows::read(std::string& rows) const {
  rows.assign(width * height, '\0');
  for (std::uint64_t y = 0; y < height; ++y) {
    const iovec local{rows.data() + y * width, width}, remote = part(memory + y * pitch, width);
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(width)) return false;
  }
  return true;
}

bool ProgramRows::write(MessageReader& rows) const {
  for (std::uint64_t y = 0; y < height; ++y) {
    const iovec local{const_cast<char*>(rows.take(width)), width}, remote = part(memory + y * pitch, width);
    if (process_vm_writev(getpid(), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(width)) return false;
  }
  return true;
}

}  // namespace warpgrade::remoting
