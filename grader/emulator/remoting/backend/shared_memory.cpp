// Managed and pinned memory: what the program and what the device has written there, by comparing the
// contents before and after each call that waits.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::size_t kFewSearches = 8;  // what the device has written may be much, and is of no input

// The parts that differ, in whole words.
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

// A copy of the memory if it has changed. The program may write there meanwhile, so a second comparison could
// differ.
std::optional<std::string> changed(const void* base, std::size_t bytes, const std::string& seen) {
  const std::string_view now(static_cast<const char*>(base), bytes);
  if (now == seen) return std::nullopt;
  return std::string(now);
}

}  // namespace

// Memory that both processes see, in place of the emulator's own at that address. `content`: what is there.
cudaError_t ProgramSession::share(void* made, std::uint64_t bytes, bool pinned, const std::string& content,
                                  Answer& out) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t extent = (bytes + page - 1) / page * page;
  out.memory = memfd_create("shared", MFD_CLOEXEC);
  if (out.memory < 0 || ftruncate(out.memory, static_cast<off_t>(extent)) != 0 ||
      pwrite(out.memory, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()) ||
      mmap(made, extent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, out.memory, 0) != made)
    return cudaErrorMemoryAllocation;
  shared_[address(made)] = {extent, bytes, pinned, content};
  out.out.put(extent);
  return cudaSuccess;
}

// A variable has pages of its own, like all memory of the emulator that the host may access. The program may
// name a variable that does not exist.
cudaError_t ProgramSession::share_managed(MessageReader& in, Answer& out) {
  const auto found = managed_.find(in.get<const void*>());
  if (found == managed_.end()) return cudaErrorInvalidSymbol;
  std::size_t bytes = 0;  // asking for it loads the code
  if (cudaGetSymbolSize(&bytes, &found->second) != cudaSuccess) return cudaErrorInvalidSymbol;
  void* const place = found->second;
  cudaPointerAttributes attributes{};
  if (place == nullptr || shared_.contains(address(place)) ||
      cudaPointerGetAttributes(&attributes, place) != cudaSuccess || attributes.type != cudaMemoryTypeManaged)
    return cudaErrorInvalidSymbol;
  out.out.put(place);
  return share(place, bytes, false, {static_cast<const char*>(place), bytes}, out);
}

// Called before a call that waits: changes of shared memory since the last comparison were made by the
// program.
void ProgramSession::look_before() {
  for (auto& [base, memory] : shared_) {
    std::optional<std::string> found =
        changed(reinterpret_cast<const void*>(base), memory.bytes, memory.seen);
    if (!found) continue;
    const std::string_view now = *found;
    memory.seen.resize(now.size());
    const auto [begin, same] = std::mismatch(now.begin(), now.end(), memory.seen.begin());
    if (begin == now.end()) continue;
    const auto end = std::mismatch(now.rbegin(), now.rend(), memory.seen.rbegin()).first.base();
    if (twin_ != nullptr) twin_->write(base, now, changes(now, memory.seen));
    origin_.sent(
        now.substr(static_cast<std::size_t>(begin - now.begin()), static_cast<std::size_t>(end - begin)));
    memory.seen = std::move(*found);
  }
}

// Called after a call that waits: changes of shared memory during the call were made by the device.
void ProgramSession::look_after() {
  for (auto& [base, memory] : shared_) {
    std::optional<std::string> found =
        changed(reinterpret_cast<const void*>(base), memory.bytes, memory.seen);
    if (!found) continue;
    const std::string_view now = *found;
    // Another thread of the program may have written there, too.
    if (twin_ != nullptr && has_threads_) twin_->write(base, now, changes(now, memory.seen), true);
    origin_.came(now, reinterpret_cast<const void*>(base),
                 twin_ == nullptr ? std::string() : twin_->memory(base));
    memory.seen = std::move(*found);
  }
}

std::string_view ProgramSession::of_twin(std::size_t at, std::size_t size) const {
  if (twin_ == nullptr) return {};
  const std::string_view answer = twin_->answered();
  return at <= answer.size() ? answer.substr(at, size) : std::string_view();
}

FollowedInputs ProgramSession::followed() { return twin_ == nullptr ? FollowedInputs() : twin_->followed(); }

// The next message of the program. A twin also gets messages of its own kinds in between.
bool ProgramSession::receive(MessageHeader& header, std::string& bytes) {
  bool got = receive_message(socket_, header, bytes);
  while (got && exchange_ != nullptr && header.function >= kWritten)
    got = serve_twin(header, bytes) && receive_message(socket_, header, bytes);
  return got;
}

bool ProgramSession::serve_twin(const MessageHeader& header, const std::string& bytes) {
  MessageReader in(bytes);
  if (header.function == kCameBack) {
    std::string own = in.text();
    exchange_->came_back(std::move(own), in.text());
    return true;
  }
  if (header.function == kFollowed) {
    MessageWriter out;
    const FollowedInputs followed = exchange_->followed();
    out.put(followed.are_rearranged);
    for (const double part : followed.parts) out.put(part);
    return send_message(socket_, {}, out.bytes());
  }
  const auto found = shared_.find(in.get<std::uint64_t>());
  if (found == shared_.end()) return false;
  auto* const memory = reinterpret_cast<char*>(found->first);
  if (header.function == kTake) return send_message(socket_, {}, {memory, found->second.bytes});
  std::vector<BytePart> parts(in.get<std::uint64_t>());
  for (BytePart& each : parts) each = in.get<BytePart>();
  const std::size_t size = in.left();
  const std::string_view sent(in.take(size), size);
  std::string content(sent);
  std::size_t done = 0;
  const bool perhaps = header.code != 0;  // then what is of an input alone is the program's
  std::vector<BytePart> all = perhaps ? std::vector<BytePart>() : parts;
  for (const BytePart& part : parts) {
    if (part.end <= done) continue;
    const auto more = exchange_->exchange(sent, {std::max(part.begin, done), part.end}, content,
                                          perhaps ? kFewSearches : kMostSearches);
    if (!more.empty()) done = more.back().end;
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const BytePart& each : all)
    std::copy(content.begin() + static_cast<std::ptrdiff_t>(each.begin),
              content.begin() + static_cast<std::ptrdiff_t>(each.end), memory + each.begin);
  return true;
}

}  // namespace warpgrade::remoting
