// Puts other inputs in the place of those that a program sends to the device.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remoting/backend/data_flow/array_variants.hpp"
#include "remoting/backend/data_flow/element_index.hpp"

namespace warpgrade::remoting {

// Limit of searches without a match in one piece that a program sends: most of it may come from no input.
constexpr std::size_t kMostSearches = 256;

// An input array of the program, and one of the same shape with other values.
struct OtherInput {
  enum class Kind { input, variant, came_back };
  std::string own, other;  // of equal size
  ArrayForm form;
  // A variant is what a program makes of an input (array_variants.hpp). What came back from the device is no
  // input, but the program may send it again.
  Kind kind = Kind::input;
  std::size_t of = 0;      // of a variant: the place of its input
  bool is_turned = false;  // of a variant: its axes are in another order
};

// How much of each input was found in what a program sent.
struct FollowedInputs {
  std::vector<double> parts;    // of each input, from 0 to 1
  bool are_rearranged = false;  // some in another order than in the file
};

struct BytePart {
  std::size_t begin, end;
};

class InputExchange {
 public:
  explicit InputExchange(std::vector<OtherInput> inputs);
  // Bytes that came back from the program's device, and those that its twin has in their place.
  void came_back(std::string own, std::string other);
  // Replaces inputs, and variants of inputs, in the bytes that the program sends by the same places of the
  // other input: pieces in any order, elements of several inputs in turn, and elements at equal distances.
  // All other bytes stay.
  void exchange(std::string& bytes) { exchange(std::string(bytes), {0, bytes.size()}, bytes); }
  // exchange() of a part of what was sent; a match may reach beyond the part. Returns the parts of `result`
  // that were exchanged. `searches`: how many may find nothing.
  std::vector<BytePart> exchange(std::string_view sent, BytePart part, std::string& result,
                                 std::size_t searches = kMostSearches);
  void exchange_argument(std::string& value);  // one that holds an input as a whole
  FollowedInputs followed() const;

 private:
  struct Place {
    std::size_t input = 0, at = 0, size = 0;
  };
  struct Message {
    std::string_view sent;
    std::string& result;
    std::vector<BytePart> exchanged;
    std::size_t done = 0;        // up to where all is exchanged
    std::vector<bool> in_a_run;  // bytes that runs with gaps have exchanged
  };
  void put(Message& message, std::size_t at, const Place& place);
  std::size_t put_run(Message& message, std::size_t at, std::size_t end);
  std::vector<Place> that_go_on(std::string_view bytes, std::size_t size) const;
  bool is_known(const std::vector<Place>& run, std::size_t size) const;
  std::size_t behind(const Place& place) const;
  Place found(std::string_view bytes, std::size_t size) const;
  Place extended_back(Place place, std::string_view before) const;
  void add(OtherInput input);
  void add_variants();

  std::size_t given_ = 0;          // inputs of the program, the first ones
  std::deque<OtherInput> inputs_;  // the indexes keep views of them
  std::vector<std::size_t> next_;  // of each input, the place behind the last piece that was sent
  std::vector<std::size_t> sent_;  // elements of each that were exchanged
  std::size_t step_ = 4;           // bytes between places where a piece may begin
  std::size_t misses_ = 0;         // searches that have found nothing
  std::size_t came_back_ = 0, came_back_bytes_ = 0;
  bool are_rearranged_ = false;
  bool has_variants_ = false;  // they are made where something is sent that is of no input as it is
  std::vector<std::pair<std::size_t, ElementIndex>> indexes_;  // by place of the input
};

}  // namespace warpgrade::remoting
