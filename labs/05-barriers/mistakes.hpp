// Typical mistakes: what kernels that make them would have computed.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "parts.hpp"

static constexpr const char* HALF_OF_EACH_WARP =
    "is what lanes 0 to 15 of every warp have added: the step of distance 16 is missing";

static constexpr const char* LAST_STEP =
    "is what every other lane of every other warp has added: in the sum of a warp, the step of distance 1 is "
    "missing";

// The sum of the numbers from `first` on, before `last`, that `counts` by their place behind `first`.
static double sum_of(const Array& numbers, std::int64_t first, std::int64_t last,
                     const std::function<bool(std::int64_t)>& counts) {
  double total = 0;
  for (std::int64_t i = first; i < last; ++i)
    if (counts(i - first)) total += numbers.at(static_cast<std::size_t>(i)).value;
  return total;
}

static constexpr const char* SHUFFLED_UP =
    "is a power of two times what thread 0 has added: __shfl_up_sync hands sums to higher lanes, and lane 0 "
    "gets "
    "its own; __shfl_down_sync hands them to lane 0";

static constexpr const char* LAST_LANE =
    "is 32 times what the last lane of every warp has added: __shfl_down_sync hands sums to lower lanes, and "
    "leaves them in lane 0; the last lane gets its own";

static constexpr const char* LARGEST =
    "is what comes out if the larger of two is kept where both should be added: + belongs there, not a "
    "maximum";

// What comes of the numbers from `first` on, before `last`, where a maximum stands in place of a sum: between
// the threads (`of_threads`), or where each of them adds its own. `owner` says whose a number is, by its
// place.
static double largest_of(const Array& numbers, std::int64_t first, std::int64_t last, std::int64_t threads,
                         bool of_threads, const std::function<std::int64_t(std::int64_t)>& owner) {
  std::vector<double> own(static_cast<std::size_t>(threads));  // of each thread, which begins with 0
  for (std::int64_t i = first; i < last; ++i) {
    double& mine = own[static_cast<std::size_t>(owner(i - first))];
    const double number = numbers.at(static_cast<std::size_t>(i)).value;
    mine = of_threads ? mine + number : std::max(mine, number);
  }
  return of_threads ? *std::max_element(own.begin(), own.end())
                    : std::accumulate(own.begin(), own.end(), 0.0);
}

