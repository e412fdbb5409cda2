// Typical mistakes: what kernels that make them would have computed.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "parts.hpp"

// Whether each wrong sum lacks some of its weights, and none has too much: updates were lost. Only whole
// numbers, whose sums are exact.
static bool lacks_weights(const WrongResult& q) {
  const Array &before = q.data.array("sums"), &keys = q.data.array("keys"),
              &weights = q.data.array("weights");
  constexpr double most = 1 << 16;  // of a sum
  return q.all([&](std::size_t i) {
    const double got = q.result.at(i).value - before.at(i).value;
    if (!(0 <= got && got < most) || std::trunc(got) != got) return false;
    std::vector<bool> sums(static_cast<std::size_t>(got) + 1);  // that some of the weights have
    sums[0] = true;
    for (std::size_t e = 0; e < keys.count(); ++e) {
      const double weight = weights.at(e).value;
      if (static_cast<std::size_t>(keys.at(e).integer) != i || weight > got) continue;
      if (std::trunc(weight) != weight || weight < 1) return false;
      for (auto sum = sums.size(); sum-- > static_cast<std::size_t>(weight);)
        if (sums[sum - static_cast<std::size_t>(weight)]) sums[sum] = true;
    }
    return static_cast<bool>(sums.back());
  });
}

// How much each of the 256 grows if element e counts for `key(e)`, `times(e)` times.
template <class Key, class Times>
static std::vector<double> growth(const WrongResult& q, Key key, Times times) {
  const bool sums = is_of_sums(q.data);
  const auto n = static_cast<std::size_t>(q.data["n"]);
  std::vector<double> grown(256);
  for (std::size_t e = 0; e < n; ++e)
    grown[key(e)] += static_cast<double>(times(e)) * (sums ? q.data.array("weights").at(e).value : 1);
  return grown;
}

