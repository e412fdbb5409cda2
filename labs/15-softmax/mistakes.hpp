// Typical mistakes: what kernels that make them would have computed.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "softmax.hpp"

// Of a sum that each thread begins again.
static const std::string last_alone =
    ": each thread counts its last one alone, as if = stood where += belongs";

static const std::string SIGN =
    "comes out if exponentials have the other sign: the largest is subtracted from the element, not the "
    "element "
    "from the largest";

// Whether each wrong element has three digits of this value, however small it is beside others.
static bool is_close_to(const WrongResult& q, const std::function<double(std::size_t)>& value) {
  constexpr double digits = 1e-3;
  return q.all([&](std::size_t i) {
    const double one = value(i);
    return std::fabs(q.result.at(i).value - one) <= digits * std::fabs(one);
  });
}

// Quotients of which each thread, or each warp, has used what its own elements give. One of so many threads
// takes one element or four neighbours in turns.
static void add_unjoined(std::vector<Hypothesis>& found, const WrongResult& q, std::size_t threads,
                         std::size_t group, std::size_t each) {
  const auto columns = static_cast<std::size_t>(q.data["columns"]);
  const float* const x = q.data.array("x").data<float>();
  const std::size_t groups = threads / group;
  const auto owner = [=](std::size_t i) {
    return i / columns * groups + i % columns / each % threads / group;
  };
  std::vector<double> most(q.result.count() / columns * groups, -infinity), sum(most.size());
  for (std::size_t i = 0; i < q.result.count(); ++i)
    most[owner(i)] = std::max(most[owner(i)], static_cast<double>(x[i]));
  for (std::size_t i = 0; i < q.result.count(); ++i)
    sum[owner(i)] += std::exp(static_cast<double>(x[i]) - most[owner(i)]);
  const bool is_thread = group == 1;
  found.push_back(
      {is_thread ? "threads-not-joined" : "warps-not-joined",
       std::string("comes out of what its own ") + (is_thread ? "thread" : "warp") +
           " has seen: the largest and the sums of all " + (is_thread ? "threads" : "warps") +
           " of the block are to be joined, through shared memory and with a barrier",
       [=](std::size_t i) { return std::exp(static_cast<double>(x[i]) - most[owner(i)]) / sum[owner(i)]; }});
}

// Rows that begin so many elements apart, which are no more than the columns.
static Hypothesis rows_apart(const WrongResult& q, const std::string& name, const std::string& begin,
                             std::size_t apart) {
  const auto columns = static_cast<std::size_t>(q.data["columns"]);
  const auto rows = static_cast<std::size_t>(q.data["rows"]);
  const float* const x = q.data.array("x").data<float>();
  std::vector<RowSums> sums;
  for (std::size_t row = 0; row < rows; ++row) sums.emplace_back(x + row * apart, columns);
  return {name, "is computed from a row that begins at " + begin + ": row r begins at r * columns",
          [=](std::size_t i) {
            const std::size_t row = i / columns;
            const auto element = static_cast<double>(x[row * apart + i % columns]);
            return std::exp(element - sums[row].most) / sums[row].sum;
          }};
}

