// Places in an image or in space, and what both parts say of a wrong result.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "comparison/hypotheses.hpp"
#include "lab.hpp"

using namespace warpgrade::harness;

// Part 2 has no mask.
static bool is_stencil(const Dataset& data) { return data["mask_rows"] == 0; }

// The place inside that is nearest.
static std::int64_t clamped(std::int64_t i, std::int64_t count) {
  return std::clamp<std::int64_t>(i, 0, count - 1);
}

// Whether an element needs others that lie outside.
static bool is_at_border(const Dataset& data, std::size_t index) {
  const std::int64_t rows = data["rows"], columns = data["columns"], layers = data["layers"];
  const bool is_space = is_stencil(data);
  const std::int64_t up = is_space ? 1 : data["mask_rows"] / 2,
                     left = is_space ? 1 : data["mask_columns"] / 2;
  const auto i = static_cast<std::int64_t>(index);
  const std::int64_t z = i / (rows * columns), row = i / columns % rows, column = i % columns;
  const auto is_near = [](std::int64_t at, std::int64_t count, std::int64_t most) {
    return at < most || at + most >= count;
  };
  return is_near(row, rows, up) || is_near(column, columns, left) || (is_space && is_near(z, layers, 1));
}

// What is right but for one factor, which the largest wrong element shows. Of a few elements, every mistake
// is.
static Hypothesis factor(const WrongResult& q, const std::string& words) {
  const Expected& expected = q.data.expected(q.result.name);
  std::size_t largest = q.wrong.front();
  for (const std::size_t i : q.wrong)
    if (std::fabs(expected.at(i).value()) > std::fabs(expected.at(largest).value())) largest = i;
  constexpr std::size_t enough = 16;
  const double by =
      q.wrong.size() < enough ? std::nan("") : q.result.at(largest).value / expected.at(largest).value();
  return {"factor", "is right but for one factor, the same for all: " + words,
          [&expected, by](std::size_t i) { return by * expected.at(i).value(); }};
}

// Of a neighbour whose place is computed by one number.
static const char* const FLAT =
    "comes out if a neighbour is so and so many numbers away, and only the number is limited: what follows "
    "the "
    "end of a row is the next row; limit each index by itself";
