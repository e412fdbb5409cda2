// Managed and pinned memory: what the program and what the device has written there, by looks before and
// after each call that waits.
#include <algorithm>

#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {

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
    origin_.sent(
        now.substr(static_cast<std::size_t>(begin - now.begin()), static_cast<std::size_t>(end - begin)));
    memory.seen = now;
  }
}

// Called after a call that waits: what has changed in shared memory meanwhile, the device has written.
void ProgramSession::look_after() {
  for (auto& [base, memory] : shared_) {
    const std::string_view now(reinterpret_cast<const char*>(base), memory.bytes);
    if (now == memory.seen) continue;
    origin_.came(now, reinterpret_cast<const void*>(base));
    memory.seen = now;
  }
}

}  // namespace warpgrade::remoting
