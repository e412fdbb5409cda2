#include "remoting/backend/data_flow/output_origin.hpp"

#include <algorithm>
#include <random>

#include "cudart/api/warpgrade.h"
#include "remoting/backend/data_flow/byte_search.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{512} << 20;   // bytes of one run
constexpr std::size_t kMostInVariants = std::size_t{16} << 20;  // bytes, to convert what came

bool holds(std::string_view all, std::string_view bytes) {
  return place_of(bytes, all) != std::string_view::npos;
}
bool holds(const std::vector<std::string>& pieces, std::string_view bytes) {
  return std::any_of(pieces.begin(), pieces.end(), [&](const auto& piece) { return holds(piece, bytes); });
}

bool is_uniform(std::string_view bytes) { return filled(bytes) == bytes.size(); }

}  // namespace

bool OutputOrigin::have_room(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > kMostKept - kept_) return false;
  kept_ += bytes.size();
  return true;
}

void OutputOrigin::sent(std::string_view bytes, std::uint64_t to) {
  const bool identify = bytes.size() >= kWindow;
  const auto has_come = [&](const CopiedBack& each) {
    return identify ? holds(each.bytes, bytes) : each.bytes == bytes;
  };
  if (identify && holds(inputs_, bytes)) return;     // however often it travels
  if (std::ranges::any_of(came_, has_come)) return;  // a result that the host puts into pinned memory, say
  has_lost_sent_ = has_lost_sent_ || bytes.size() > kMostKept - kept_;
  if (!have_room(bytes)) return;
  if (to != 0 && to == sent_end_)
    sent_.back().append(bytes);
  else
    sent_.emplace_back(bytes);
  sent_end_ = to == 0 ? 0 : to + bytes.size();
}

void OutputOrigin::sent_argument(const void* kernel, std::size_t index, std::string_view value) {
  if (have_room(value)) arguments_[{kernel, index}].append(value);
}

void OutputOrigin::came(std::string_view bytes, const void* from, std::size_t width, std::size_t pitch,
                        std::string_view of_twin) {
  if (!have_room(bytes)) return;
  struct PlainParts {
    std::vector<Range> plain;
    std::size_t row, end;  // where the row begins; end of the part that is already compared
    void add(std::size_t begin) {
      if (begin > end) plain.push_back({end, begin});
    }
  } found{{}, 0, 0};
  for (; found.row < bytes.size(); found.row += width) {
    const auto* at = static_cast<const char*>(from) + found.row / width * pitch;
    warpgradeComputedBytes(
        at, width,
        [](void* into, std::size_t begin, std::size_t end) {
          auto& to = *static_cast<PlainParts*>(into);
          to.add(to.row + begin);
          to.end = to.row + end;
        },
        &found);
  }
  found.add(bytes.size());
  if (came_end_ == nullptr || from != came_end_) came_.emplace_back();
  CopiedBack& piece = came_.back();
  const std::size_t before = piece.bytes.size();
  for (const Range& each : found.plain) piece.plain.push_back({before + each.begin, before + each.end});
  piece.bytes.append(bytes);
  piece.of_twin.append(of_twin.substr(0, bytes.size())).resize(piece.bytes.size());
  came_end_ = width == bytes.size() ? static_cast<const char*>(from) + width : nullptr;
}

bool OutputOrigin::is_from_device(std::string_view bytes, const ArrayForm& form, std::string* of_twin) {
  if (has_lost_sent_) return false;  // the result may be among it
  convert_sent(form.type);
  Search search{bytes, form, std::string(bytes.size(), '\0'), std::vector<bool>(bytes.size()), {}, {}};
  for (std::size_t at = 0; at < bytes.size();) {
    if (search.in_a_run[at]) {
      ++at;
    } else if (const OutputPiece piece = longest_piece(search, bytes.substr(at)); piece.size != 0) {
      search.of_twin.replace(at, piece.size, piece.in->of_twin, piece.at, piece.size);
      at += piece.size;
    } else if (!search.has_variants) {
      add_variants(search);
    } else if (const std::size_t taken = take_run(search, at); taken != 0) {
      at += taken;
    } else {
      return false;
    }
  }
  if (of_twin != nullptr) *of_twin = std::move(search.of_twin);
  return true;
}

void OutputOrigin::convert_sent(const std::string& to) {
  sent_converted_.clear();
  std::size_t bytes = 0;
  for (const std::string& each : sent_) {
    if ((bytes += each.size()) > kMostInVariants) return;
    for (const std::string from : number_types())
      if (from != to) sent_converted_.push_back(converted(each, from, to));
  }
}

OutputOrigin::OutputPiece OutputOrigin::longest_piece(const Search& search, std::string_view wanted) const {
  OutputPiece most;
  const auto look_in = [&](const CopiedBack& each) {
    const OutputPiece piece = longest_in(each, wanted);
    if (piece.size > most.size && !is_of_host(wanted.substr(0, piece.size))) most = piece;
  };
  for (const CopiedBack& each : came_) look_in(each);
  for (const CopiedBack& each : search.converted) look_in(each);
  return most;
}

