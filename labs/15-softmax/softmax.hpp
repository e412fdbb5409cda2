// What is right: softmax of rows, and attention.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lab.hpp"

using namespace warpgrade::harness;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double absolute = 1e-31;  // scale of what is too small for a float's digits

// How inexact a sum of so many exponentials may be, one added after the other: the roundings of a long sum of
// positive terms do not cancel.
static double inexact(std::size_t terms) { return 4 + static_cast<double>(terms) / 256; }

static bool is_attention(const Dataset& data) { return data["depth"] > 0; }
static bool has(const Dataset& data, const std::string& kind) { return data.task.values.ends_with(kind); }

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

// One query's scores, and what becomes of them. `own`: what the scores are multiplied by. `values`: the
// matrix whose rows are weighted. `of_key`: where number d of a key stands in K; what lies outside is 0.
class Query {
 public:
  using OfKey = std::function<std::int64_t(std::int64_t key, std::int64_t d)>;
  Query(const Dataset& data, std::int64_t query, double own = 0.125, const char* values = "V",
        const OfKey& of_key = nullptr)
      : keys_(data["columns"]),
        depth_(data["depth"]),
        V_(data.array(values).data<float>()),
        scores_(static_cast<std::size_t>(keys_)) {
    const float* const q = data.array("Q").data<float>() + query * depth_;
    const float* const k = data.array("K").data<float>();
    for (std::int64_t key = 0; key < keys_; ++key) {
      double& score = scores_[static_cast<std::size_t>(key)];
      double size = 0;
      for (std::int64_t d = 0; d < depth_; ++d) {
        const std::int64_t at = of_key ? of_key(key, d) : key * depth_ + d;
        const double product =
            at < keys_ * depth_ ? static_cast<double>(q[d]) * static_cast<double>(k[at]) : 0;
        score += product;
        size += std::fabs(product);
      }
      score *= own;
      largest_size_ = std::max(largest_size_, size * own);
    }
  }

  // A weighted column of V over keys from `first` on, before `end`. `sign`: of the exponents, 1 where they
  // are right.
  struct Result {
    double sum = 0, weights = 0, size = 0;
  };
  Result over(std::int64_t column, std::int64_t first, std::int64_t end, double most, double sign = 1) const {
    Result found;
    for (std::int64_t key = first; key < end; ++key) {
      const double weight = std::exp(sign * (scores_[static_cast<std::size_t>(key)] - most));
      const double term = weight * static_cast<double>(V_[key * depth_ + column]);
      found.sum += term;
      found.size += std::fabs(term);
      found.weights += weight;
    }
    return found;
  }
  // The same over all keys if the scores themselves are the weights.
  Result by_scores(std::int64_t column) const {
    Result found;
    for (std::int64_t key = 0; key < keys_; ++key) {
      const double weight = scores_[static_cast<std::size_t>(key)];
      found.sum += weight * static_cast<double>(V_[key * depth_ + column]);
      found.weights += weight;
    }
    return found;
  }
  double most(std::int64_t first, std::int64_t end) const {
    return *std::max_element(scores_.begin() + first, scores_.begin() + end);
  }
  // The quotient if V's element of a key and a column comes from where `place` says; 0 behind the last one.
  template <class Place>
  double with_values_at(std::int64_t column, Place place) const {
    double sum = 0, weights = 0;
    const double largest = most(0, keys_);
    for (std::int64_t key = 0; key < keys_; ++key) {
      const double weight = std::exp(scores_[static_cast<std::size_t>(key)] - largest);
      const std::int64_t at = place(key, column);
      sum += at < keys_ * depth_ ? weight * static_cast<double>(V_[at]) : 0;
      weights += weight;
    }
    return sum / weights;
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
