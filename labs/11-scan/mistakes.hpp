// Typical mistakes: what kernels that make them would have computed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "parts.hpp"

// What Kogge and Stone's steps come to where a thread adds as `adds` says, by its place and the distance, and
// `next` is the distance of the next step.
template <class Adds, class Next>
static std::vector<double> kogge_stone_sums(const Array& numbers, Adds adds, Next next) {
  const auto n = static_cast<std::int64_t>(numbers.count());
  std::vector<double> sums;
  for (std::int64_t i = 0; i < n; ++i) sums.push_back(numbers.at(static_cast<std::size_t>(i)).value);
  for (std::int64_t first = 0; first < n; first += SEGMENT)
    for (std::int64_t distance = 1; distance < SEGMENT; distance = next(distance))
      for (std::int64_t place = std::min(SEGMENT, n - first) - 1; place >= distance; --place)
        if (adds(place, distance))
          sums[static_cast<std::size_t>(first + place)] +=
              sums[static_cast<std::size_t>(first + place - distance)];
  return sums;
}

// What shuffles come to where a lane without one before it, in a step, adds what it gets: its own sum. A lane
// has `each` numbers, which it adds before; warps add those of the warps before them. What the lanes before
// it have, a lane takes from its neighbour, or by taking its own numbers away.
static std::vector<double> sums_with_own_lanes(const Array& numbers, std::int64_t each, bool takes_own_away) {
  constexpr std::int64_t lanes = 32;
  const auto n = static_cast<std::int64_t>(numbers.count());
  const auto number = [&](std::int64_t i) {
    return i < n ? numbers.at(static_cast<std::size_t>(i)).value : 0.0;
  };
  std::vector<double> found(static_cast<std::size_t>(n));
  double before_warp = 0;
  for (std::int64_t first = 0; first < n; first += lanes * each) {
    if (first % SEGMENT == 0) before_warp = 0;
    std::vector<double> own(lanes);
    for (std::int64_t i = 0; i < lanes * each; ++i)
      own[static_cast<std::size_t>(i / each)] += number(first + i);
    std::vector<double> so_far = own;
    for (std::size_t distance = 1; distance < lanes; distance *= 2)
      for (std::size_t lane = lanes; lane-- > 0;)
        so_far[lane] += so_far[lane >= distance ? lane - distance : lane];
    for (std::int64_t i = 0; i < std::min(lanes * each, n - first); ++i) {
      const auto lane = static_cast<std::size_t>(i / each);
      const double before_lane = takes_own_away ? so_far[lane] - own[lane]
                                 : lane > 0     ? so_far[lane - 1]
                                                : 0.0;
      double sum = before_warp + (each > 1 ? before_lane : so_far[lane]);
      for (std::int64_t at = i / each * each; each > 1 && at <= i; ++at) sum += number(first + at);
      found[static_cast<std::size_t>(first + i)] = sum;
    }
    before_warp += so_far.back();
  }
  return found;
}

// What comes out where each of four numbers should add what the one before it has, and one of them adds what
// an earlier one has: what lies between is missing there, and in all that comes behind the four.
static std::vector<Hypothesis> mistakes_in_fours(const Array& numbers, std::size_t segment) {
  const std::string parts = "xyzw";
  const std::size_t n = numbers.count();
  std::vector<Hypothesis> found;
  for (std::size_t part = 2; part < parts.size(); ++part)
    for (std::size_t from = 0; from + 1 < part; ++from) {
      std::vector<double> sums;
      double before = 0;
      for (std::size_t first = 0; first < n; first += parts.size()) {
        if (first % segment == 0) before = 0;
        std::vector<double> four;
        for (std::size_t p = 0; p < parts.size(); ++p) {
          const double own = first + p < n ? numbers.at(first + p).value : 0.0;
          const double added = p == 0 ? 0.0 : four[p == part ? from : p - 1];
          four.push_back(own + added);
        }
        for (std::size_t p = 0; p < parts.size() && first + p < n; ++p) sums.push_back(before + four[p]);
        before += four.back();
      }
      found.push_back({"part-skipped",
                       std::string("comes out if of every four numbers .") + parts[part] + " adds ." +
                           parts[from] + ": it adds ." + parts[part - 1] + ", which has the sum so far",
                       [sums](std::size_t i) { return sums[i]; }});
    }
  return found;
}

