#include "remoting/frontend/page_closure.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "remoting/frontend/host_access.hpp"

namespace warpgrade::remoting {
namespace {

void set(std::uint64_t begin, std::uint64_t end, int protection) {
  mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

}  // namespace

void PageClosure::change(const std::string& pages) {
  std::vector<ClosedPages> now(pages.size() / sizeof(ClosedPages));
  std::memcpy(now.data(), pages.data(), now.size() * sizeof(ClosedPages));
  for (const ClosedPages& each : pages_)
    if (std::find(now.begin(), now.end(), each) == now.end())
      set(each.begin, each.end, PROT_READ | PROT_WRITE);
  pages_ = std::move(now);
  changed_ = true;
  is_empty_ = pages_.empty();
}

void PageClosure::clear() { change({}); }

void PageClosure::open(std::uint64_t address, std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = address / page * page, last = (address + bytes + page - 1) / page * page;
  for (const ClosedPages& each : pages_) {
    const std::uint64_t begin = std::max(first, each.begin), end = std::min(last, each.end);
    if (begin < end) set(begin, end, PROT_READ | PROT_WRITE);
  }
  changed_ = true;
}

// Pages that are closed for writes only come first, so that a page in both lists is closed.
void PageClosure::close_again() {
  if (!changed_ || !watches_host_accesses()) return;
  changed_ = false;
  for (const ClosedPages& each : pages_)
    set(each.begin, each.end, each.readable != 0 ? PROT_READ : PROT_NONE);
}

bool PageClosure::has(std::uint64_t address, std::uint64_t bytes) const {
  return std::any_of(pages_.begin(), pages_.end(), [&](const ClosedPages& each) {
    return address < each.end && each.begin < address + bytes;
  });
}

}  // namespace warpgrade::remoting
