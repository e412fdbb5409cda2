// Lab 15, the host half: what a program does around the kernels that you write.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/emulator.hpp"
#include "comparison/hypotheses.hpp"
#include "lab.hpp"

using namespace warpgrade::harness;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double absolute = 1e-31;  // scale of what is too small for a float's digits

// How inexact a sum of so many exponentials may be, one added after the other: the roundings of a long sum of
// positive terms do not cancel.
static double inexact(std::size_t terms) { return 4 + static_cast<double>(terms) / 256; }

static bool is_attention(const Dataset& data) { return data["depth"] > 0; }
static bool has(const Dataset& data, const std::string& kind) { return data.task.values.ends_with(kind); }

// --- softmax of rows -------------------------------------------------------------------------------------

// "large": exponentials that no float holds, in either direction, and in some rows an element far above all
// others. "masked": before some column, most elements of a row are -infinity.
static double element(const Dataset& data, std::int64_t row, std::int64_t column, double fraction) {
  const std::uint64_t bits = random_bits(data.task.seed, static_cast<std::uint64_t>(row));
  if (has(data, "-large")) {
    const double peak = row % 3 == 2 && column == 513 ? 120 : 0;  // more than 88 above all, whatever the seed
    return (row % 2 == 0 ? 1 : -1) * static_cast<double>(100 + bits % 20000) + 8 * fraction + peak;
  }
  const std::int64_t columns = data["columns"];
  if (has(data, "-masked") && column < columns * 3 / 4 && column % 97 != row) return -infinity;
  return 8 * fraction;
}

// The largest element of a row, and the sum of exp(element - largest).
struct RowSums {
  RowSums(const float* row, std::size_t columns) : inexact_sum(inexact(columns)) {
    for (std::size_t c = 0; c < columns; ++c) most = std::max(most, static_cast<double>(row[c]));
    for (std::size_t c = 0; c < columns; ++c) sum += std::exp(static_cast<double>(row[c]) - most);
  }
  // An exponential is as inexact as its argument, which a float rounds.
  Number quotient(double x) const {
    const double value = std::exp(x - most) / sum;
    return Number(value).with_scale(value > 0 ? value * (inexact_sum + most - x) + absolute : absolute);
  }

  double most = -infinity;
  double sum = 0;
  double inexact_sum;
};

static void declare_rows(Dataset& data) {
  const std::int64_t rows = data["rows"], columns = data["columns"];
  data.input<float>("x", {rows, columns});
  data.output<float>("y", {rows, columns});
  float* x = data.array("x").data<float>();
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column, ++x)
      *x = static_cast<float>(element(data, row, column, static_cast<double>(*x)));
}

static void make_rows(Dataset& data) {
  declare_rows(data);
  const std::int64_t rows = data["rows"], columns = data["columns"];
  const float* x = data.array("x").data<float>();
  const View y = data.expected_of("y");
  for (std::int64_t row = 0; row < rows; ++row, x += columns) {
    const RowSums sums(x, static_cast<std::size_t>(columns));
    for (std::int64_t column = 0; column < columns; ++column)
      y(row, column) = sums.quotient(static_cast<double>(x[column]));
  }
}

// --- attention -------------------------------------------------------------------------------------------

// One query's scores, and what becomes of them. `own`: what the scores are multiplied by. `values`: the
// matrix whose rows are weighted.
class Query {
 public:
  Query(const Dataset& data, std::int64_t query, double own = 0.125, const char* values = "V")
      : keys_(data["columns"]),
        depth_(data["depth"]),
        V_(data.array(values).data<float>()),
        scores_(static_cast<std::size_t>(keys_)) {
    const float* const q = data.array("Q").data<float>() + query * depth_;
    const float* k = data.array("K").data<float>();
    for (double& score : scores_) {
      double size = 0;
      for (std::int64_t d = 0; d < depth_; ++d) {
        const double product = static_cast<double>(q[d]) * static_cast<double>(*k++);
        score += product;
        size += std::fabs(product);
      }
      score *= own;
      largest_size_ = std::max(largest_size_, size * own);
    }
  }

