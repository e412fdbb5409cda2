// Tells the program which pages it must not access yet.
#include "cudart/api/warpgrade.h"
#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {

std::int64_t ProgramSession::put_closed_pages(std::string& answer) {
  std::vector<warpgradePages> pages(warpgradeClosedPages(nullptr, 0));
  warpgradeClosedPages(pages.data(), pages.size());
  std::vector<ClosedPages> now;
  for (const warpgradePages& each : pages) now.push_back({each.begin, each.end, each.readable});
  if (now == closed_) return -1;
  closed_ = std::move(now);
  answer.append(reinterpret_cast<const char*>(closed_.data()), closed_.size() * sizeof(ClosedPages));
  return static_cast<std::int64_t>(closed_.size());
}

}  // namespace warpgrade::remoting