// What comes out if indices are computed wrong, for elements that a block takes `each` at once.
static std::vector<Hypothesis> mistakes_in_indices(const WrongResult& q, const LaunchShape& shape) {
  const Array& keys = q.data.array(is_of_sums(q.data) ? "keys" : "bytes");
  const std::size_t n = keys.count(), of_block = static_cast<std::size_t>(shape.outputs[0]),
                    threads = static_cast<std::size_t>(shape.threads_of_block());
  const auto key = [&](std::size_t e) { return static_cast<std::size_t>(keys.at(e).integer); };
  const auto once = [](std::size_t) { return 1; };
  std::vector<Hypothesis> found;
  const auto add = [&](const char* name, const std::string& words, std::vector<double> grown) {
    const Array& before = q.data.array(q.result.name);
    found.push_back({name, words, [&before, grown = std::move(grown)](std::size_t i) {
                       return before.at(i).value + grown[i];
                     }});
  };
  for (const std::size_t each : {1, 4, 16}) {
    // Whole groups of a block's elements; the rest is taken one by one.
    const auto is_whole = [=](std::size_t e) {
      const std::size_t first = e / of_block * of_block, count = std::min(of_block, n - first);
      return e - first < count / each * each;
    };
    add("step-of-one",
        "comes out if each thread counts all from its first one on: its step is the number of threads",
        growth(q, key, [=](std::size_t e) {
          return is_whole(e) ? std::min(e % of_block / each + 1, threads) : std::size_t{1};
        }));
    if (1 < each && each <= n)
      add("rest-missing",
          "lacks the elements of a block behind its last whole group of " + std::to_string(each) +
              ": they are counted one by one",
          growth(q, key, is_whole));
    add("first-block-again", "comes out if every block takes the first block's elements: add where it begins",
        growth(
            q, [=](std::size_t e) { return key(is_whole(e) ? e % of_block : e); }, once));
  }
  add("counted-to-the-end",
      "comes out if each block counts from its first element to the last of all: its part ends where the "
      "next "
      "block's begins",
      growth(q, key, [=](std::size_t e) { return e / of_block + 1; }));
  const std::size_t blocks = (n + of_block - 1) / of_block;
  for (const std::size_t each : {1, 4, 16}) {
    const std::size_t apart = threads * each;
    if (apart != of_block)
      add("blocks-overlap",
          "comes out if each block begins " + std::to_string(apart) +
              " elements behind the one before: it takes " + std::to_string(of_block) +
              ", and begins at blockIdx.x times as many",
          growth(q, key, [=](std::size_t e) {
            const std::size_t first = e < of_block ? 0 : (e - of_block) / apart + 1, behind = e / apart + 1;
            return std::min(behind, blocks) - std::min({first, behind, blocks});
          }));
  }
  for (const std::size_t bits : {1, 4})
    add("byte-shifted",
        "comes out if byte j of a word is shifted by " + std::to_string(bits) + " · j bits: a byte has 8",
        growth(
            q,
            [=](std::size_t e) {
              if (e >= n / 16 * 16) return key(e);
              std::uint64_t word = 0;
              for (std::size_t byte = 4; byte-- > 0;) word = word << 8 | key(e / 4 * 4 + byte);
              return static_cast<std::size_t>(word >> e % 4 * bits & 255);
            },
            once));
  for (const std::size_t by : {std::size_t{1}, std::size_t{255}})  // on and back
    add("key-off-by-one",
        std::string("comes out if each element goes to the ") + (by == 1 ? "next" : "previous") +
            " key: its own is the index",
        growth(
            q, [=](std::size_t e) { return (key(e) + by) % 256; },
            [=](std::size_t e) {
              return (key(e) + by) / 256 == (by == 1 ? 0u : 1u) ? std::size_t{1} : std::size_t{0};
            }));
  // Of whole groups, one part alone: a word of four, or a byte of a word.
  for (const std::size_t each : {4, 16})
    for (std::size_t part = 0; part < 4; ++part)
      add("one-part-only",
          (each == 4 ? "counts byte " + std::to_string(part) + " of each word alone, and not its other three"
                     : "counts word " + std::to_string(part) + " of every four, ." + "xyzw"[part] +
                           ", and not the other three") +
              ": all 4 bytes of each word are to be counted",
          growth(q, key, [=](std::size_t e) {
            return e >= n / each * each || e % each / (each / 4) == part ? std::size_t{1} : std::size_t{0};
          }));
  // Of whole words, byte `twice` in the place of byte `never`.
  for (const std::size_t pair : {1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14}) {
    const std::size_t never = pair / 4, twice = pair % 4;
    add("byte-twice",
        "comes out if byte " + std::to_string(twice) + " of each word is counted twice, and byte " +
            std::to_string(never) + " not at all",
        growth(
            q, [=](std::size_t e) { return key(e < n / 4 * 4 && e % 4 == never ? e - never + twice : e); },
            once));
  }
  return found;
}

