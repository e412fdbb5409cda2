#include "symbols/program_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

namespace warpgrade::emulator {

std::vector<std::uint8_t> program_bytes(std::uint64_t address, std::size_t count) {
  std::vector<std::uint8_t> out(count);
  const iovec to{out.data(), count};
  const iovec from{reinterpret_cast<void*>(address), count};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(count)) out.clear();
  return out;
}

}  // namespace warpgrade::emulator
