// A second device that gets all that the program sends, but with other inputs. The program never sees these,
// so the result on the twin is what its kernels compute from them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "remoting/backend/data_flow/input_exchange.hpp"
#include "remoting/message.hpp"

namespace warpgrade::remoting {

// Messages to a twin beside the program's.
// Shared memory that the program has written: address, number of parts, begin and end of each, all bytes.
constexpr auto kWritten = static_cast<std::uint32_t>(ApiFunction::count);
constexpr std::uint32_t kTake = kWritten + 1;      // address of shared memory → its bytes
constexpr std::uint32_t kCameBack = kWritten + 2;  // bytes of the program's device, those of its twin
constexpr std::uint32_t kFollowed = kWritten + 3;  // → InputExchange::followed()

class Twin {
 public:
  // Starts its process. The emulator must not have begun in this one.
  explicit Twin(std::vector<OtherInput> inputs);
  ~Twin();
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;

  void send(MessageHeader header, std::string bytes);  // of the program
  // The twin's answer to the last message. The twin works on it while this process does.
  const std::string& answered();
  // Compares the twin's answer with `answer` of the program's device, and notes which of the twin's handles
  // stand for its handles.
  void compare(ApiFunction function, const std::string& answer);
  // Sends the content of shared memory, with the parts that the program has written; `perhaps`: which the
  // device may have written.
  void write(std::uint64_t to, std::string_view bytes, const std::vector<BytePart>& written,
             bool perhaps = false);
  void came_back(const std::string& own, std::string_view of_twin);
  std::string memory(std::uint64_t from);  // shared memory
  FollowedInputs followed();
  bool is_lost() const { return is_lost_; }

 private:
  void put(MessageHeader header, const std::string& bytes);
  std::string take();

  int socket_ = -1;
  bool is_lost_ = false, is_answered_ = true;
  std::string answer_;
  std::unordered_map<std::uint64_t, std::uint64_t> handles_;  // the program's → the twin's, where they differ
};

}  // namespace warpgrade::remoting