static std::optional<Pattern> mistake_in_rows(const WrongResult& q) {
  const auto columns = static_cast<std::size_t>(q.data["columns"]);
  const auto rows = static_cast<std::size_t>(q.data["rows"]);
  const float* const x = q.data.array("x").data<float>();
  std::vector<RowSums> sums;
  for (std::size_t row = 0; row < rows; ++row) sums.emplace_back(x + row * columns, columns);
  const auto value = [&](std::size_t i) { return static_cast<double>(x[i]); };
  const auto of_row = [&](std::size_t i) { return sums[i / columns]; };
  std::vector<Hypothesis> found = {
      {"not-divided", "is exp(x - largest): it is not divided by the sum",
       [&](std::size_t i) { return std::exp(value(i) - of_row(i).most); }},
      {"most-left-in",
       "is exp(x) / sum: the sum is of exp(x - largest), so the largest is subtracted here, too",
       [&](std::size_t i) { return std::exp(value(i)) / of_row(i).sum; }},
      {"logarithm", "is the logarithm of what it should be",
       [&](std::size_t i) { return value(i) - of_row(i).most - std::log(of_row(i).sum); }},
      {"no-exponential", "is (x - largest) / sum: the exponential of it is to be divided",
       [&](std::size_t i) { return (value(i) - of_row(i).most) / of_row(i).sum; }},
      {"along-columns", "comes out if the sums went down the columns; they go along the rows",
       [&](std::size_t i) {
         double sum = 0;
         for (std::size_t r = 0; r < rows; ++r) sum += std::exp(value(r * columns + i % columns));
         return std::exp(value(i)) / sum;
       }}};
  found.push_back({"first-row-for-all",
                   "is computed from the first row: row r of x begins at r * columns, as that of y does",
                   [&](std::size_t i) { return std::exp(value(i % columns) - sums[0].most) / sums[0].sum; }});
  found.push_back(rows_apart(q, "rows-apart-by-one", "r itself", 1));
  if (rows <= columns) found.push_back(rows_apart(q, "rows-apart-by-rows", "r * rows", rows));
  constexpr std::size_t lanes = 32;
  for (std::size_t threads = lanes; threads <= 1024; threads *= 2)
    for (const std::size_t group : {lanes, std::size_t{1}})
      for (const std::size_t each : {std::size_t{1}, std::size_t{4}})
        if (group < threads && threads * each < 2 * columns) add_unjoined(found, q, threads, group, each);
  const auto divided_by_some = [&](const std::string& name, const std::string& words, std::size_t first,
                                   std::size_t end) {
    std::vector<double> some(rows);  // of each row, the sum over these elements, as a float holds it
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t c = first; c < end; ++c)
        some[row] += std::exp(static_cast<float>(value(row * columns + c) - sums[row].most));
    found.push_back({name, "is divided by what the " + words, [&, some](std::size_t i) {
                       return std::exp(value(i) - of_row(i).most) / some[i / columns];
                     }});
  };
  divided_by_some("last-element-missing", "elements but the last one sum up to", 0, columns - 1);
  divided_by_some("first-element-missing", "elements but the first one sum up to", 1, columns);
  // Thread t takes the elements t, t + threads, t + 2 * threads, … of a row.
  for (std::size_t threads = 32; threads < 2 * columns && threads <= 1024; threads *= 2) {
    std::vector<double> own_most(rows * threads, -infinity), row_sum(rows);
    const auto owner = [=](std::size_t i) { return i / columns * threads + i % columns % threads; };
    for (std::size_t i = 0; i < rows * columns; ++i)
      own_most[owner(i)] = std::max(own_most[owner(i)], value(i));
    for (std::size_t i = 0; i < rows * columns; ++i)
      row_sum[i / columns] += std::exp(value(i) - own_most[owner(i)]);
    found.push_back(
        {"most-not-joined",
         "comes out if each thread subtracts the largest of its own elements, not of the row's",
         [=](std::size_t i) { return std::exp(value(i) - own_most[owner(i)]) / row_sum[i / columns]; }});
  }
  for (std::size_t some = 32; some < columns && some <= 1024; some *= 2) {
    const std::string elements = std::to_string(some) + " elements sum up to";
    divided_by_some("not-reduced", "first " + elements, 0, some);
    divided_by_some("sum-overwritten", "last " + elements + last_alone, columns - some, columns);
  }
  std::vector<double> least(rows, infinity), of_others(rows);  // of each row; sums of exp(least - x)
  for (std::size_t i = 0; i < rows * columns; ++i)
    least[i / columns] = std::min(least[i / columns], value(i));
  for (std::size_t i = 0; i < rows * columns; ++i)
    of_others[i / columns] += std::exp(least[i / columns] - value(i));
  found.push_back({"sign-exchanged", SIGN, [&, least, of_others](std::size_t i) {
                     return std::exp(least[i / columns] - value(i)) / of_others[i / columns];
                   }});
  if (is_close_to(q, [&](std::size_t i) {
        const double most = of_row(i).most;
        const double sum = of_others[i / columns] * std::exp(most - least[i / columns]);
        return std::exp(value(i) - most) / sum;
      }))
    return of_values("sign-exchanged", SIGN + " (so where the sum is made)");
  found.push_back({"sign-exchanged", SIGN + " (so where the quotients are made)",
                   [&](std::size_t i) { return std::exp(of_row(i).most - value(i)) / of_row(i).sum; }});
  std::vector<double> of_two(rows);  // of each row, the sum of powers of 2
  for (std::size_t i = 0; i < rows * columns; ++i)
    of_two[i / columns] += std::exp2(value(i) - of_row(i).most);
  found.push_back(
      {"power-of-two", "comes out if 2, not e, is raised to x - largest",
       [&, of_two](std::size_t i) { return std::exp2(value(i) - of_row(i).most) / of_two[i / columns]; }});
  found.push_back(
      {"sum-of-others",
       "is right but for one factor in each row: what it is divided by is not the row's sum. Is all "
       "that was added before scaled where a larger element turns up?",
       [&q, columns](std::size_t i) {
         const Expected& expected = q.data.expected("y");
         const std::size_t first = i / columns * columns;
         std::size_t most = first;
         for (std::size_t other = first; other < first + columns; ++other)
           if (expected.at(other).value() > expected.at(most).value()) most = other;
         return expected.at(i).value() * (q.result.at(most).value / expected.at(most).value());
       }});
  return explained(q, found);
}