// What comes out if the counts of one of a block's private histograms are left out, for elements that a
// thread takes `each` at once.
static std::vector<Hypothesis> mistakes_in_copies(const WrongResult& q, const LaunchShape& shape) {
  const Array &bytes = q.data.array("bytes"), &before = q.data.array("counts");
  const std::size_t n = bytes.count(), of_block = static_cast<std::size_t>(shape.outputs[0]),
                    threads = static_cast<std::size_t>(shape.threads_of_block());
  const auto key = [&](std::size_t e) { return static_cast<std::size_t>(bytes.at(e).integer); };
  // The thread that counts element e; those behind the whole groups of a block are taken one by one.
  const auto thread = [=](std::size_t e, std::size_t each) {
    const std::size_t in_block = e % of_block, count = std::min(of_block, n - (e - in_block));
    const std::size_t whole = count / each * each;
    return (in_block < whole ? in_block / each : in_block - whole) % threads;
  };
  std::vector<Hypothesis> found;
  const auto add = [&](std::size_t each, std::size_t copies, auto copy_of, std::size_t missing,
                       bool in_turns) {
    std::vector<double> grown(256);
    for (std::size_t e = 0; e < n; ++e)
      grown[key(e)] += copy_of(thread(e, each)) != (missing + in_turns * key(e)) % copies;
    found.push_back({"copy-left-out",
                     "lacks what one of " + std::to_string(copies) +
                         " copies of the histogram has counted: the loop that adds them up leaves one out",
                     [&before, grown](std::size_t i) { return before.at(i).value + grown[i]; }});
  };
  constexpr std::size_t lanes = 32;
  for (const std::size_t each : {1, 4, 16}) {
    for (std::size_t copies = 2; copies <= lanes; copies *= 2)
      for (const std::size_t missing : {std::size_t{0}, copies - 1})
        for (const bool in_turns : {false, true})
          add(
              each, copies, [=](std::size_t t) { return t % copies; }, missing, in_turns);
    if (const std::size_t warps = threads / lanes; warps > 1)
      for (const std::size_t missing : {std::size_t{0}, warps - 1})
        add(
            each, warps, [](std::size_t t) { return t / lanes; }, missing, false);
  }
  return found;
}