  // A weighted column of V over keys from `first` on, before `end`.
  struct Result {
    double sum = 0, weights = 0, size = 0;
  };
  Result over(std::int64_t column, std::int64_t first, std::int64_t end, double most) const {
    Result found;
    for (std::int64_t key = first; key < end; ++key) {
      const double weight = std::exp(scores_[static_cast<std::size_t>(key)] - most);
      const double term = weight * static_cast<double>(V_[key * depth_ + column]);
      found.sum += term;
      found.size += std::fabs(term);
      found.weights += weight;
    }
    return found;
  }
  double most(std::int64_t first, std::int64_t end) const {
    return *std::max_element(scores_.begin() + first, scores_.begin() + end);
  }
  // The result; a weight is as inexact as the largest of its scores.
  Number exact(std::int64_t column) const {
    const Result all = over(column, 0, keys_, most(0, keys_));
    const double of_scores = 4 + 2 * largest_size_, of_sums = inexact(scores_.size());
    return Number(all.sum / all.weights)
        .with_scale(all.size / all.weights * (of_scores + of_sums) + absolute);
  }
  std::int64_t keys() const { return keys_; }

 private:
  std::int64_t keys_, depth_;
  const float* V_;
  std::vector<double> scores_;
  double largest_size_ = 0;
};

// "large": scores whose exponentials no float holds.
static void declare_attention(Dataset& data) {
  const std::int64_t queries = data["rows"], keys = data["columns"], depth = data["depth"];
  data.input<float>("Q", {queries, depth});
  data.input<float>("K", {keys, depth});
  data.input<float>("V", {keys, depth});
  data.output<float>("O", {queries, depth});
  const float scale = has(data, "-large") ? 64.0f : 2.0f;
  for (const char* name : {"Q", "K"}) {
    float* const values = data.array(name).data<float>();
    for (std::size_t i = 0; i < data.array(name).count(); ++i) values[i] *= scale;
  }
}

static void make_attention(Dataset& data) {
  declare_attention(data);
  const View O = data.expected_of("O");
  for (std::int64_t row = 0; row < data["rows"]; ++row) {
    const Query query(data, row);
    for (std::int64_t column = 0; column < data["depth"]; ++column) O(row, column) = query.exact(column);
  }
}

static void make(Dataset& data) { is_attention(data) ? make_attention(data) : make_rows(data); }

// Launches the kernel of the case's part, with as many blocks as it takes to cover the result.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int rows = data.as_int("rows"), columns = data.as_int("columns");
  if (is_attention(data)) {
    kernels["attention_tiles"].launch(Extent{data.as_int("depth"), rows}, on_device.read<float>("Q"),
                                      on_device.read<float>("K"), on_device.read<float>("V"),
                                      on_device.write<float>("O"), rows, columns);
    return;
  }
  const char* const name = data.task.values.starts_with("passes") ? "softmax_passes" : "softmax_online";
  kernels[name].launch(Extent{rows}, on_device.read<float>("x"), on_device.write<float>("y"), rows, columns);
}

// --- mistakes --------------------------------------------------------------------------------------------

