// Shadow memory of one allocation, made page by page at the first access.
//
// Adjacent words are mostly accessed by adjacent threads: a row of 16 words shares one record
// (shadow_row.hpp) until an access does not fit. Only then does each word get a shadow word of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "checks/global_race/shadow/zero_page_arena.hpp"

namespace warpgrade::emulator {

class ShadowPages {
 public:
  static constexpr unsigned kPageShift = 12;  // bytes of data that share a page
  static constexpr std::uint64_t kPage = std::uint64_t{1} << kPageShift;
  static constexpr unsigned kRowShift = 6;  // bytes of data that share a row
  static constexpr std::uint64_t kRowBytes = std::uint64_t{1} << kRowShift;
  static constexpr unsigned kRowWords = 16;

  // Shadow words of the page's units. A unit is a word or a byte of data.
  struct Page {
    unsigned shift = 2;                      // log2 of a unit's bytes: 2; 0 after a sub-word access
    std::unique_ptr<std::uint64_t[]> last;   // GlobalShadowWord of each unit; used if its row is `apart`
    std::unique_ptr<std::uint64_t[]> since;  // of the reads after the last write, see keep_readers()
  };

  explicit ShadowPages(std::uint64_t bytes)
      : pages_((bytes + kPage - 1) >> kPageShift),
        rows_(pages_.size() * (kPage >> kRowShift) * sizeof(std::uint64_t)),
        values_(pages_.size() * (kPage / 4) * sizeof(std::uint16_t)) {}
  ~ShadowPages();
  ShadowPages(const ShadowPages&) = delete;

  // GlobalShadowWord of the row that a byte at `offset` lies in, and of the rows after it.
  std::uint64_t* rows(std::uint64_t offset) { return rows_.as<std::uint64_t>() + (offset >> kRowShift); }
  // Hash and mark for each thread that has written that row, followed by those of the rows after it.
  std::uint16_t* values(std::uint64_t offset) {
    return values_.as<std::uint16_t>() + (offset >> kRowShift) * kRowWords;
  }
  Page& page(std::uint64_t offset) { return pages_[offset >> kPageShift]; }
  // Gives each unit of the page, of at most 1 << shift bytes, a shadow word. False if memory is short.
  bool keep_units(Page& page, unsigned shift) {
    return (page.last != nullptr && page.shift <= shift) || prepare(page, shift);
  }
  // Gives the page `since`. False if memory for it is short.
  bool keep_readers(Page& page);

  // Shadow bytes for each byte of data: 1/8 for rows, 1/2 for values written to rows, 2 for shadow words of
  // single words. Shadow words of single bytes and of readers beside writers are extra. Once all extra memory
  // of the process reaches this many bytes, accesses that need more of it are not checked.
  static constexpr std::size_t kMostExtra = std::size_t{256} << 20;

 private:
  bool prepare(Page& at, unsigned shift);
  bool take(std::size_t bytes);

  std::vector<Page> pages_;
  ZeroPageArena rows_, values_;
  std::atomic<std::size_t> taken_{0};  // bytes of extra shadow memory that are taken
  static std::atomic<std::size_t> extra_;
};

}  // namespace warpgrade::emulator
