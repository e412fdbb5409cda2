#include "checks/global_race/shadow/zero_page_arena.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace warpgrade::emulator {
namespace {

constexpr std::size_t kMapped = std::size_t{64} << 10;  // smaller arrays come from the heap
constexpr std::size_t kLarge = std::size_t{2} << 20;    // a large page of x86-64

}  // namespace

ZeroPageArena::ZeroPageArena(std::size_t bytes) {
  if (bytes < kMapped) {
    at_ = std::calloc(bytes + 1, 1);
    if (at_ == nullptr) throw std::bad_alloc();
    return;
  }
  at_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at_ == MAP_FAILED) throw std::bad_alloc();
  mapped_ = bytes;
  if (bytes >= kLarge) madvise(at_, bytes, MADV_HUGEPAGE);
}

ZeroPageArena::~ZeroPageArena() {
  if (mapped_ != 0)
    munmap(at_, mapped_);
  else
    std::free(at_);
}

}  // namespace warpgrade::emulator
