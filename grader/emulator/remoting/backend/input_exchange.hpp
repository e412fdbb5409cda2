// Puts other inputs in the place of those that a program sends to the device.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::remoting {

// In vain, for one piece that a program sends, since it may send much that is of no input.
constexpr std::size_t kMostSearches = 256;

// An input array of the program, and one of the same shape with other values.
struct OtherInput {
  std::string own, other;   // of equal size
  std::size_t element = 1;  // bytes
  bool came_back = false;   // it is no input, but came from the device: the program may send it again
};

struct BytePart {
  std::size_t begin, end;
};

class InputExchange {
 public:
  explicit InputExchange(std::vector<OtherInput> inputs);
  // What came from the program's device, and what came from its twin.
  void came_back(std::string own, std::string other);
  // Bytes that the program sends. What stands in an input, in pieces of any order or element by element from
  // several of them in turn, becomes what stands there in the other one. All else stays.
  void exchange(std::string& bytes) { exchange(std::string(bytes), {0, bytes.size()}, bytes); }
  // The same of a part, with what goes on outside of it; returns what was exchanged in `result`.
  // `searches`: how many may be in vain.
  std::vector<BytePart> exchange(std::string_view sent, BytePart part, std::string& result,
                                 std::size_t searches = kMostSearches);
  void exchange_argument(std::string& value);  // one that holds an input as a whole

 private:
  struct Place {
    std::size_t input = 0, at = 0, size = 0;
  };
  std::vector<Place> that_go_on(std::string_view bytes, std::size_t size) const;
  std::size_t behind(const Place& place) const;
  Place found(std::string_view bytes, std::size_t size) const;
  Place extended_back(Place place, std::string_view before) const;

  std::vector<OtherInput> inputs_;
  std::vector<std::size_t> next_;  // of each input, the place behind the last piece that was sent
  std::size_t step_ = 8;           // between places where a piece may begin
  std::size_t misses_ = 0;         // searches that have found nothing
};

}  // namespace warpgrade::remoting
