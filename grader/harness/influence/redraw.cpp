#include "influence/redraw.hpp"

#include <cstring>
#include <set>

#include "arrays/random_values.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t most_streams = 16;  // that are tried: a lab with more of them draws in another way

// What replace_bits does: a function has no members.
std::set<std::uint64_t>* seen = nullptr;
const std::map<std::uint64_t, Redraw::Choose>* changed_now = nullptr;  // by the stream

std::uint64_t note(std::uint64_t seed, std::uint64_t, std::uint64_t bits) {
  if (seen->size() <= most_streams) seen->insert(seed);
  return bits;
}

// Other bits, also in the highest, the sign, and in the lowest ones, of which labs make small numbers.
std::uint64_t other(std::uint64_t seed, std::uint64_t index, std::uint64_t bits) {
  const auto chosen = changed_now->find(seed);
  if (chosen == changed_now->end() || !chosen->second(index)) return bits;
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
    if (streams_.contains(array.name)) names.push_back(array.name);
  return names;
}

Dataset Redraw::changed(const Changes& changes) const {
  Streams streams;
  for (const auto& [array, chosen] : changes) streams[streams_.at(array)] = chosen;
  return redrawn(streams);
}

Dataset Redraw::redrawn(const Streams& changes) const {
  changed_now = &changes;
  const Replacing replacing(other);
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
    const Dataset data = redrawn({{stream, chosen}});
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
    if (is_its_own && is_changed) streams_[array.name] = stream;
  }
}

}  // namespace warpgrade::harness