// Of part 1 alone.
static std::vector<Hypothesis> mistakes_in_steps(const Array& numbers) {
  const auto gives = [](std::vector<double> sums) {
    return [sums = std::move(sums)](std::size_t i) { return sums[i]; };
  };
  const auto doubled = [](std::int64_t distance) { return 2 * distance; };
  return {
      {"guard-one-late",
       "lacks what the thread at that distance from the first one adds: it adds, too (>=, not >)",
       gives(kogge_stone_sums(
           numbers, [](std::int64_t place, std::int64_t distance) { return place > distance; }, doubled))},
      {"distance-by-one", "comes out if the distance grows by 1 in each step: it doubles",
       gives(kogge_stone_sums(
           numbers, [](std::int64_t, std::int64_t) { return true; },
           [](std::int64_t distance) { return distance + 1; }))},
      {"distance-by-two", "comes out if the distance grows by 2 in each step: it doubles",
       gives(kogge_stone_sums(
           numbers, [](std::int64_t, std::int64_t) { return true; },
           [](std::int64_t distance) { return distance + 2; }))},
      {"distance-odd",
       "comes out if the distances are 1, 3, 7 and so on: 1, 2, 4 are right, each twice the last",
       gives(kogge_stone_sums(
           numbers, [](std::int64_t, std::int64_t) { return true; },
           [](std::int64_t distance) { return 2 * distance + 1; }))}};
}

// For each tile, the number from which on its first sum adds up: the beginning of a tile.
static std::vector<std::size_t> first_numbers(const WrongResult& q, const std::vector<double>& before,
                                              std::size_t tile) {
  std::vector<std::size_t> found;
  for (std::size_t first = 0; first < q.result.count(); first += tile) {
    const double wanted = before[first + 1] - q.result.at(first).value;
    std::size_t best = 0;
    for (std::size_t at = tile; at <= first; at += tile)
      if (std::fabs(before[at] - wanted) < std::fabs(before[best] - wanted)) best = at;
    found.push_back(best);
  }
  return found;
}

// The mistake that explains all wrong sums, if it is one of these.
static std::optional<Pattern> mistake_in_sums(const WrongResult& q) {
  const Array& numbers = q.data.array("numbers");
  const std::size_t n = numbers.count();
  const std::size_t segment = is_of_all(q.data) ? n : SEGMENT;
  const std::size_t tile = q.shape() ? static_cast<std::size_t>(q.shape()->outputs[0]) : n;
  std::vector<double> before(n + 1);  // the sum of all numbers before each
  for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + numbers.at(i).value;
  // The sum of the numbers from `first` up to number i.
  const auto sum = [&](std::size_t first, std::size_t i) { return before[i + 1] - before[first]; };
  const auto start = [&](std::size_t i) { return i / segment * segment; };
  std::vector<Hypothesis> found = {
      {"own-number-missing", "is the sum of the numbers before, without its own",
       [&](std::size_t i) { return before[i] - before[start(i)]; }},
      {"first-number-missing", "lacks the first number",
       [&](std::size_t i) { return sum(start(i), i) - numbers.at(start(i)).value; }},
      {"never-added", "is the number itself: nothing is added",
       [&](std::size_t i) { return numbers.at(i).value; }},
      {"warp-alone", "is the sum of the numbers of its group of 32 alone: what is before it is missing",
       [&](std::size_t i) { return sum(i / 32 * 32, i); }},
      {"from-the-left", "is the sum of the numbers behind and its own: the scan runs the wrong way",
       [&](std::size_t i) { return sum(i, std::min(start(i) + segment, n) - 1); }}};
  for (std::size_t group = 2; group < segment && group <= 1024; group *= 2) {
    const std::string number = std::to_string(group);
    found.push_back(
        {"last-steps-missing",
         "is the sum of the last " + number + " numbers up to its own: steps of a distance of " + number +
             " and more are missing",
         [=](std::size_t i) { return sum(std::max(start(i), i + 1 - std::min(i + 1, group)), i); }});
    found.push_back({"own-group-twice",
                     "counts its own group of " + number +
                         " twice: what comes before a group ends where the group begins",
                     [=](std::size_t i) {
                       const std::size_t first = i / group * group;
                       return sum(start(i), i) + sum(first, std::min(first + group, n) - 1);
                     }});
    if (!is_of_all(q.data) && group > 32)
      found.push_back({"groups-before-missing",
                       "is the sum of the numbers of its group of " + number +
                           " alone: what the groups before it have is never added",
                       [=](std::size_t i) { return sum(i / group * group, i); }});
  }
  if (is_of_all(q.data)) {
    found.push_back({"tile-alone",
                     "is the sum of the numbers of its tile alone: the tiles before are missing",
                     [&](std::size_t i) { return sum(i / tile * tile, i); }});
    found.push_back({"one-tile-back", "has the sum of one tile before its own, not of all of them",
                     [&](std::size_t i) { return sum(i < tile ? 0 : (i / tile - 1) * tile, i); }});
    found.push_back({"32-tiles-back", "has the sums of at most 32 tiles before its own",
                     [&](std::size_t i) { return sum(i < 32 * tile ? 0 : (i / tile - 32) * tile, i); }});
    found.push_back(
        {"some-tiles-back",
         "lacks the sums of the first tiles: who looks back adds the tiles' own sums until one tile has "
         "the sum of all up to it, and ends there only",
         [&q, sum, from = first_numbers(q, before, tile), tile](std::size_t i) {
           return sum(from[i / tile], i);
         }});
  } else {
    found.push_back({"segments-before-added",
                     "has the sums of the segments before, too: begin with 0 in each",
                     [&](std::size_t i) { return sum(0, i); }});
  }
  for (const auto& [each, takes_own_away] : {std::pair(1, false), std::pair(4, false), std::pair(4, true)})
    found.push_back(
        {"lane-adds-its-own",
         "comes out if lanes without one before them add, too: a shuffle gives them their own value",
         [sums = sums_with_own_lanes(numbers, each, takes_own_away)](std::size_t i) { return sums[i]; }});
  for (Hypothesis& each : mistakes_in_fours(numbers, segment)) found.push_back(std::move(each));
  if (const auto pattern = explained(q, found)) return pattern;
  return q.data.task.values.starts_with("kogge-stone") ? explained(q, mistakes_in_steps(numbers))
                                                       : std::nullopt;
}

