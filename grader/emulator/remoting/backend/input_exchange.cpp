#include "remoting/backend/input_exchange.hpp"

#include <utility>

#include "remoting/backend/byte_search.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::size_t kMostSearchesOfAll = 4096;
constexpr std::size_t kMostInputs = 64;
constexpr std::size_t kMostArgument = 4096;  // bytes

// For how many bytes, of whole elements, the input goes on like that. What came back and is all the same, as
// flags are, may be the program's own.
std::size_t same_piece(const OtherInput& input, std::size_t at, std::string_view bytes) {
  const std::string_view own = std::string_view(input.own).substr(at);
  const std::size_t same = same_bytes(own, bytes);
  if (input.came_back && filled(own) >= same) return 0;
  return same / input.element * input.element;
}

}  // namespace

InputExchange::InputExchange(std::vector<OtherInput> inputs)
    : inputs_(std::move(inputs)), next_(inputs_.size()) {
  for (const OtherInput& each : inputs_) step_ = std::min(step_, each.element);
}

void InputExchange::came_back(std::string own, std::string other) {
  constexpr std::size_t kElement = 4;  // bytes: it may be of any type
  if (own.size() < kElement || own.size() != other.size() || inputs_.size() >= kMostInputs) return;
  inputs_.push_back({std::move(own), std::move(other), kElement, true});
  next_.push_back(0);
}

std::vector<BytePart> InputExchange::exchange(std::string_view sent, BytePart part, std::string& result,
                                              std::size_t searches) {
  std::vector<BytePart> exchanged;
  const auto put = [&](std::size_t at, const Place& place) {
    result.replace(at, place.size, inputs_[place.input].other, place.at, place.size);
    next_[place.input] = behind(place);
    exchanged.push_back({at, at + place.size});
  };
  std::size_t done = 0, misses = 0;  // up to where all is exchanged
  for (std::size_t at = part.begin; at < part.end;) {
    const std::string_view rest = sent.substr(at);
    const std::size_t size = part.end - at;
    if (const std::vector<Place> run = that_go_on(rest, size); !run.empty()) {
      for (const Place& each : run) {
        put(at, each);
        at += each.size;
      }
      done = at;
      continue;
    }
    const std::size_t same = filled(rest);  // says nothing about its place, but what is behind does
    if (same >= kWindow && same >= size) break;
    if (same >= kWindow) {
      at += same - kWindow + 1;
      continue;
    }
    const Place place = found(rest, size);
    if (place.size == 0) {
      if (++misses > searches || ++misses_ > kMostSearchesOfAll) break;
      at += step_;
      continue;
    }
    const Place whole = extended_back(place, sent.substr(done, at - done));
    put(at + place.size - whole.size, whole);
    done = at += place.size;
  }
  return exchanged;
}

// Pieces at the beginning of the bytes, each of which goes on where the last piece of its input ended, or
// begins the input: none where they are not `size` bytes, nor an input as a whole, and too short to be more
// than chance.
std::vector<InputExchange::Place> InputExchange::that_go_on(std::string_view bytes, std::size_t size) const {
  std::vector<Place> run;
  std::vector<std::size_t> next = next_;
  std::size_t known = 0;
  bool is_whole = false;
  for (Place best;; known += best.size) {
    best = {};
    for (const bool goes_on : {true, false})
      for (std::size_t i = 0; i < inputs_.size() && (goes_on || best.size == 0); ++i) {
        const std::size_t at = goes_on ? next[i] : 0;
        const std::size_t same = same_piece(inputs_[i], at, bytes.substr(known));
        if (same > best.size) best = {i, at, same};
      }
    if (best.size == 0) break;
    next[best.input] = behind(best);
    is_whole = is_whole || best.size == inputs_[best.input].own.size();
    run.push_back(best);
  }
  if (known < std::min(kWindow, size) && !is_whole) run.clear();
  return run;
}

// The place behind a piece; of the last one, the beginning, as an input may be sent again.
std::size_t InputExchange::behind(const Place& place) const {
  const std::size_t end = place.at + place.size;
  return end == inputs_[place.input].own.size() ? 0 : end;
}

// The longest piece of an input with which the bytes begin. Of few bytes, `size`, all must stand in one place
// only.
InputExchange::Place InputExchange::found(std::string_view bytes, std::size_t size) const {
  Place best;
  std::size_t places = 0;
  const auto look_in = [&](std::size_t input) {
    const auto look = [&](std::size_t at, std::size_t same) {
      ++places;
      if (same > best.size) best = {input, at, same};
    };
    each_place(inputs_[input].own, bytes, look, std::min(kWindow, size));
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) look_in(i);
  return size < kWindow && places > 1 ? Place{} : best;
}

// The piece with as much of what comes before it as stands before it in the input.
InputExchange::Place InputExchange::extended_back(Place place, std::string_view before) const {
  const std::string& own = inputs_[place.input].own;
  while (!before.empty() && place.at > 0 && own[place.at - 1] == before.back()) {
    before.remove_suffix(1);
    --place.at;
    ++place.size;
  }
  return place;
}

void InputExchange::exchange_argument(std::string& value) {
  for (const OtherInput& each : inputs_) {
    if (each.own.empty() || each.own.size() > std::min(value.size(), kMostArgument)) continue;
    if (const std::size_t at = place_of(each.own, value); at != std::string::npos) {
      value.replace(at, each.own.size(), each.other);
      return;
    }
  }
}

}  // namespace warpgrade::remoting
