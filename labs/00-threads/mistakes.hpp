// Typical mistakes: what kernels that make them would have computed.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "parts.hpp"

// Whether __sinf gave what sinf gave, for all elements. They differ in the last place of many.
static bool are_same_sines(const Array& values) {
  for (std::size_t i = 0; i < values.count(); i += FUNCTIONS)
    if (values.at(i).value != values.at(i + 1).value) return false;
  return true;
}

// Whether values[i].w is what a root and a division give, each rounded, for all elements. rsqrtf differs from
// that in the last place of many, on a GPU as on the emulator.
static bool are_careful_roots(const Array& values, const Dataset& data) {
  for (std::size_t i = 0; i < values.count() / FUNCTIONS; ++i) {
    const float root = std::sqrt(static_cast<float>(data.array("x").at(i).value));
    if (values.at(i * FUNCTIONS + 3).value != static_cast<double>(1.0f / root)) return false;
  }
  return true;
}

// The quick sine in place of the careful one, whose values alone are wrong then.
static std::optional<Pattern> quick_for_careful(const WrongResult& q) {
  const auto is_careful = [](std::size_t i) { return i % FUNCTIONS == 0; };
  if (!q.all(is_careful)) return {};
  if (are_same_sines(q.result))
    return of_values("quick-for-careful", "comes from __sinf, as values[i].y: sinf is asked for here");
  for (std::size_t i = 1; i < q.result.count(); i += FUNCTIONS) {
    const double angle = q.data.array("x").at(i / FUNCTIONS).value;
    if (std::fabs(q.result.at(i).value - exact(0, angle)) > largest_error(0, angle)) return {};
  }
  return of_values("sines-exchanged",
                   "has the error of __sinf, and values[i].y that of sinf: the two have changed places");
}

// The mistake of part 4 that explains all wrong values, if it is one of these.
static std::optional<Pattern> mistake_in_values(const WrongResult& q) {
  if (const auto found = quick_for_careful(q)) return found;
  const auto x = [&](std::size_t i) { return q.data.array("x").at(i / FUNCTIONS).value; };
  const auto is_sine = [](std::size_t i) { return i % FUNCTIONS < 2; };
  std::vector<bool> is_wrong(FUNCTIONS);
  for (const std::size_t i : q.wrong) is_wrong[i % FUNCTIONS] = true;
  return explained(
      q, {{"root-not-inverted", "is the root of x[i], where 1 divided by the root is asked for",
           [&](std::size_t i) {
             const bool is_root = !is_sine(i) && is_wrong[i % FUNCTIONS];
             return is_root ? std::sqrt(x(i)) : exact(static_cast<int>(i % FUNCTIONS), x(i));
           }},
          {"functions-exchanged", "is a sine where a root is asked for, or a root for a sine",
           [&](std::size_t i) { return exact(is_sine(i) ? 2 : 0, x(i)); }},
          {"in-degrees", "comes out if x[i] were an angle in degrees: sin() takes radians",
           [&](std::size_t i) { return is_sine(i) ? std::sin(x(i) * std::acos(-1.0) / 180) : 0.0; }}});
}

// Whether a careful function's errors are 0 throughout, as if it were measured against itself.
static bool is_its_own_measure(const Array& errors) {
  for (const std::size_t careful : {0, 2}) {
    bool all_zero = errors.count() != 0;
    for (std::size_t i = careful; i < errors.count(); i += FUNCTIONS)
      all_zero = all_zero && errors.at(i).value == 0;
    if (all_zero) return true;
  }
  return false;
}