// The mistake of parts 1 and 2 that explains all wrong sums, if it is one of these.
static std::optional<Pattern> mistake_in_segments(const WrongResult& q) {
  const Array& numbers = q.data.array("numbers");
  const std::int64_t n = q.data["n"], threads = q.shape() ? q.shape()->threads[0] : 0;
  // The sum of a segment's numbers that `counts` by their place in it.
  const auto sum = [=, &numbers](const std::function<bool(std::int64_t)>& counts) {
    return [=, &numbers](std::size_t s) {
      const std::int64_t first = static_cast<std::int64_t>(s) * SEGMENT;
      return sum_of(numbers, first, std::min(first + SEGMENT, n), counts);
    };
  };
  std::vector<Hypothesis> found = {{"first-number-missing", "lacks the first number of its segment",
                                    sum([](std::int64_t i) { return i != 0; })},
                                   {"last-number-missing", "lacks the last number of its segment",
                                    sum([](std::int64_t i) { return i != SEGMENT - 1; })},
                                   {"mean", "is the mean of its segment: a sum is not divided",
                                    [=, whole = sum([](std::int64_t) { return true; })](std::size_t s) {
                                      const std::int64_t first = static_cast<std::int64_t>(s) * SEGMENT;
                                      return whole(s) / static_cast<double>(std::min(SEGMENT, n - first));
                                    }}};
  const auto of_threads = [&](const char* name, const char* words,
                              const std::function<bool(std::int64_t)>& counts) {
    if (threads > 1) found.push_back({name, words, sum(counts)});
  };
  of_threads("one-number-a-thread",
             "is the sum of as many numbers as a block has threads: let a thread add all that are its own",
             [=](std::int64_t i) { return i < threads; });
  of_threads("first-warp-only", "is what the threads of the first warp have added",
             [=](std::int64_t i) { return i % threads < 32; });
  of_threads("first-thread-only", "is what thread 0 alone has added",
             [=](std::int64_t i) { return i % threads == 0; });
  of_threads("last-thread-only", "is what the last thread alone has added",
             [=](std::int64_t i) { return i % threads == threads - 1; });
  of_threads("first-of-each-warp", "is the sum of what the first lane of every warp has added",
             [=](std::int64_t i) { return i % threads % 32 == 0; });
  of_threads("half-of-each-warp", HALF_OF_EACH_WARP, [=](std::int64_t i) { return i % threads % 32 < 16; });
  of_threads("last-step-of-warp", LAST_STEP,
             [=](std::int64_t i) { return i % threads % 32 % 2 == 0 && i % threads / 32 % 2 == 0; });
  // A lane without one before it gets its own value: lane 0 doubles it in each of five steps, of a warp and
  // then of the block.
  if (threads > 1)
    for (const double times : {32.0, 1024.0})
      found.push_back({"shuffled-up", SHUFFLED_UP, [=, of_first = sum([=](std::int64_t i) {
                                                         return i % threads == 0;
                                                       })](std::size_t s) { return times * of_first(s); }});
  if (threads > 1)
    found.push_back({"last-lane-stored", LAST_LANE, [=, of_last = sum([=](std::int64_t i) {
                                                          return i % threads % 32 == 31;
                                                        })](std::size_t s) { return 32 * of_last(s); }});
  of_threads("tree-ends-early", "is half of its tree: the last of its steps is missing",
             [](std::int64_t i) { return i % 2 == 0; });
  of_threads("tree-begins-late", "is half of its tree: the first of its steps is missing",
             [=](std::int64_t i) { return i % threads < threads / 2; });
  for (const bool of_threads_alone : {true, false})
    if (threads > 1)
      found.push_back({"largest-for-sum", LARGEST, [=, &numbers](std::size_t s) {
                         const std::int64_t first = static_cast<std::int64_t>(s) * SEGMENT;
                         return largest_of(numbers, first, std::min(first + SEGMENT, n), threads,
                                           of_threads_alone, [=](std::int64_t i) { return i % threads; });
                       }});
  if (threads > 1)
    found.push_back({"step-of-one",
                     "comes out if each thread adds all numbers from its first one on: its step is "
                     "the number of threads",
                     [=, &numbers](std::size_t s) {
                       const std::int64_t first = static_cast<std::int64_t>(s) * SEGMENT;
                       double total = 0;
                       for (std::int64_t i = first; i < std::min(first + SEGMENT, n); ++i)
                         total += static_cast<double>(std::min(i - first + 1, threads)) *
                                  numbers.at(static_cast<std::size_t>(i)).value;
                       return total;
                     }});
  if (threads > 1 && threads != SEGMENT)
    found.push_back({"segments-overlap",
                     "is the sum of numbers from s * " + std::to_string(threads) +
                         " on, the threads of a block: segment s begins at s * " + std::to_string(SEGMENT),
                     [=, &numbers](std::size_t s) {
                       const std::int64_t first = static_cast<std::int64_t>(s) * threads;
                       return sum_of(numbers, first, std::min(first + SEGMENT, n),
                                     [](std::int64_t) { return true; });
                     }});
  return explained(q, found);
}

