#include "influence/redraw.hpp"

#include <cstring>
#include <limits>
#include <set>

#include "arrays/random_values.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t most_streams = 16;  // that are tried: a lab with more of them draws in another way

// What replace_bits does: a function has no members.
std::set<std::uint64_t>* seen = nullptr;
// By the stream: the bits in place of number `index`.
const std::map<std::uint64_t, std::function<std::uint64_t(std::uint64_t index, std::uint64_t bits)>>*
    changed_now = nullptr;

std::uint64_t note(std::uint64_t seed, std::uint64_t, std::uint64_t bits) {
  if (seen->size() <= most_streams) seen->insert(seed);
  return bits;
}

std::uint64_t replaced(std::uint64_t seed, std::uint64_t index, std::uint64_t bits) {
  const auto change = changed_now->find(seed);
  return change == changed_now->end() ? bits : change->second(index, bits);
}

// Other bits, also in the highest, the sign, and in the lowest ones, of which labs make small numbers.
std::uint64_t other(std::uint64_t bits) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63, low = 7;
  const std::uint64_t fresh = (mix_bits(~bits) & ~sign) | (~bits & sign);
  return ((fresh ^ bits) & low) == 0 ? fresh ^ 1 : fresh;
}

// Replaces bits while it lives, also if the lab's make() throws.
struct Replacing {
  explicit Replacing(ReplaceBits replace) { replace_bits = replace; }
  ~Replacing() { replace_bits = nullptr; }
  Replacing(const Replacing&) = delete;
  Replacing& operator=(const Replacing&) = delete;
};

bool has_values(const Array& array) { return array.role == Role::input || array.role == Role::inout; }

bool is_same(const Array& a, const Array& b, std::size_t element) {
  const std::size_t size = size_of(a.type), at = element * size;
  return std::memcmp(&a.bytes[at], &b.bytes[at], size) == 0;
}

}  // namespace

Redraw::Redraw(void (*make)(Dataset&), const Case& task) : make_(make), task_(task), original_(task) {
  std::set<std::uint64_t> streams;
  seen = &streams;
  {
    const Replacing noting(note);
    make_(original_);
  }
  if (streams.size() > most_streams) return;
  for (const std::uint64_t stream : streams) assign(stream);
}

std::vector<std::string> Redraw::arrays() const {
  std::vector<std::string> names;
  for (const Array& array : original_.arrays())
    if (sources_.contains(array.name)) names.push_back(array.name);
  return names;
}

Dataset Redraw::changed(const Changes& changes, Draw draw) const {
  Streams streams;
  for (const auto& [array, chosen] : changes) {
    const Source& source = sources_.at(array);
    streams[source.stream] = [&, draw](std::uint64_t index, std::uint64_t bits) {
      if (!chosen(index)) return bits;
      return draw == Draw::largest ? source.largest : draw == Draw::smallest ? source.smallest : other(bits);
    };
  }
  return redrawn(streams);
}

Dataset Redraw::redrawn(const Streams& changes) const {
  changed_now = &changes;
  const Replacing replacing(replaced);
  Dataset data(task_);
  make_(data);
  return data;
}

// An array comes from the stream if a part of the stream's numbers changes these elements of it and no other,
// and no other array.
void Redraw::assign(std::uint64_t stream) {
  for (const Array& array : original_.arrays()) {
    if (!has_values(array) || array.count() < 2) continue;
    const std::size_t count = array.count();
    const auto chosen = [&](std::size_t i) { return i < count && (i == 0 || mix_bits(i) % 2 == 0); };
    const Dataset data = redrawn(
        {{stream, [&](std::uint64_t i, std::uint64_t bits) { return chosen(i) ? other(bits) : bits; }}});
    bool is_its_own = true, is_changed = false;
    for (const Array& before : original_.arrays()) {
      if (!has_values(before)) continue;
      const Array& after = data.array(before.name);
      for (std::size_t i = 0; i < before.count(); ++i) {
        if (is_same(before, after, i)) continue;
        is_changed = is_changed || before.name == array.name;
        is_its_own = is_its_own && before.name == array.name && chosen(i);
      }
    }
    if (is_its_own && is_changed) sources_[array.name] = source(array.name, stream);
  }
}

// Labs make numbers of the lower bits, and of the highest one a sign.
Redraw::Source Redraw::source(const std::string& array, std::uint64_t stream) const {
  Source found{stream, 0, 0};
  double largest = -std::numeric_limits<double>::infinity(), smallest = -largest;
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  for (const std::uint64_t bits : {std::uint64_t{0}, ~sign, ~std::uint64_t{0}, sign}) {
    const Dataset data = redrawn({{stream, [=](std::uint64_t, std::uint64_t) { return bits; }}});
    const double value = data.array(array).number(0);
    if (value > largest) largest = value, found.largest = bits;
    if (value < smallest) smallest = value, found.smallest = bits;
  }
  return found;
}

}  // namespace warpgrade::harness
