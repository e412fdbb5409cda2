#include "remoting/backend/data_flow/input_exchange.hpp"

#include <utility>

#include "remoting/backend/data_flow/byte_search.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::size_t kMostSearchesOfAll = 4096;
constexpr std::size_t kMostPieces = 64;  // that came back; the last one goes on with all that come later
constexpr std::size_t kMostCameBack = std::size_t{64} << 20;  // bytes
constexpr std::size_t kMostVariants = std::size_t{32} << 20;  // bytes of all inputs
constexpr std::size_t kFewestOfVariant = 4;                   // bytes of a piece; fewer are chance
constexpr std::size_t kMostArgument = 4096;                   // bytes

// Length of the match with the input, in bytes of whole elements. Equal bytes that came back from the device,
// such as flags, do not count: the program may have made them itself.
std::size_t same_piece(const OtherInput& input, std::size_t at, std::string_view bytes) {
  const std::string_view own = std::string_view(input.own).substr(at);
  const std::size_t same = same_bytes(own, bytes);
  if (input.kind == OtherInput::Kind::came_back && filled(own) >= same) return 0;
  if (input.kind == OtherInput::Kind::variant && same < kFewestOfVariant) return 0;
  return same / input.form.element() * input.form.element();
}

}  // namespace

InputExchange::InputExchange(std::vector<OtherInput> inputs) : given_(inputs.size()) {
  for (OtherInput& each : inputs) {
    step_ = std::min(step_, each.form.element());
    add(std::move(each));
  }
}

void InputExchange::add(OtherInput input) {
  inputs_.push_back(std::move(input));
  next_.push_back(0);
  sent_.push_back(0);
}

void InputExchange::came_back(std::string own, std::string other) {
  const ArrayForm form{"i4", {}};  // it may be of any type
  came_back_bytes_ += own.size();
  if (own.size() < form.element() || own.size() != other.size() || came_back_bytes_ > kMostCameBack) return;
  if (came_back_ < kMostPieces) {
    ++came_back_;
    add({std::move(own), std::move(other), form, OtherInput::Kind::came_back});
  } else if (OtherInput& last = inputs_.back(); last.kind == OtherInput::Kind::came_back) {
    last.own += own;
    last.other += other;
  }
}

void InputExchange::add_variants() {
  has_variants_ = true;
  for (std::size_t i = 0; i < given_; ++i) {
    const ArrayForm& form = inputs_[i].form;
    indexes_.emplace_back(i, ElementIndex(inputs_[i].own, form.element()));
    for (ArrayVariant& each : variants(inputs_[i].own, inputs_[i].other, form, kMostVariants / given_)) {
      const ArrayForm element{"i" + std::to_string(each.element), {}};
      add({std::move(each.one), std::move(each.other), element, OtherInput::Kind::variant, i,
           each.is_turned});
      if (!each.is_turned)
        indexes_.emplace_back(inputs_.size() - 1, ElementIndex(inputs_.back().own, each.element));
    }
  }
}

FollowedInputs InputExchange::followed() const {
  FollowedInputs found{std::vector<double>(given_, 0.0), are_rearranged_};
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const OtherInput& each = inputs_[i];
    if (each.kind == OtherInput::Kind::came_back || each.own.empty()) continue;
    double& part = found.parts[each.kind == OtherInput::Kind::variant ? each.of : i];
    part += static_cast<double>(sent_[i] * each.form.element()) / static_cast<double>(each.own.size());
  }
  for (double& each : found.parts) each = std::min(each, 1.0);
  return found;
}

std::vector<BytePart> InputExchange::exchange(std::string_view sent, BytePart part, std::string& result,
                                              std::size_t searches) {
  Message message{sent, result, {}, 0, {}};
  std::size_t misses = 0;
  for (std::size_t at = part.begin; at < part.end;) {
    if (!message.in_a_run.empty() && message.in_a_run[at]) {
      ++at;
      continue;
    }
    const std::string_view rest = sent.substr(at);
    const std::size_t size = part.end - at;
    if (const std::vector<Place> run = that_go_on(rest, size); !run.empty()) {
      for (const Place& each : run) {
        put(message, at, each);
        at += each.size;
      }
      message.done = at;
      continue;
    }
    const std::size_t same = filled(rest);  // says nothing about its place, but what is behind does
    if (same >= kWindow && same >= size) break;
    if (same >= kWindow) {
      at += (same - kWindow) / step_ * step_ + step_;
    } else if (const std::size_t in_run = put_run(message, at, part.end); in_run != 0) {
      at += in_run;
    } else if (const Place place = found(rest, size); place.size != 0) {
      const Place whole = extended_back(place, sent.substr(message.done, at - message.done));
      put(message, at + place.size - whole.size, whole);
      message.done = at += place.size;
    } else if (!has_variants_) {
      add_variants();
    } else {
      if (++misses > searches || ++misses_ > kMostSearchesOfAll) break;
      at += step_;
    }
  }
  return std::move(message.exchanged);
}

