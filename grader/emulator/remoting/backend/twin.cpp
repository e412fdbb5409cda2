#include "remoting/backend/twin.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::size_t kMostHandles = std::size_t{64} << 10;  // bytes of a message that may hold some

// Whether the answer consists of the device's memory, which contains no handles.
bool is_data(ApiFunction function) {
  return (function >= ApiFunction::cudaMemcpy && function <= ApiFunction::cudaMemcpyFromSymbolAsync) ||
         function == ApiFunction::cudaGraphLaunch;
}

[[noreturn]] void become_twin(int socket, std::vector<OtherInput> inputs) {
  setenv("WARPGRADE_FINDINGS", "/dev/null", 1);
  setenv("WARPGRADE_CHECK", "none", 1);
  unsetenv("WARPGRADE_COUNTERS");
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(125);
  InputExchange exchange(std::move(inputs));
  ProgramSession session(socket, exchange);
  session.serve();
  _exit(0);
}

}  // namespace

Twin::Twin(std::vector<OtherInput> inputs) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) _exit(125);
  const pid_t process = fork();
  if (process < 0) _exit(125);
  if (process == 0) {
    close(sockets[0]);
    become_twin(sockets[1], std::move(inputs));
  }
  close(sockets[1]);
  socket_ = sockets[0];
}

Twin::~Twin() { close(socket_); }

void Twin::put(MessageHeader header, const std::string& bytes) {
  is_lost_ = is_lost_ || !send_message(socket_, header, bytes);
}

std::string Twin::take() {
  MessageHeader header;
  std::string bytes;
  is_lost_ = is_lost_ || !receive_message(socket_, header, bytes);
  if (is_lost_) return {};
  if (header.closed > 0)
    bytes.resize(bytes.size() - static_cast<std::size_t>(header.closed) * sizeof(ClosedPages));
  return bytes;
}

void Twin::send(MessageHeader header, std::string bytes) {
  answered();
  const std::size_t size = std::min(bytes.size(), kMostHandles);
  for (std::size_t at = 0; !handles_.empty() && at + sizeof(std::uint64_t) <= size; ++at) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[at], sizeof word);
    if (const auto known = handles_.find(word); known != handles_.end())
      std::memcpy(&bytes[at], &known->second, sizeof word);
  }
  put(header, bytes);
  is_answered_ = false;
}

const std::string& Twin::answered() {
  if (!is_answered_) answer_ = take();
  is_answered_ = true;
  return answer_;
}

void Twin::compare(ApiFunction function, const std::string& answer) {
  const std::string& own = answered();
  if (is_data(function) || own.size() != answer.size()) return;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= own.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t of_program = 0, of_twin = 0;
    std::memcpy(&of_program, &answer[at], sizeof of_program);
    std::memcpy(&of_twin, &own[at], sizeof of_twin);
    if (of_program != of_twin)
      handles_[of_program] = of_twin;
    else
      handles_.erase(of_program);
  }
}

void Twin::write(std::uint64_t to, std::string_view bytes, const std::vector<BytePart>& written,
                 bool perhaps) {
  answered();
  MessageWriter out;
  out.put(to).put(std::uint64_t{written.size()});
  for (const BytePart& each : written) out.put(each);
  put({kWritten, perhaps ? 1 : 0}, out.append(bytes.data(), bytes.size()).bytes());
}

void Twin::came_back(const std::string& own, std::string_view of_twin) {
  MessageWriter out;
  put({kCameBack}, out.text(own).text(std::string(of_twin)).bytes());
}

std::string Twin::memory(std::uint64_t from) {
  answered();
  put({kTake}, MessageWriter().put(from).bytes());
  return take();
}

FollowedInputs Twin::followed() {
  answered();
  put({kFollowed}, {});
  const std::string answer = take();
  FollowedInputs found;
  if (is_lost_) return found;
  MessageReader in(answer);
  found.are_rearranged = in.get<bool>();
  while (in.left() != 0) found.parts.push_back(in.get<double>());
  return found;
}

}  // namespace warpgrade::remoting
