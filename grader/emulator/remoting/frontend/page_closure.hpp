// The pages of managed and pinned memory that work may use that the program has not waited for: accesses get
// SIGSEGV there.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "remoting/message.hpp"

namespace warpgrade::remoting {

class PageClosure {
 public:
  // `pages`: ClosedPages, which take effect with close_again().
  void change(const std::string& pages);
  // The program continues after a refused access. One instruction may need several pages, so all stay open
  // until the program's next call, which closes them again.
  void open(std::uint64_t address, std::uint64_t bytes);
  void close_again();
  bool has(std::uint64_t address, std::uint64_t bytes) const;
  bool empty() const { return is_empty_; }  // needs no lock
  void clear();

 private:
  std::vector<ClosedPages> pages_;
  bool changed_ = false;
  std::atomic<bool> is_empty_{true};
};

}  // namespace warpgrade::remoting