// A kernel that goes through the keys tile by tile, and forgets something.
static double in_tiles(const Query& query, std::int64_t column, std::int64_t tile, bool scales_sum,
                       bool scales_result) {
  double most = -infinity, sum = 0, result = 0;
  for (std::int64_t first = 0; first < query.keys(); first += tile) {
    const std::int64_t end = std::min(first + tile, query.keys());
    const double larger = std::max(most, query.most(first, end));
    const double scale = std::exp(most - larger);
    const Query::Result part = query.over(column, first, end, larger);
    sum = (scales_sum ? sum * scale : sum) + part.weights;
    result = (scales_result ? result * scale : result) + part.sum;
    most = larger;
  }
  return result / sum;
}

static const std::string KEYS_TURNED =
    "comes out if rows and columns of K are swapped: number d of a key stands in the key's own row of K";
static const std::string VALUES_TURNED =
    "comes out if rows and columns of V are swapped: the weight of a key belongs to row number key of V";

static std::optional<Pattern> mistake_in_attention(const WrongResult& q) {
  const std::int64_t depth = q.data["depth"], keys = q.data["columns"];
  const auto column = [=](std::size_t i) { return static_cast<std::int64_t>(i) % depth; };
  std::vector<Query> queries;
  for (std::int64_t row = 0; row < q.data["rows"]; ++row) queries.emplace_back(q.data, row);
  const auto query = [&](std::size_t i) -> const Query& {
    return queries[i / static_cast<std::size_t>(depth)];
  };
  const auto scaled = [=, &q](std::size_t i, double own, const char* values = "V",
                              const Query::OfKey& of_key = nullptr) {
    const Query of(q.data, static_cast<std::int64_t>(i) / depth, own, values, of_key);
    const Query::Result all = of.over(column(i), 0, keys, of.most(0, keys));
    return all.sum / all.weights;
  };
  const auto over_keys = [=](std::size_t i, std::int64_t first, std::int64_t end) {
    if (first >= end) return std::nan("");
    const Query::Result part = query(i).over(column(i), first, end, query(i).most(first, end));
    return part.sum / part.weights;
  };
  std::vector<Hypothesis> found = {
      {"not-scaled", "comes out if scores are not divided by 8, the root of the depth",
       [=](std::size_t i) { return scaled(i, 1); }},
      {"scaled-twice", "comes out if scores are divided by 64; by 8 is right",
       [=](std::size_t i) { return scaled(i, 0.125 * 0.125); }},
      {"scaled-up", "comes out if scores are multiplied by 8: they are divided by it",
       [=](std::size_t i) { return scaled(i, 8); }},
      {"causal", "counts keys up to the query's own number only: every query sees all keys",
       [=](std::size_t i) {
         return over_keys(i, 0, std::min(keys, static_cast<std::int64_t>(i) / depth + 1));
       }},
      {"last-key-missing", "lacks the last key: the loop ends one too early",
       [=](std::size_t i) { return over_keys(i, 0, keys - 1); }},
      {"first-key-missing", "lacks the first key: the loop begins one too late",
       [=](std::size_t i) { return over_keys(i, 1, keys); }},
      {"key-too-many", "also counts the key behind the last one, with a score of 0: keys end before it",
       [=](std::size_t i) {
         const Query& own = query(i);
         const double most = std::max(own.most(0, keys), 0.0);
         const Query::Result all = own.over(column(i), 0, keys, most);
         return all.sum / (all.weights + std::exp(-most));
       }},
      {"sign-exchanged", SIGN,
       [=](std::size_t i) {
         const Query::Result all = query(i).over(column(i), 0, keys, query(i).most(0, keys), -1);
         return all.sum / all.weights;
       }},
      {"values-transposed", VALUES_TURNED,
       [=](std::size_t i) {
         return query(i).with_values_at(column(i), [=](auto key, auto c) { return c * keys + key; });
       }},
      {"values-transposed", VALUES_TURNED,  // of each tile of as many keys as V has columns
       [=](std::size_t i) {
         return query(i).with_values_at(
             column(i), [=](auto key, auto c) { return (key / depth * depth + c) * depth + key % depth; });
       }},
      {"keys-transposed", KEYS_TURNED,
       [=](std::size_t i) {
         return scaled(i, 0.125, "V", [=](auto key, auto d) { return d * keys + key; });
       }},
      {"keys-transposed", KEYS_TURNED,  // of each tile of as many keys as K has columns
       [=](std::size_t i) {
         return scaled(i, 0.125, "V",
                       [=](auto key, auto d) { return (key / depth * depth + d) * depth + key % depth; });
       }},
      {"keys-for-values", "comes out if K stood where V belongs",
       [=](std::size_t i) { return scaled(i, 0.125, "K"); }},
      {"scores-for-weights",
       "is the sum of V weighted by the scores, divided by their sum: exp(score - largest) is a weight",
       [=](std::size_t i) {
         const Query::Result all = query(i).by_scores(column(i));
         return all.sum / all.weights;
       }},
      {"scores-for-weights",
       "is the sum of V weighted by the scores: exp(score - largest) is a weight, and the sum of the weights "
       "divides",
       [=](std::size_t i) { return query(i).by_scores(column(i)).sum; }},
      {"divided-by-keys",
       "is the weighted sum of V divided by the number of keys: the sum of the weights divides it",
       [=](std::size_t i) {
         const Query& of = query(i);
         return of.over(column(i), 0, keys, of.most(0, keys)).sum / static_cast<double>(keys);
       }},
      {"queries-for-keys", "counts as many keys as there are queries: the loop over the keys ends at `keys`",
       [=, count = q.data["rows"]](std::size_t i) { return over_keys(i, 0, std::min(count, keys)); }},
      {"not-divided", "is the weighted sum of V: it is not divided by the sum of the weights",
       [=](std::size_t i) {
         const Query& of = query(i);
         return of.over(column(i), 0, keys, of.most(0, keys)).sum;
       }}};
  for (const std::int64_t tile : {1, 8, 16, 32, 64, 128}) {
    const std::string of = tile == 1 ? " (key by key)" : " (tiles of " + std::to_string(tile) + " keys)";
    found.push_back({"padding-counted", "also counts keys behind the last one, with a score of 0" + of,
                     [=](std::size_t i) {
                       const Query& own = query(i);
                       const double most = std::max(own.most(0, keys), 0.0);
                       const Query::Result all = own.over(column(i), 0, keys, most);
                       const auto more = static_cast<double>((tile - keys % tile) % tile);
                       return all.sum / (all.weights + more * std::exp(-most));
                     }});
    const std::int64_t lanes = q.shape() ? q.shape()->threads[0] : tile,
                       end = (keys + tile - 1) / tile * tile;
    if (lanes < tile && end - lanes < keys)
      found.push_back({"sum-overwritten", "is divided by the weights of the last keys only" + last_alone + of,
                       [=](std::size_t i) {
                         const Query& own = query(i);
                         const double most = own.most(0, keys);
                         return own.over(column(i), 0, keys, most).sum /
                                own.over(column(i), end - lanes, keys, most).weights;
                       }});
    if (tile >= keys) continue;
    found.push_back({"results-not-rescaled",
                     "comes out if the result so far is not scaled when a larger score turns up" + of,
                     [=](std::size_t i) { return in_tiles(query(i), column(i), tile, true, false); }});
    found.push_back({"sums-not-rescaled",
                     "comes out if the sum so far is not scaled when a larger score turns up" + of,
                     [=](std::size_t i) { return in_tiles(query(i), column(i), tile, false, true); }});
    found.push_back({"last-tile-only", "is the result of the last tile of keys alone" + of,
                     [=](std::size_t i) { return over_keys(i, (keys - 1) / tile * tile, keys); }});
    found.push_back({"first-tile-only", "is the result of the first tile of keys alone" + of,
                     [=](std::size_t i) { return over_keys(i, 0, tile); }});
  }
  return explained(q, found);
}

