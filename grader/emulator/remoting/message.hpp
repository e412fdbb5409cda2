// Messages between front end and back end: a call with its arguments, then the answer (API remoting).
//
// The front end replaces libcudart in a program and only sends each call of the runtime to the back end, a
// separate process that makes the call on the emulator. So a process that contains no code of the program
// knows what the program did to the GPU.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace warpgrade::remoting {

enum class ApiFunction : std::uint32_t {
#define FUNCTION(name, failure) name,
#include "remoting/functions.def"
#undef FUNCTION
  api_count,
  // Messages that are not calls of the program: they never fail on purpose and are not recorded.
  attach = api_count,  // → begin and bytes of the device's addresses
  register_code,
  register_function,
  register_variable,
  register_managed,
  share_managed,    // a managed variable → its address, the bytes of its pages
  parameter_sizes,  // sizes of a kernel's parameters
  symbol_address,
  graph_memory,  // the program's own memory that a graph copies
  error_name,
  error_text,
  host_access,  // the program touched device memory, which ends it, or a closed page
  // In place of an answer, which comes later: a function of the program that a graph calls, its argument, and
  // the program's memory that the graph has written before. `function_done`: it has returned.
  run_function,
  function_done,
  count,
};

// The environment variable by which the back end gives the program its socket.
constexpr const char* kSocketVariable = "WARPGRADE_BACKEND";
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // bytes of one message

// Pages of memory shared with the device that the program must not access before it has waited.
struct ClosedPages {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t readable = 0;  // not 0: closed for writes only
  bool operator==(const ClosedPages&) const = default;
};

struct MessageHeader {
  std::uint32_t function = 0;  // call: the function
  std::int32_t code = 0;       // answer: cudaError_t; call: the number of the program's thread
  std::uint64_t caller = 0;    // call: its return address in the program
  std::uint64_t bytes = 0;     // bytes that follow the header
  // Answer: how many ClosedPages end what follows the header, which are all there are; -1: none changed.
  std::int64_t closed = -1;
};

class MessageWriter {
 public:
  template <class T>
  MessageWriter& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  MessageWriter& text(const std::string& value) {
    put(static_cast<std::uint64_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  MessageWriter& append(const char* data, std::size_t size) {
    bytes_.append(data, size);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Throws std::length_error where the message is too short.
class MessageReader {
 public:
  explicit MessageReader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const auto size = get<std::uint64_t>();
    return {take(size), size};
  }
  const char* take(std::uint64_t size) {
    if (size > bytes_.size() - at_) throw std::length_error("a message is too short");
    const char* begin = bytes_.data() + at_;
    at_ += size;
    return begin;
  }
  const std::string& all() const { return bytes_; }
  std::uint64_t left() const { return bytes_.size() - at_; }

 private:
  const std::string& bytes_;
  std::uint64_t at_ = 0;
};

// Returns false if the other side has closed the connection. `memory`: a file descriptor that travels with
// the message, -1 for none.
bool send_message(int socket, MessageHeader header, const std::string& bytes, int memory = -1);
bool receive_message(int socket, MessageHeader& header, std::string& bytes, int* memory = nullptr);

}  // namespace warpgrade::remoting
