// Managed and pinned memory: what the program and what the device has written there, by comparing the
// contents before and after each call that waits.
#include <algorithm>
#include <cstring>

#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {
namespace {

// The parts that have changed, in whole words.
std::vector<BytePart> changes(std::string_view now, std::string_view before) {
  constexpr std::size_t kWord = 4, kFewest = 64;  // bytes; of what is the same between two parts
  const auto is_same = [&](std::size_t at) { return now.substr(at, kWord) == before.substr(at, kWord); };
  std::vector<BytePart> found;
  for (std::size_t at = 0; at < now.size(); at += kWord) {
    if (is_same(at)) continue;
    if (found.empty() || at > found.back().end + kFewest) found.push_back({at, at});
    found.back().end = std::min(at + kWord, now.size());
  }
  return found;
}

}  // namespace

// Called before a call that waits: changes of shared memory since the last comparison were made by the
// program.
void ProgramSession::look_before() {
  for (auto& [base, memory] : shared_) {
    const std::string_view now(reinterpret_cast<const char*>(base), memory.bytes);
    if (now == memory.seen) continue;
    memory.seen.resize(now.size());
    const auto [begin, same] = std::mismatch(now.begin(), now.end(), memory.seen.begin());
    if (begin == now.end()) continue;
    const auto end = std::mismatch(now.rbegin(), now.rend(), memory.seen.rbegin()).first.base();
    if (twin_ != nullptr) twin_->write(base, now, changes(now, memory.seen));
    origin_.sent(
        now.substr(static_cast<std::size_t>(begin - now.begin()), static_cast<std::size_t>(end - begin)));
    memory.seen = now;
  }
}

// Called after a call that waits: changes of shared memory during the call were made by the device.
void ProgramSession::look_after() {
  for (auto& [base, memory] : shared_) {
    const std::string_view now(reinterpret_cast<const char*>(base), memory.bytes);
    if (now == memory.seen) continue;
    origin_.came(now, reinterpret_cast<const void*>(base),
                 twin_ == nullptr ? std::string() : twin_->memory(base));
    memory.seen = now;
  }
}

std::string_view ProgramSession::of_twin(std::size_t at, std::size_t size) const {
  if (twin_ == nullptr) return {};
  const std::string_view answer = twin_->answered();
  return at <= answer.size() ? answer.substr(at, size) : std::string_view();
}

// The next message of the program. A twin gets others in between.
bool ProgramSession::receive(MessageHeader& header, std::string& bytes) {
  bool got = receive_message(socket_, header, bytes);
  while (got && exchange_ != nullptr && header.function >= kWritten)
    got = serve_twin(header.function, bytes) && receive_message(socket_, header, bytes);
  return got;
}

bool ProgramSession::serve_twin(std::uint32_t function, const std::string& bytes) {
  MessageReader in(bytes);
  const auto found = shared_.find(in.get<std::uint64_t>());
  if (found == shared_.end()) return false;
  auto* const memory = reinterpret_cast<char*>(found->first);
  if (function == kTake) return send_message(socket_, {}, {memory, found->second.bytes});
  std::vector<BytePart> parts(in.get<std::uint64_t>());
  for (BytePart& each : parts) each = in.get<BytePart>();
  const std::size_t size = in.left();
  const std::string_view sent(in.take(size), size);
  std::string content(sent);
  std::size_t done = 0;
  for (const BytePart& part : std::vector(parts)) {
    if (part.end <= done) continue;
    const auto more = exchange_->exchange(sent, {std::max(part.begin, done), part.end}, content);
    if (!more.empty()) done = more.back().end;
    parts.insert(parts.end(), more.begin(), more.end());
  }
  for (const BytePart& each : parts)
    std::copy(content.begin() + static_cast<std::ptrdiff_t>(each.begin),
              content.begin() + static_cast<std::ptrdiff_t>(each.end), memory + each.begin);
  return true;
}

}  // namespace warpgrade::remoting