static std::uint32_t bits_of(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

// The mistake that explains all wrong sums or counts, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q, const LaunchShape& shape) {
  const bool sums = is_of_sums(q.data);
  const Array& before = q.data.array(q.result.name);
  const Array& keys = q.data.array(sums ? "keys" : "bytes");
  const auto last_key = static_cast<std::size_t>(keys.at(keys.count() - 1).integer);
  const std::string no_last = "lacks the last element of all: the bound leaves it out";
  // What is added to one of the 256, how often, and what comes last; and what the first block alone adds.
  std::vector<double> added(256), times(256), last(256), by_first(256), by_firsts(256), by_index(256);
  const auto elements = static_cast<std::size_t>(shape.outputs[0]);
  for (std::size_t i = 0; i < keys.count(); ++i) {
    const auto key = static_cast<std::size_t>(keys.at(i).integer);
    last[key] = sums ? q.data.array("weights").at(i).value : 1;
    added[key] += last[key];
    times[key] += 1;
    by_index[i % 256] += last[key];
    if (i < elements) by_first[key] += last[key];
    if (i % elements == 0) by_firsts[key] += last[key];
  }
  if (const auto of_one = explained(
          q, {{"first-of-each-block",
               "has grown by the first element of each block alone, as if one thread of a block added",
               [&](std::size_t i) { return before.at(i).value + by_firsts[i]; },
               {},
               true}}))
    return of_one;
  // Of few elements, whose places nothing has been added to, many mistakes may be to blame.
  if (q.all([&](std::size_t i) { return q.result.at(i).value == before.at(i).value; })) {
    const bool is_last = q.all([&](std::size_t i) { return i == last_key && times[i] == 1; });
    return is_last && keys.count() > 1 ? std::optional(of_values("last-element-missing", no_last))
                                       : std::nullopt;
  }
  // What is added if a weight is looked up by the key of its element.
  std::vector<double> by_key(256);
  for (std::size_t i = 0; sums && i < keys.count(); ++i) {
    const auto key = static_cast<std::size_t>(keys.at(i).integer);
    by_key[key] += key < keys.count() ? q.data.array("weights").at(key).value : std::nan("");
  }
  // What is there if bits are added as if they were integers.
  std::vector<std::uint32_t> bits_added(256);
  for (std::size_t i = 0; i < 256; ++i) bits_added[i] = bits_of(before.at(i).value);
  for (std::size_t i = 0; sums && i < keys.count(); ++i)
    bits_added[static_cast<std::size_t>(keys.at(i).integer)] += bits_of(q.data.array("weights").at(i).value);
  // And if a weight is added to the bits, as to a whole number.
  std::vector<std::uint32_t> added_to_bits(256);
  for (std::size_t i = 0; i < 256; ++i) added_to_bits[i] = bits_of(before.at(i).value);
  for (std::size_t i = 0; sums && i < keys.count(); ++i) {
    std::uint32_t& bits = added_to_bits[static_cast<std::size_t>(keys.at(i).integer)];
    const auto weight = static_cast<float>(q.data.array("weights").at(i).value);
    bits = static_cast<std::uint32_t>(
        static_cast<std::int64_t>(weight + static_cast<float>(std::bit_cast<std::int32_t>(bits))));
  }
  const int threads = shape.threads[0];
  const double blocks = shape.grid(Extent{static_cast<std::int64_t>(keys.count())}).x;
  const auto start = [&](std::size_t i) { return before.at(i).value; };
  const std::string again =
      "the others were lost where threads came between. Let a loop try atomicCAS again until it finds what "
      "the thread had seen";
  const std::string atomic = "threads write over one another's counts. Let atomicAdd count";
  const auto pattern = explained(
      q,
      {{"before-left-out", "is what was added alone, without what it held before: add to it, do not set it",
        [&](std::size_t i) { return added[i]; }},
       {"weight-assigned", "is the last weight of its key: = stands where the weight is to be added",
        [&](std::size_t i) { return last[i]; }},
       {"larger-kept",
        "is the larger one of what it held and what is added: a maximum stands where the two are to be added",
        [&](std::size_t i) { return std::max(start(i), added[i]); }},
       {"added-twice",
        "has grown twice as much as it should: two threads, or two turns of a loop, add the same",
        [&](std::size_t i) { return start(i) + 2 * added[i]; }},
       {"added-by-all-threads",
        "has grown " + std::to_string(threads) +
            " times as much as it should: each thread of a block adds all of it, and one is enough",
        [&](std::size_t i) { return start(i) + threads * added[i]; }},
       {"added-once",
        sums ? "has grown by the last of its weights alone: " + again : "has grown by 1 alone: " + atomic,
        [&](std::size_t i) { return start(i) + last[i]; }},
       {"counted", "has grown by the number of its elements, not by their weights",
        [&](std::size_t i) { return start(i) + times[i]; }},
       {"index-for-key",
        "comes out if elements went by their index; they go by their key, which is read",
        [&](std::size_t i) { return start(i) + by_index[i]; },
        {},
        true},
       {"weight-of-key", "has grown by weights[key]: an element's weight has the element's index",
        [&](std::size_t i) { return sums ? start(i) + by_key[i] : std::nan(""); }},
       {"bits-added",
        "comes out if the bits of floats are added as integers: turn them into a float, add, and turn the "
        "sum "
        "into bits again",
        [&](std::size_t i) { return sums ? std::bit_cast<float>(bits_added[i]) : std::nan(""); }},
       {"added-to-bits",
        "comes out if a weight is added to the bits of the sum: __int_as_float makes a float of them first",
        [&](std::size_t i) { return sums ? std::bit_cast<float>(added_to_bits[i]) : std::nan(""); }},
       {"first-block-again",
        "has grown by the elements of block 0, once for each block: the index does not depend on blockIdx",
        [&](std::size_t i) { return start(i) + blocks * by_first[i]; }},
       {"first-block-only", "has grown by the elements of block 0 alone",
        [&](std::size_t i) { return start(i) + by_first[i]; }},
       {"last-element-missing", no_last,
        [&](std::size_t i) { return start(i) + added[i] - (i == last_key ? last[i] : 0); }},
       {"seven-bits", "comes out if a byte had seven bits: 255 is the mask of all eight",
        [&](std::size_t i) { return start(i) + (i < 128 ? added[i] + added[i + 128] : 0); }}});
  if (pattern) return pattern;
  if (const auto of_index = explained(q, mistakes_in_indices(q, shape))) return of_index;
  if (!sums) return explained(q, mistakes_in_copies(q, shape));
  if (!lacks_weights(q)) return {};
  return of_values("updates-lost", "lacks some of its weights: " + again);
}