// Of a sum that each thread begins anew.
static const std::string last_alone =
    ": each thread counts its last one alone, as if = stood where += belongs";

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
  std::vector<double> of_two(rows);  // of each row, the sum of powers of 2
  for (std::size_t i = 0; i < rows * columns; ++i)
    of_two[i / columns] += std::exp2(value(i) - of_row(i).most);
  found.push_back(
      {"power-of-two", "comes out if 2, not e, is raised to x - largest",
       [&, of_two](std::size_t i) { return std::exp2(value(i) - of_row(i).most) / of_two[i / columns]; }});
  found.push_back({"sum-of-others",
                   "is right but for one factor in each row: what it is divided by is not the row's sum",
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

static std::optional<Pattern> mistake_in_attention(const WrongResult& q) {
  const std::int64_t depth = q.data["depth"], keys = q.data["columns"];
  const auto column = [=](std::size_t i) { return static_cast<std::int64_t>(i) % depth; };
  std::vector<Query> queries;
  for (std::int64_t row = 0; row < q.data["rows"]; ++row) queries.emplace_back(q.data, row);
  const auto query = [&](std::size_t i) -> const Query& {
    return queries[i / static_cast<std::size_t>(depth)];
  };
  const auto scaled = [=, &q](std::size_t i, double own, const char* values = "V") {
    const Query of(q.data, static_cast<std::int64_t>(i) / depth, own, values);
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
      {"last-key-missing", "lacks the last key: the loop ends one too early",
       [=](std::size_t i) { return over_keys(i, 0, keys - 1); }},
      {"first-key-missing", "lacks the first key: the loop begins one too late",
       [=](std::size_t i) { return over_keys(i, 1, keys); }},
      {"keys-for-values", "comes out if K stood where V belongs",
       [=](std::size_t i) { return scaled(i, 0.125, "K"); }},
      {"not-divided", "is the weighted sum of V: it is not divided by the sum of the weights",
       [=](std::size_t i) {
         const Query& of = query(i);
         return of.over(column(i), 0, keys, of.most(0, keys)).sum;
       }}};
  for (const std::int64_t tile : {8, 16, 32, 64, 128}) {
    const std::string of = " (tiles of " + std::to_string(tile) + " keys)";
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

// The mistake that explains all wrong elements, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  const auto is_lost = [&](std::size_t i) {
    const double value = q.result.at(i).value;
    return !std::isfinite(value) || value == 0;
  };
  const bool some_infinite = !q.all([&](std::size_t i) { return std::isfinite(q.result.at(i).value); });
  if (some_infinite && has(q.data, "-large") && q.all(is_lost))
    return of_values("exp-overflow",
                     "is lost, as an exponential or a sum is infinite or 0: subtract the largest element");
  if (has(q.data, "-masked") && q.all([&](std::size_t i) { return std::isnan(q.result.at(i).value); }))
    return of_values("infinity-minus-infinity",
                     "is no number: where a thread sees no other element, -infinity - -infinity");
  return is_attention(q.data) ? mistake_in_attention(q) : mistake_in_rows(q);
}

// Runs one case on the device and returns the outcome.
static Outcome run(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the inputs there; the result starts as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to the result and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the result back and compare it.
  return compare(data, on_device.copy_back(), kernels, mistake);
}

// --- timed rounds ----------------------------------------------------------------------------------------

// New values by a copy from a longer sequence; some rows are checked, as all of them would take a second.
class Rounds : public TimedRounds {
 public:
  explicit Rounds(const Dataset& data) {
    for (const Array& array : data.arrays()) {
      if (array.role != Role::input) continue;
      const float* const values = array.data<float>();
      names_.push_back(array.name);
      std::vector<float>& pool = pools_.emplace_back(values, values + array.count());
      // On the emulator there is only one round.
      if (!emulator::present())
        pool.insert(pool.end(), values, values + std::min<std::size_t>(array.count(), 4096));
    }
  }

  void refresh(Dataset& data, std::uint64_t seed) override {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Array& array = data.array(names_[i]);
      const std::size_t places = pools_[i].size() - array.count() + 1;
      const auto first = static_cast<std::ptrdiff_t>(random_bits(seed, i) % places);
      std::copy_n(pools_[i].begin() + first, array.count(), array.data<float>());
    }
  }

  Outcome verify(const Dataset& data, const DeviceArrays::Downloaded& after, std::uint64_t seed,
                 bool closely) override {
    if (closely)
      if (auto fault = after.first_fault_of_outputs()) return *fault;
    const HostArrays results = after.results();
    const Array& result = result_of(results, is_attention(data) ? "O" : "y");
    const std::int64_t rows = result.shape[0], columns = result.shape[1];
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        if (!std::isfinite(result.data<float>()[row * columns + column])) return wrong(row, column);
    for (std::uint64_t i = 0; i < (closely ? 64 : 8); ++i) {
      const auto row =
          static_cast<std::int64_t>(random_bits(seed, 100 + i) % static_cast<std::uint64_t>(rows));
      if (const auto fault = wrong_in_row(data, result, row)) return *fault;
    }
    return {};
  }

 private:
  static Outcome wrong(std::int64_t row, std::int64_t column) {
    return Outcome::failure(
        Status::wrong_answer,
        "Element [" + std::to_string(row) + "][" + std::to_string(column) + "] of a timed run is not right.");
  }
  static std::optional<Outcome> wrong_in_row(const Dataset& data, const Array& result, std::int64_t row) {
    const std::int64_t columns = result.shape[1];
    const float* const found = result.data<float>() + row * columns;
    std::vector<Number> wanted;
    if (is_attention(data)) {
      const Query query(data, row);
      for (std::int64_t column = 0; column < columns; ++column) wanted.push_back(query.exact(column));
    } else {
      const float* const x = data.array("x").data<float>() + row * columns;
      const RowSums sums(x, static_cast<std::size_t>(columns));
      for (std::int64_t column = 0; column < columns; ++column)
        wanted.push_back(sums.quotient(static_cast<double>(x[column])));
    }
    for (std::int64_t column = 0; column < columns; ++column) {
      const Number& number = wanted[static_cast<std::size_t>(column)];
      if (!is_close(static_cast<double>(found[column]), number.value(), number.tolerance(ElementType::f32)))
        return wrong(row, column);
    }
    return std::nullopt;
  }

  std::vector<std::string> names_;
  std::vector<std::vector<float>> pools_;
};

static std::unique_ptr<TimedRounds> rounds(Dataset& data) {
  is_attention(data) ? declare_attention(data) : declare_rows(data);
  return std::make_unique<Rounds>(data);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = run, .rounds = rounds}, argc, argv);
}
