#include "fatbin/host_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace warpgrade {
namespace {

constexpr std::size_t kMostAtOnce = 1024;  // IOV_MAX
constexpr std::uintptr_t kPage = 4096;

// process_vm_readv(2) answers EFAULT where a read would be a segmentation fault.
bool reads(const iovec* bytes, std::size_t count) {
  std::array<char, kMostAtOnce> into;
  const iovec local{into.data(), count};
  const ssize_t got = process_vm_readv(getpid(), &local, 1, bytes, count, 0);
  if (got < 0) return errno != EFAULT;
  return static_cast<std::size_t>(got) == count;
}

iovec byte_at(std::uintptr_t address) { return {reinterpret_cast<void*>(address), 1}; }

}  // namespace

bool ends_readable(const void* at, std::size_t bytes) {
  if (bytes == 0) return true;
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  if (bytes - 1 > UINTPTR_MAX - first) return false;
  const iovec both[2] = {byte_at(first), byte_at(first + bytes - 1)};
  return reads(both, 2);
}

bool readable(const void* at, std::size_t bytes) {
  if (bytes == 0) return true;
  if (!ends_readable(at, bytes)) return false;
  const auto first = reinterpret_cast<std::uintptr_t>(at), last = first + bytes - 1;
  std::array<iovec, kMostAtOnce> pages;
  for (std::uintptr_t page = first / kPage; page <= last / kPage;) {
    std::size_t count = 0;
    for (; count < kMostAtOnce && page <= last / kPage; ++page)
      pages[count++] = byte_at(std::max(first, page * kPage));
    if (!reads(pages.data(), count)) return false;
  }
  return true;
}

}  // namespace warpgrade