// The mistake that explains all that is wrong in `kept`, if it is one of these.
static std::optional<Pattern> mistake_in_kept(const WrongResult& q) {
  const Array& numbers = q.data.array("numbers");
  std::vector<double> with_zeros, with_negatives;  // what is kept if these are
  for (std::size_t i = 0; i < numbers.count(); ++i) {
    const double number = numbers.at(i).value;
    if (number >= 0) with_zeros.push_back(number);
    if (number != 0) with_negatives.push_back(number);
  }
  const auto rest = [&](std::size_t i) { return q.data.array("kept").at(i).value; };
  return explained(
      q, {{"gaps-left", "comes out if numbers above 0 stay where they were: the places must have no gaps",
           [&](std::size_t i) { return numbers.at(i).value > 0 ? numbers.at(i).value : rest(i); }},
          {"zeros-kept", "comes out if zeros are kept, too: only numbers above 0 are",
           [&](std::size_t i) { return i < with_zeros.size() ? with_zeros[i] : rest(i); }},
          {"negatives-kept", "comes out if numbers below 0 are kept, too: only those above 0 are",
           [&](std::size_t i) { return i < with_negatives.size() ? with_negatives[i] : rest(i); }}});
}

// What stands in `count` before the launch.
static std::int64_t count_before(const Dataset& data) {
  std::int32_t mark = 0;
  std::memcpy(&mark, never_written_marks(data, "count").data(), sizeof mark);
  return mark;
}

// The mistake that gives this count, if it is one of these. A single number has too few digits for
// `explained`, but these mistakes give different counts.
static std::optional<Pattern> mistake_in_count(const WrongResult& q, std::int64_t tile) {
  const Array& numbers = q.data.array("numbers");
  const auto n = static_cast<std::int64_t>(numbers.count());
  const std::int64_t last_tile = (n - 1) / tile * tile;
  std::int64_t kept = 0, zeros = 0, kept_first = 0, kept_last = 0;  // of the first and the last tile alone
  for (std::int64_t i = 0; i < n; ++i) {
    const double number = numbers.at(static_cast<std::size_t>(i)).value;
    kept += number > 0, zeros += number == 0;
    kept_first += i < tile && number > 0, kept_last += i >= last_tile && number > 0;
  }
  const std::int64_t behind = last_tile + tile - n;  // places of the last tile that have no number
  struct Count {
    const char *name, *words;
    std::int64_t value;
  };
  const Count counts[] = {
      {"zeros-counted", "counts zeros, too: only numbers above 0 are kept", kept + zeros},
      {"zeros-counted", "counts zeros, too, also those that stand for numbers behind the last one",
       kept + zeros + behind},
      {"all-counted", "is how many numbers there are, not how many are kept", n},
      {"others-counted", "is how many numbers are not kept", n - kept},
      {"last-place-counted", "is the place of the last number that is kept: there is one more", kept - 1},
      {"last-tile-counted", "counts the last tile alone: add what is kept before it", kept_last},
      {"first-tile-counted", "counts the first tile alone: the last tile knows what all have kept",
       kept_first},
      {"tiles-before-counted",
       "counts the tiles before the last one alone: the last tile's block, and no other, sets the count",
       kept - kept_last},
      {"added-to-the-count", "is added to what stood there, which is not 0: one thread has to set it",
       kept + count_before(q.data)},
  };
  for (const Count& each : counts)
    if (each.value != kept && q.result.at(0).integer == each.value) return of_values(each.name, each.words);
  return {};
}

// `tile`: of part 4.
static std::optional<Pattern> mistake(const WrongResult& q, std::int64_t tile) {
  if (!is_of_compaction(q.data)) return mistake_in_sums(q);
  return q.result.name == "kept" ? mistake_in_kept(q) : mistake_in_count(q, tile);
}
