// Whether the program's output came from the device: keeps the bytes that the program copied to and from the
// device and compares the output with them.
#include <algorithm>

#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{512} << 20;  // bytes of one run

// The length of the longest prefix of `wanted` in the piece, among the first places that match its head.
std::size_t longest_in(std::string_view piece, std::string_view wanted) {
  constexpr std::size_t kHead = 32;
  constexpr int kMostPlaces = 64;
  const std::string_view head = wanted.substr(0, kHead);
  std::size_t longest = 0, at = piece.find(head);
  for (int i = 0; i < kMostPlaces && at != std::string_view::npos; ++i, at = piece.find(head, at + 1)) {
    const std::string_view here = piece.substr(at, wanted.size());
    const auto end = std::mismatch(here.begin(), here.end(), wanted.begin()).first;
    longest = std::max(longest, static_cast<std::size_t>(end - here.begin()));
  }
  return longest;
}

bool holds(const std::vector<std::string>& pieces, std::string_view bytes) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const std::string& piece) { return piece.find(bytes) != std::string::npos; });
}

}  // namespace

void ProgramSession::keep(std::vector<std::string>& pieces, std::string_view bytes) {
  if (!tracks_ || bytes.empty() || bytes.size() > kMostKept - kept_) return;
  kept_ += bytes.size();
  pieces.emplace_back(bytes);
}

// Called before a call that waits: what has changed in shared memory since the last look, the program has
// written.
void ProgramSession::look_before() {
  for (auto& [base, memory] : shared_) {
    const std::string_view now(reinterpret_cast<const char*>(base), memory.bytes);
    if (now == memory.seen) continue;
    memory.seen.resize(now.size());
    const auto [begin, same] = std::mismatch(now.begin(), now.end(), memory.seen.begin());
    if (begin == now.end()) continue;
    const auto end = std::mismatch(now.rbegin(), now.rend(), memory.seen.rbegin()).first.base();
    keep(to_device_,
         now.substr(static_cast<std::size_t>(begin - now.begin()), static_cast<std::size_t>(end - begin)));
    memory.seen = now;
  }
}

// Called after a call that waits: what has changed in shared memory meanwhile, the device has written.
void ProgramSession::look_after() {
  for (auto& [base, memory] : shared_) {
    const std::string_view now(reinterpret_cast<const char*>(base), memory.bytes);
    if (now == memory.seen) continue;
    keep(from_device_, now);
    memory.seen = now;
  }
}

bool ProgramSession::came_from_device(std::string_view bytes) const {
  while (!bytes.empty()) {
    std::size_t most = 0;
    for (const std::string& piece : from_device_) {
      const std::size_t size = longest_in(piece, bytes);
      if (size > most && !holds(to_device_, bytes.substr(0, size))) most = size;
    }
    if (most == 0) return false;
    bytes.remove_prefix(most);
  }
  return true;
}

}  // namespace warpgrade::remoting