// Explains the longest run of elements that begins here. Returns the number of bytes before the run's first
// gap.
std::size_t OutputOrigin::take_run(Search& search, std::size_t at) const {
  const std::size_t element = search.form.element();
  ElementRun best;
  const CopiedBack* in = nullptr;
  for (const auto& [came, index] : search.indexes) {
    const ElementRun run = index.longest_run(search.bytes.substr(at));
    if (run.count <= best.count || !is_computed(*came, run, element)) continue;
    best = run;
    in = came;
  }
  for (std::size_t i = 0; i < best.count; ++i) {
    const std::size_t to = at + i * best.step;
    search.of_twin.replace(to, element, in->of_twin, best.place(i) * element, element);
    std::fill_n(search.in_a_run.begin() + static_cast<std::ptrdiff_t>(to), element, true);
  }
  return best.count == 0 ? 0 : element;
}

// Whether kernels have computed each element, or all of them are consecutive elements of an input; and the
// program has not sent them itself.
bool OutputOrigin::is_computed(const CopiedBack& in, const ElementRun& run, std::size_t element) const {
  std::string all;
  bool is_plain = false;
  for (std::size_t i = 0; i < run.count; ++i) {
    const std::size_t at = run.place(i) * element;
    const auto next =
        std::ranges::partition_point(in.plain, [&](const Range& each) { return each.end <= at; });
    is_plain = is_plain || (next != in.plain.end() && next->begin < at + element);
    all.append(in.bytes, at, element);
  }
  if (is_plain && given_part(all) < all.size()) return false;
  return !is_of_host(all);
}

void OutputOrigin::add_variants(Search& search) const {
  search.has_variants = true;
  std::size_t bytes = 0;
  for (const CopiedBack& each : came_) bytes += each.bytes.size();
  if (bytes > kMostInVariants) return;
  const std::string& to = search.form.type;
  for (const CopiedBack& each : came_) {
    search.indexes.emplace_back(&each, ElementIndex(each.bytes, search.form.element()));
    for (const std::string from : number_types()) {
      const auto size = static_cast<std::size_t>(from[1] - '0'), element = search.form.element();
      CopiedBack variant{converted(each.bytes, from, to), converted(each.of_twin, from, to), {}};
      for (const Range& plain : each.plain)
        variant.plain.push_back({plain.begin / size * element, (plain.end + size - 1) / size * element});
      if (from == to || variant.bytes.empty() || variant.of_twin.size() != variant.bytes.size()) continue;
      const CopiedBack& kept = search.converted.emplace_back(std::move(variant));
      search.indexes.emplace_back(&kept, ElementIndex(kept.bytes, element));
    }
  }
}

// The longest prefix of `wanted` in what came back from the device, if it may be an output.
OutputOrigin::OutputPiece OutputOrigin::longest_in(const CopiedBack& came, std::string_view wanted) const {
  OutputPiece longest{&came};
  each_place(came.bytes, wanted, [&](std::size_t at, std::size_t size) {
    const std::size_t computed = computed_part(came, at, size);
    if (computed > longest.size) longest = {&came, at, computed};
  });
  return longest;
}

// The number of these bytes up to the first one that no kernel has computed and that is neither from an input
// nor from a fill.
std::size_t OutputOrigin::computed_part(const CopiedBack& piece, std::size_t at, std::size_t size) const {
  const std::string_view all = piece.bytes;
  auto next = std::ranges::partition_point(piece.plain, [&](const Range& each) { return each.end <= at; });
  for (; next != piece.plain.end() && next->begin < at + size; ++next)
    for (std::size_t begin = std::max(next->begin, at), end = std::min(next->end, at + size); begin < end;) {
      const std::size_t known = given_part(all.substr(begin, end - begin));
      if (known == 0) return begin - at;
      begin += known;
    }
  return size;
}

// The number of these bytes that are filled in or occur in an input: all, or enough to decide.
std::size_t OutputOrigin::given_part(std::string_view bytes) const {
  std::size_t most = filled(bytes);
  if (most < std::min(bytes.size(), kWindow)) most = 0;
  for (const std::string& input : inputs_)
    each_place(input, bytes, [&](std::size_t, std::size_t size) { most = std::max(most, size); });
  return most;
}

// Whether the program had sent these bytes, which occur in none of its inputs, to the device. Of many bytes
// only some windows are compared, which a program cannot predict.
bool OutputOrigin::is_of_host(std::string_view bytes) const {
  constexpr std::size_t kLooks = 21;
  if (!is_uniform(bytes) && (holds(sent_, bytes) || holds(sent_converted_, bytes)) && !holds(inputs_, bytes))
    return true;
  if (bytes.size() < kLooks * kWindow) return bytes.size() >= kWindow && was_sent(bytes);
  std::random_device secret;
  std::size_t of_host = 0;
  for (std::size_t look = 0; look < kLooks; ++look) {
    const std::size_t at = secret() % (bytes.size() - kWindow + 1) / sizeof(int) * sizeof(int);
    of_host += was_sent(bytes.substr(at, kWindow));
  }
  return 2 * of_host > kLooks;
}

bool OutputOrigin::was_sent(std::string_view bytes) const {
  const auto has = [&](const auto& each) { return holds(each.second, bytes); };
  const bool was_there = holds(sent_, bytes) || holds(sent_converted_, bytes) ||
                         std::any_of(arguments_.begin(), arguments_.end(), has);
  return was_there && !is_uniform(bytes) && !holds(inputs_, bytes);
}

}  // namespace warpgrade::remoting
