// Where bytes stand among others.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

namespace warpgrade::remoting {

constexpr std::size_t kWindow = 32;  // bytes that say where they are from

// As find() of a string, which looks for the first byte alone: in arrays of numbers that stands everywhere.
inline std::size_t place_of(std::string_view bytes, std::string_view all, std::size_t from = 0) {
  if (from > all.size()) return std::string_view::npos;
  const void* const at = memmem(all.data() + from, all.size() - from, bytes.data(), bytes.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - all.data());
}

// For how many bytes both begin the same.
inline std::size_t same_bytes(std::string_view one, std::string_view other) {
  const auto end = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first;
  return static_cast<std::size_t>(end - one.begin());
}

// How many bytes at the beginning are the same, as cudaMemset leaves them.
inline std::size_t filled(std::string_view bytes) {
  return bytes.empty() ? 0 : std::min(bytes.find_first_not_of(bytes.front()), bytes.size());
}

// Calls `look` with each place, up to some, where the head of `wanted` stands in `all`, and for how many
// bytes it goes on there.
template <class Look>
void each_place(std::string_view all, std::string_view wanted, Look look, std::size_t head_bytes = kWindow) {
  constexpr int kMostPlaces = 64;
  const std::string_view head = wanted.substr(0, head_bytes);
  std::size_t at = place_of(head, all);
  for (int i = 0; i < kMostPlaces && at != std::string_view::npos; ++i, at = place_of(head, all, at + 1))
    look(at, same_bytes(all.substr(at, wanted.size()), wanted));
}

}  // namespace warpgrade::remoting