void InputExchange::put(Message& message, std::size_t at, const Place& place) {
  const OtherInput& input = inputs_[place.input];
  message.result.replace(at, place.size, input.other, place.at, place.size);
  next_[place.input] = behind(place);
  sent_[place.input] += place.size / input.form.element();
  are_rearranged_ = are_rearranged_ || input.is_turned;
  message.exchanged.push_back({at, at + place.size});
}

// Exchanges the longest run of elements that begins here. Returns the number of bytes before the run's first
// gap.
std::size_t InputExchange::put_run(Message& message, std::size_t at, std::size_t end) {
  ElementRun best;
  std::size_t input = 0, element = 0;
  for (const auto& [number, index] : indexes_) {
    const std::size_t bytes = inputs_[number].form.element();
    const ElementRun run = index.longest_run(message.sent.substr(at, end - at));
    if (run.count * bytes <= best.count * element) continue;
    best = run;
    input = number;
    element = bytes;
  }
  if (best.count == 0) return 0;
  are_rearranged_ = are_rearranged_ || best.stride != 1 || best.step != element;
  if (best.stride == 1 && best.step == element) {
    put(message, at, {input, best.first * element, best.count * element});
    return best.count * element;
  }
  for (std::size_t i = 0; i < best.count; ++i)
    put(message, at + i * best.step, {input, best.place(i) * element, element});
  message.in_a_run.resize(message.sent.size());
  for (std::size_t i = 0; i < best.count; ++i)
    std::fill_n(message.in_a_run.begin() + static_cast<std::ptrdiff_t>(at + i * best.step), element, true);
  return element;
}

// Pieces at the beginning of the bytes. Each one continues its input where the previous piece ended, or
// begins the input.
//
// Inputs may be sent in turn, an element of each. Of 300,000 floats, one is by chance the next one of another
// input, too. So an input's piece ends where the one before it did if the input that was next then goes on
// there, and of two inputs that go on equally far, the one whose turn it is does.
std::vector<InputExchange::Place> InputExchange::that_go_on(std::string_view bytes, std::size_t size) const {
  const std::size_t none = inputs_.size();
  std::vector<Place> run;
  std::vector<std::size_t> next = next_;
  std::vector<std::size_t> length(none, 0);            // of each input's last piece
  std::vector<std::size_t> successor(none + 1, none);  // the input that came behind it; none: of none
  std::size_t known = 0, last = none;
  for (Place best;; known += best.size) {
    best = {};
    for (const bool goes_on : {true, false})
      for (std::size_t i = 0; i < none && (goes_on || best.size == 0); ++i) {
        const std::size_t at = goes_on ? next[i] : 0;
        const std::size_t same = same_piece(inputs_[i], at, bytes.substr(known));
        if (same > best.size || (same == best.size && same != 0 && i == successor[last]))
          best = {i, at, same};
      }
    if (best.size == 0) break;
    const std::size_t before = length[best.input], turn = successor[best.input];
    if (before != 0 && before < best.size && turn != none &&
        same_piece(inputs_[turn], next[turn], bytes.substr(known + before)) != 0)
      best.size = before;
    length[best.input] = best.size;
    successor[last] = best.input;
    last = best.input;
    next[best.input] = behind(best);
    run.push_back(best);
  }
  if (!is_known(run, size)) run.clear();
  return run;
}

// Whether the pieces cover all `size` bytes, contain a whole input, or are too long for chance. A few bytes
// of a variant prove nothing.
bool InputExchange::is_known(const std::vector<Place>& run, std::size_t size) const {
  std::size_t known = 0;
  bool has_whole = false, is_of_variants = true;
  for (const Place& each : run) {
    const OtherInput& input = inputs_[each.input];
    const bool is_variant = input.kind == OtherInput::Kind::variant;
    known += each.size;
    is_of_variants = is_of_variants && is_variant;
    has_whole = has_whole || (each.size == input.own.size() && (!is_variant || each.size == size));
  }
  if (has_whole) return true;
  return known >= std::min(kWindow, size) && (!is_of_variants || known >= sizeof(double));
}

// The place after a piece; after the last one the beginning, as an input may be sent again.
std::size_t InputExchange::behind(const Place& place) const {
  const std::size_t end = place.at + place.size;
  return end == inputs_[place.input].own.size() ? 0 : end;
}

// The longest piece of an input, not of a variant, that the bytes begin with. If `size` is small, all bytes
// must match, and at one place only.
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
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].kind != OtherInput::Kind::variant) look_in(i);
  return size < kWindow && places > 1 ? Place{} : best;
}

// The piece, extended backwards as far as the bytes before it match the input.
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
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const OtherInput& each = inputs_[i];
    if (each.kind == OtherInput::Kind::variant || each.own.empty() ||
        each.own.size() > std::min(value.size(), kMostArgument))
      continue;
    if (const std::size_t at = place_of(each.own, value); at != std::string::npos) {
      value.replace(at, each.own.size(), each.other);
      sent_[i] += each.own.size() / each.form.element();
      return;
    }
  }
}

}  // namespace warpgrade::remoting
