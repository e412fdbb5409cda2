#include "remoting/backend/input_exchange.hpp"

#include <utility>

#include "remoting/backend/byte_search.hpp"

namespace warpgrade::remoting {
namespace {

// In vain, since a program may send much that is of no input: for one piece that it sends, and for all.
constexpr std::size_t kMostMisses = 256, kMostMissesOfAll = 4096;
constexpr std::size_t kMostArgument = 4096;  // bytes

}  // namespace

InputExchange::InputExchange(std::vector<OtherInput> inputs)
    : inputs_(std::move(inputs)), next_(inputs_.size()) {
  for (const OtherInput& each : inputs_) step_ = std::min(step_, each.element);
}

std::vector<BytePart> InputExchange::exchange(std::string_view sent, BytePart part, std::string& result) {
  std::vector<BytePart> exchanged;
  const auto put = [&](std::size_t at, const Place& place) {
    result.replace(at, place.size, inputs_[place.input].other, place.at, place.size);
    next_[place.input] = place.at + place.size;
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
      if (++misses > kMostMisses || ++misses_ > kMostMissesOfAll) break;
      at += step_;
      continue;
    }
    const Place whole = extended_back(place, sent.substr(done, at - done));
    put(at + place.size - whole.size, whole);
    done = at += place.size;
  }
  return exchanged;
}

// Pieces at the beginning of the bytes, each of which goes on where the last piece of its input ended: none
// where they are not `size` bytes, and too short to be more than chance.
std::vector<InputExchange::Place> InputExchange::that_go_on(std::string_view bytes, std::size_t size) const {
  std::vector<Place> run;
  std::vector<std::size_t> next = next_;
  std::size_t known = 0;
  for (Place best;; known += best.size) {
    best = {};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::size_t same =
          same_bytes(std::string_view(inputs_[i].own).substr(next[i]), bytes.substr(known));
      const std::size_t whole = same / inputs_[i].element * inputs_[i].element;
      if (whole > best.size) best = {i, next[i], whole};
    }
    if (best.size == 0) break;
    next[best.input] += best.size;
    run.push_back(best);
  }
  if (known < std::min(kWindow, size)) run.clear();
  return run;
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
