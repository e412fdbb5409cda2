// The records of one allocation's bytes, made page by page as they are touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpgrade::observe {

class RaceShadow {
 public:
  static constexpr unsigned kPageShift = 12;  // bytes of data that share a page
  static constexpr std::uint64_t kPage = std::uint64_t{1} << kPageShift;

  struct Page {
    unsigned shift = 2;                     // log2 of a unit: words, or bytes once a part of one was accessed
    std::unique_ptr<std::uint64_t[]> last;  // GlobalRecord of each unit
    std::unique_ptr<std::uint64_t[]> since;  // of those who read it after its last write, if need be
  };

  explicit RaceShadow(std::uint64_t bytes) : pages_((bytes + kPage - 1) >> kPageShift) {}
  ~RaceShadow();
  RaceShadow(const RaceShadow&) = delete;

  // The page of a byte's offset, with records of at most this unit. Null where memory for it is short.
  Page* page(std::uint64_t offset, unsigned shift) {
    Page& at = pages_[offset >> kPageShift];
    return at.last != nullptr && at.shift <= shift ? &at : prepare(at, shift);
  }
  // Gives the page its second plane. False where memory for it is short.
  bool keep_readers(Page& page);

  // Words take twice their size; what goes beyond that (bytes on their own, readers beside writers) is left
  // unchecked once all of it together has this many bytes.
  static constexpr std::size_t kMostExtra = std::size_t{256} << 20;

 private:
  Page* prepare(Page& at, unsigned shift);
  bool take(std::size_t bytes);

  std::vector<Page> pages_;
  std::size_t taken_ = 0;  // of the extra
  static std::atomic<std::size_t> extra_;
};

}  // namespace warpgrade::observe
