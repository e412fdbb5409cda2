// Searches for bytes within other bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

namespace warpgrade::remoting {

constexpr std::size_t kWindow = 32;  // bytes that identify their origin

// Like std::string_view::find(), which is slow here: it searches for the first byte, and in arrays of numbers
// that occurs everywhere.
inline std::size_t place_of(std::string_view bytes, std::string_view all, std::size_t from = 0) {
  if (from > all.size()) return std::string_view::npos;
  const void* const at = memmem(all.data() + from, all.size() - from, bytes.data(), bytes.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - all.data());
}

// Length of the common prefix.
inline std::size_t same_bytes(std::string_view one, std::string_view other) {
  const auto end = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first;
  return static_cast<std::size_t>(end - one.begin());
}

// Number of equal bytes at the beginning, as cudaMemset leaves them.
inline std::size_t filled(std::string_view bytes) {
  return bytes.empty() ? 0 : std::min(bytes.find_first_not_of(bytes.front()), bytes.size());
}

// Calls `look` with places of the head of `wanted` in `all`, a limited number of them, and with the length of
// the match at each place.
template <class Look>
void each_place(std::string_view all, std::string_view wanted, Look look, std::size_t head_bytes = kWindow) {
  constexpr int kMostPlaces = 64;
  const std::string_view head = wanted.substr(0, head_bytes);
  std::size_t at = place_of(head, all);
  for (int i = 0; i < kMostPlaces && at != std::string_view::npos; ++i, at = place_of(head, all, at + 1))
    look(at, same_bytes(all.substr(at, wanted.size()), wanted));
}

}  // namespace warpgrade::remoting