// Of each whole group of four, one part counts otherwise than once.
static std::vector<Hypothesis> parts_miscounted(const Array& numbers) {
  struct Part {
    const char *name, *words;
    double times;
  };
  const auto n = static_cast<std::int64_t>(numbers.count()), whole = n / 4 * 4;
  const std::string parts = "xyzw";
  std::vector<Hypothesis> found;
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (const Part& each : {Part{"part-subtracted", "subtracts .", -1}, Part{"part-missing", "lacks .", 0},
                             Part{"part-twice", "counts twice .", 2}})
      found.push_back(
          {each.name,
           std::string(each.words) + parts[part] + " of every four numbers: each of the four is added once",
           [=, &numbers](std::size_t) {
             const auto counts = [=](std::int64_t i) {
               return i < whole && i % 4 == static_cast<std::int64_t>(part);
             };
             const auto all = [](std::int64_t) { return true; };
             return sum_of(numbers, 0, n, all) + (each.times - 1) * sum_of(numbers, 0, n, counts);
           }});
  // One part counts twice, and in place of another one.
  for (std::size_t twice = 0; twice < parts.size(); ++twice)
    for (std::size_t never = 0; never < parts.size(); ++never)
      if (twice != never)
        found.push_back(
            {"part-twice",
             std::string("counts .") + parts[twice] + " of every four numbers twice, and ." + parts[never] +
                 " not at all",
             [=, &numbers](std::size_t) {
               return sum_of(numbers, 0, whole,
                             [=](std::int64_t i) { return i % 4 != static_cast<std::int64_t>(never); }) +
                      sum_of(numbers, 0, whole,
                             [=](std::int64_t i) { return i % 4 == static_cast<std::int64_t>(twice); }) +
                      sum_of(numbers, whole, n, [](std::int64_t) { return true; });
             }});
  return found;
}

// The mistake of part 3 that explains a wrong sum, if it is one of these. Threads take numbers in turns, one
// or four at a time, and one block the rest.
static std::optional<Pattern> mistake_in_all(const WrongResult& q, const LaunchShape& shape) {
  const std::int64_t n = q.data["n"], threads = shape.threads_of_block();
  const std::int64_t all_threads = threads * static_cast<std::int64_t>(shape.grid(Extent{n}).x);
  std::vector<Hypothesis> found;
  const auto add = [&](const char* name, const char* words, const std::function<bool(std::int64_t)>& counts) {
    found.push_back({name, words, [=, numbers = &q.data.array("numbers")](std::size_t) {
                       return sum_of(*numbers, 0, n, counts);
                     }});
  };
  add("rest-missing", "lacks the numbers behind the last whole group of four",
      [=](std::int64_t i) { return i < n / 4 * 4; });
  found.push_back({"rest-from-the-beginning",
                   "counts its first numbers again, in place of those behind the last whole group of four",
                   [=, numbers = &q.data.array("numbers")](std::size_t) {
                     const auto all = [](std::int64_t) { return true; };
                     return sum_of(*numbers, 0, n / 4 * 4, all) + sum_of(*numbers, 0, n % 4, all);
                   }});
  for (Hypothesis& each : parts_miscounted(q.data.array("numbers"))) found.push_back(std::move(each));
  for (const std::int64_t each : {4, 1}) {
    const std::int64_t whole = n / each * each;
    const auto owner = [=](std::int64_t i) { return i < whole ? i / each % all_threads : i - whole; };
    add("first-block-only", "is what block 0 alone has added",
        [=](std::int64_t i) { return owner(i) < threads; });
    add("last-block-only", "is what the last block alone has added",
        [=](std::int64_t i) { return owner(i) >= all_threads - threads; });
    add("first-thread-only",
        "is what the first thread of the last block has added: those of the others are lost",
        [=](std::int64_t i) { return owner(i) / threads % threads == 0; });
    add("first-thread-of-each-block", "is what the first thread of each block has added",
        [=](std::int64_t i) { return owner(i) % threads == 0; });
    add("half-of-each-warp", HALF_OF_EACH_WARP, [=](std::int64_t i) { return owner(i) % 32 < 16; });
    add("first-warp-of-each-block", "is what the first warp of each block has added",
        [=](std::int64_t i) { return owner(i) % threads < 32; });
    for (const bool of_threads : {true, false})
      found.push_back({"largest-for-sum", LARGEST, [=, numbers = &q.data.array("numbers")](std::size_t) {
                         return largest_of(*numbers, 0, n, all_threads, of_threads, owner);
                       }});
    found.push_back({"largest-for-sum", LARGEST, [=, numbers = &q.data.array("numbers")](std::size_t) {
                       return largest_of(*numbers, 0, n, all_threads / threads, true,
                                         [=](std::int64_t i) { return owner(i) / threads; });
                     }});
  }
  return explained(q, found);
}
