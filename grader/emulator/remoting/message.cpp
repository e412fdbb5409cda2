#include "remoting/message.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace warpgrade::remoting {
namespace {

bool send_all(int socket, const char* data, std::uint64_t bytes) {
  while (bytes != 0) {
    const ssize_t sent = send(socket, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<std::uint64_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* data, std::uint64_t bytes) {
  while (bytes != 0) {
    const ssize_t got = recv(socket, data, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    bytes -= static_cast<std::uint64_t>(got);
  }
  return true;
}

// Room for one descriptor.
union Control {
  cmsghdr align;
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

bool send_message(int socket, MessageHeader header, const std::string& bytes, int memory) {
  header.bytes = bytes.size();
  iovec part{&header, sizeof header};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control{};
  if (memory >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof memory);
    std::memcpy(CMSG_DATA(rights), &memory, sizeof memory);
  }
  ssize_t sent = 0;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return false;
  const auto done = static_cast<std::uint64_t>(sent);
  return send_all(socket, reinterpret_cast<const char*>(&header) + done, sizeof header - done) &&
         send_all(socket, bytes.data(), bytes.size());
}

bool receive_message(int socket, MessageHeader& header, std::string& bytes, int* memory) {
  iovec part{&header, sizeof header};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control{};
  if (memory != nullptr) {
    *memory = -1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
  }
  ssize_t got = 0;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  const cmsghdr* rights = memory != nullptr ? CMSG_FIRSTHDR(&message) : nullptr;
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS)
    std::memcpy(memory, CMSG_DATA(rights), sizeof *memory);
  const auto done = static_cast<std::uint64_t>(got);
  if (!receive_all(socket, reinterpret_cast<char*>(&header) + done, sizeof header - done)) return false;
  if (header.bytes > kMostBytes) return false;
  bytes.resize(header.bytes);
  return receive_all(socket, bytes.data(), header.bytes);
}

}  // namespace warpgrade::remoting