// Whether rows are wrong where all elements lie below 0, and right where one does not.
static bool is_wrong_below_zero(const WrongResult& q) {
  const std::int64_t rows = q.data["rows"], columns = q.data["columns"];
  const float* const x = q.data.array("x").data<float>();
  std::vector<bool> wrong(static_cast<std::size_t>(rows));
  for (const std::size_t i : q.wrong) wrong[i / static_cast<std::size_t>(columns)] = true;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const first = x + row * columns;
    if ((*std::max_element(first, first + columns) < 0) != wrong[static_cast<std::size_t>(row)]) return false;
  }
  return true;
}

// The mistake that explains all wrong elements, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  const auto is_unwritten = [&](std::size_t i) { return q.marks.values[i] == Mark::never_written; };
  if (std::ranges::any_of(q.wrong, is_unwritten)) return {};  // what stands there is no result of arithmetic
  const auto is_lost = [&](std::size_t i) {
    const double value = q.result.at(i).value;
    return !std::isfinite(value) || value == 0;
  };
  const bool some_infinite = !q.all([&](std::size_t i) { return std::isfinite(q.result.at(i).value); });
  const bool is_overflow = some_infinite && has(q.data, "-large") && q.all(is_lost);
  if (is_overflow && !is_attention(q.data) && is_wrong_below_zero(q))
    return of_values(
        "largest-from-zero",
        "is lost, and so is each row without an element above 0, as if the search for the largest "
        "began at 0: begin it at -infinity, or at the row's first element");
  if (is_overflow)
    return of_values("exp-overflow",
                     "is lost, as an exponential or a sum is infinite or 0: subtract the largest element, "
                     "neither a smaller nor a larger number, and no sum of several");
  if (has(q.data, "-masked") && q.all([&](std::size_t i) { return std::isnan(q.result.at(i).value); }))
    return of_values("infinity-minus-infinity",
                     "is no number: where a thread sees no other element, -infinity - -infinity");
  const std::int64_t each =
      q.shape() ? q.shape()->threads[0] : 0;  // threads that have elements of a row, or keys
  if (!has(q.data, "-masked") && q.data["columns"] >= each && q.wrong.size() == q.result.count() &&
      q.all([&](std::size_t i) { return std::isnan(q.result.at(i).value); }))
    return q.data.task.values.starts_with("passes")
               ? of_values(
                     "more-than-the-largest",
                     "is no number, as 0 / 0 is: more than the largest element is subtracted, such as a "
                     "sum of several, so that each exponential is 0")
               : of_values("infinity-times-zero",
                           "is no number, as if infinity were multiplied by 0: where the largest so far is "
                           "-infinity, "
                           "exp(old - larger) is 0 and exp(larger - old) infinite");
  return is_attention(q.data) ? mistake_in_attention(q) : mistake_in_rows(q);
}
