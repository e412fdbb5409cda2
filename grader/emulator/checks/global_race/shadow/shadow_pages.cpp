#include "checks/global_race/shadow/shadow_pages.hpp"

namespace warpgrade::emulator {

std::atomic<std::size_t> ShadowPages::extra_{0};

ShadowPages::~ShadowPages() { extra_ -= taken_; }

bool ShadowPages::take(std::size_t bytes) {
  if (extra_ + bytes > kMostExtra) return false;
  extra_ += bytes;
  taken_ += bytes;
  return true;
}

bool ShadowPages::prepare(Page& at, unsigned shift) {
  if (at.last == nullptr && shift != 0) {
    at.last = std::make_unique<std::uint64_t[]>(kPage >> at.shift);
    return true;
  }
  if (!take(kPage * sizeof(std::uint64_t))) return false;
  const auto widen = [&](std::unique_ptr<std::uint64_t[]>& plane) {
    auto wide = std::make_unique<std::uint64_t[]>(kPage);
    if (plane != nullptr)
      for (std::uint64_t i = 0; i < kPage; ++i) wide[i] = plane[i >> at.shift];
    plane = std::move(wide);
  };
  if (at.since != nullptr) widen(at.since);
  widen(at.last);
  at.shift = 0;
  return true;
}

bool ShadowPages::keep_readers(Page& page) {
  if (page.since != nullptr) return true;
  if (!take((kPage >> page.shift) * sizeof(std::uint64_t))) return false;
  page.since = std::make_unique<std::uint64_t[]>(kPage >> page.shift);
  return true;
}

}  // namespace warpgrade::emulator