// The mistake of part 4 that explains all wrong errors, if it is one of these. `values`: what they are of.
static std::optional<Pattern> mistake_in_errors(const WrongResult& q, const Array& values) {
  const auto right = [&](std::size_t i) {
    return exact(static_cast<int>(i % FUNCTIONS), q.data.array("x").at(i / FUNCTIONS).value);
  };
  const auto error = [&](std::size_t i) { return values.at(i).value - right(i); };
  if (is_its_own_measure(q.result))
    return of_values("measured-in-float",
                     "is the distance from what a function of floats gives: compute the exact value by the "
                     "functions of double");
  return explained(
      q, {{"error-signed", "keeps its sign: an error is a distance, which fabs() gives", error},
          {"error-signed", "is the exact value minus yours: an error is a distance, which fabs() gives",
           [&](std::size_t i) { return -error(i); }},
          {"error-relative", "is divided by the exact value: the distance alone is asked for",
           [&](std::size_t i) { return std::fabs(error(i) / right(i)); }},
          {"exact-value-rounded",
           "comes out if the exact value is rounded to a float first: keep it as a double, and subtract in "
           "double",
           [&](std::size_t i) {
             return std::fabs(values.at(i).value - static_cast<double>(static_cast<float>(right(i))));
           }}});
}

// Four neighbours at once, of which one is computed from another one's x.
static std::vector<Hypothesis> parts_confused(const std::function<double(std::size_t, std::size_t)>& value) {
  const std::string names = "xyzw";
  std::vector<Hypothesis> found;
  for (std::size_t part = 0; part < names.size(); ++part)
    for (std::size_t other = 0; other < names.size(); ++other)
      if (other != part)
        found.push_back(
            {"part-confused",
             std::string("takes .") + names[other] + " of four numbers where ." + names[part] + " belongs",
             [=](std::size_t i) { return value(i, i % 4 == part ? i - part + other : i); }});
  return found;
}

// The mistake of parts 1 to 3 that explains all wrong elements, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  const std::size_t whole = q.result.count() / 4 * 4;
  const auto is_of_rest = [&](std::size_t i) {
    return i >= whole && q.result.at(i).value == q.data.array("y").at(i).value;
  };
  if (q.data.task.values == "four" && q.all(is_of_rest))
    return of_values(
        "rest-missing",
        "lies behind the last whole group of four, and nobody updates it: up to three threads take "
        "one each");
  const double a = static_cast<double>(factor(q.data));
  const auto x = [&](std::size_t i) { return q.data.array("x").at(i).value; };
  const auto y = [&](std::size_t i) { return q.data.array("y").at(i).value; };
  const std::size_t n = q.result.count();
  // Of a single element, the next one is nowhere: what is not updated would pass for a sum with 0.
  const auto beside = [&](std::size_t i) { return i + 1 < n ? x(i + 1) : n == 1 ? std::nan("") : 0.0; };
  const auto from = [&](std::size_t i, std::size_t of) {
    return a * x(of < q.result.count() ? of : i) + y(i);
  };
  const auto pattern = explained(
      q,
      {{"y-left-out", "is a · x[i]; what y[i] held before is not added",
        [&](std::size_t i) { return a * x(i); }},
       {"a-left-out", "is x[i] + y[i]: x[i] is not multiplied by a",
        [&](std::size_t i) { return x(i) + y(i); }},
       {"a-truncated", "is right for an a without its fraction: an int has none",
        [&](std::size_t i) { return std::trunc(a) * x(i) + y(i); }},
       {"updated-twice", "is a · x[i] + a · x[i] + y[i]: two threads, or two turns of a loop, take it",
        [&](std::size_t i) { return a * x(i) + a * x(i) + y(i); }},
       {"a-times-the-sum", "is a · (x[i] + y[i]): only x[i] is to be multiplied by a",
        [&](std::size_t i) { return a * (x(i) + y(i)); }},
       {"a-times-y", "is x[i] + a · y[i]: a is the factor of x[i], not of y[i]",
        [&](std::size_t i) { return x(i) + a * y(i); }},
       {"a-added", "is x[i] · y[i] + a: a is the factor of x[i], and y[i] is added",
        [&](std::size_t i) { return x(i) * y(i) + a; }},
       {"y-subtracted", "is a · x[i] - y[i]: y[i] is added", [&](std::size_t i) { return a * x(i) - y(i); }},
       {"y-added-twice", "is a · x[i] + y[i] + y[i]: += adds y[i] a second time",
        [&](std::size_t i) { return a * x(i) + 2 * y(i); }},
       {"neighbour", "takes the next element of x instead of its own",
        [&](std::size_t i) { return a * beside(i) + y(i); }}});
  return pattern ? pattern : explained(q, parts_confused(from));
}
