// Typical mistakes of part 1: what kernels that make them would have computed.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "places.hpp"

// What constant memory holds: behind the weights of this case, those of a larger mask that came before.
constexpr std::int64_t largest_mask = 15;
static std::array<double, largest_mask* largest_mask> weights_on_device = {};
static void note_weights(const Array& mask) {
  for (std::size_t i = 0; i < mask.count(); ++i) weights_on_device[i] = mask.at(i).value;
}

// What is taken for the element at a place, and which weight at a place of the mask.
using Element = std::function<double(std::int64_t row, std::int64_t column)>;
using Weight = std::function<std::int64_t(std::int64_t i, std::int64_t j)>;

// A walk over the mask, as a kernel makes it.
struct Walk {
  std::int64_t rows, columns;  // of the mask, where the loops end
  std::int64_t up, left;       // of the element, where the mask begins
  Element element;
  Weight weight;
  std::int64_t first_row = 0, first_column = 0;           // where the loops begin
  bool row_from_column = false, column_from_row = false;  // which of the element's own indices are exchanged
  bool is_down = true, is_right = true;                   // which of the mask's indices move the place
  bool rows_by_columns = false, columns_by_rows = false;  // whether the other index moves it
};

static double sum(const Walk& walk, std::int64_t own_row, std::int64_t own_column) {
  const std::int64_t row = walk.row_from_column ? own_column : own_row,
                     column = walk.column_from_row ? own_row : own_column;
  double total = 0;
  for (std::int64_t i = walk.first_row; i < walk.rows; ++i)
    for (std::int64_t j = walk.first_column; j < walk.columns; ++j) {
      const auto weight = static_cast<std::size_t>(walk.weight(i, j));
      if (weight >= weights_on_device.size()) continue;
      const std::int64_t down = walk.is_down ? (walk.rows_by_columns ? j : i) - walk.up : 0;
      const std::int64_t right = walk.is_right ? (walk.columns_by_rows ? i : j) - walk.left : 0;
      total += weights_on_device[weight] * walk.element(row + down, column + right);
    }
  return total;
}

// The places of the image that stand for one outside, by mistake or not.
struct Image {
  double at(std::int64_t row, std::int64_t column) const {
    return values.at(static_cast<std::size_t>(row * columns + column)).value;
  }
  double nearest(std::int64_t r, std::int64_t c) const { return at(clamped(r, rows), clamped(c, columns)); }
  double zero(std::int64_t r, std::int64_t c) const {
    return 0 <= r && r < rows && 0 <= c && c < columns ? at(r, c) : 0.0;
  }
  double other_side(std::int64_t r, std::int64_t c) const {
    return at((r % rows + rows) % rows, (c % columns + columns) % columns);
  }
  double mirrored(std::int64_t r, std::int64_t c) const {
    return nearest(mirror(r, rows), mirror(c, columns));
  }
  double mirrored_before(std::int64_t r, std::int64_t c) const { return nearest(std::abs(r), std::abs(c)); }
  double limits_exchanged(std::int64_t r, std::int64_t c) const {
    return by_number(clamped(r, columns) * columns + clamped(c, rows));
  }
  double column_by_rows(std::int64_t r, std::int64_t c) const {
    return by_number(clamped(r, rows) * columns + clamped(c, rows));
  }
  double row_by_columns(std::int64_t r, std::int64_t c) const {
    return by_number(clamped(r, columns) * columns + clamped(c, columns));
  }
  double first(std::int64_t, std::int64_t) const { return at(0, 0); }
  double last(std::int64_t, std::int64_t) const { return at(rows - 1, columns - 1); }
  double flat(std::int64_t r, std::int64_t c) const {
    return values.at(static_cast<std::size_t>(clamped(r * columns + c, rows * columns))).value;
  }
  // As if a row had so many elements.
  double rows_of(std::int64_t width, std::int64_t r, std::int64_t c) const {
    return by_number(clamped(r, rows) * width + clamped(c, columns));
  }
  double turned(std::int64_t r, std::int64_t c) const {
    return by_number(clamped(c, columns) * rows + clamped(r, rows));
  }

  const Array& values;
  std::int64_t rows, columns;

 private:
  static std::int64_t mirror(std::int64_t i, std::int64_t count) {
    return i < 0 ? -i : i < count ? i : 2 * (count - 1) - i;
  }
  double by_number(std::int64_t at) const {
    return at >= 0 && at < rows * columns ? values.at(static_cast<std::size_t>(at)).value : 0.0;
  }
};

// The mistake that explains all wrong results of part 1, if it is one of these.
static std::optional<Pattern> mistake_in_convolution(const WrongResult& q) {
  const Image image{q.data.array("image"), q.data["rows"], q.data["columns"]};
  const std::int64_t rows = q.data["mask_rows"], columns = q.data["mask_columns"];
  const auto from = [&](double (Image::*element)(std::int64_t, std::int64_t) const) -> Element {
    return [&image, element](std::int64_t r, std::int64_t c) { return (image.*element)(r, c); };
  };
  const Walk right{
      rows, columns, rows / 2, columns / 2, from(&Image::nearest), [=](std::int64_t i, std::int64_t j) {
        return i * columns + j;
      }};
  const auto of = [&](const Walk& walk) {
    return [&image, walk](std::size_t s) {
      const auto at = static_cast<std::int64_t>(s);
      return sum(walk, at / image.columns, at % image.columns);
    };
  };
  const auto with = [&](const std::function<void(Walk&)>& change) {
    Walk walk = right;
    change(walk);
    return of(walk);
  };
  const auto outside = [&](double (Image::*element)(std::int64_t, std::int64_t) const) {
    return with([&](Walk& walk) { walk.element = from(element); });
  };
  const auto weighted = [&](const Weight& weight) { return with([&](Walk& walk) { walk.weight = weight; }); };
  const std::string limit = ": a row lies below rows, a column below columns";
  return explained(
      q,
      {{"zeros-outside", "comes out if elements outside of the image are 0: take the nearest at the border",
        outside(&Image::zero)},
       {"wrapped-around", "comes out if the image goes on at its other side: take the nearest at the border",
        outside(&Image::other_side)},
       {"mirrored-outside", "comes out if the image is mirrored at its border: take the nearest there",
        outside(&Image::mirrored)},
       {"mirrored-outside",
        "comes out if the image is mirrored before its first row and column: take the nearest",
        outside(&Image::mirrored_before)},
       {"row-of-rows", "comes out if a row of the image had as many elements as the image has rows",
        with([&](Walk& walk) {
          walk.element = [&](std::int64_t r, std::int64_t c) { return image.rows_of(image.rows, r, c); };
        })},
       {"image-turned", "comes out if rows and columns of the image are swapped", outside(&Image::turned)},
       {"limits-exchanged", "comes out if a column is limited by rows" + limit,
        outside(&Image::column_by_rows)},
       {"limits-exchanged", "comes out if a row is limited by columns" + limit,
        outside(&Image::row_by_columns)},
       {"limits-exchanged", "comes out if rows limits a column, and columns a row" + limit,
        outside(&Image::limits_exchanged)},
       {"limits-turned", "comes out if every neighbour is the last element: min and max are exchanged",
        outside(&Image::last)},
       {"limits-turned", "comes out if every neighbour is the first element: min and max are exchanged",
        outside(&Image::first)},
       {"own-indices-alike", "comes out if the row of a neighbour is computed from the thread's column",
        with([](Walk& walk) { walk.row_from_column = true; })},
       {"own-indices-alike", "comes out if the column of a neighbour is computed from the thread's row",
        with([](Walk& walk) { walk.column_from_row = true; })},
       {"own-indices-exchanged",
        "comes out if row and column of the thread are exchanged where the image is read",
        with([](Walk& walk) { walk.row_from_column = walk.column_from_row = true; })},
       {"flat-neighbours", FLAT, outside(&Image::flat)},
       {"mask-flipped", "comes out if the mask is read from its end",
        weighted([=](std::int64_t i, std::int64_t j) { return (rows - 1 - i) * columns + columns - 1 - j; })},
       {"mask-flipped", "comes out if the mask is read from its last row to its first",
        weighted([=](std::int64_t i, std::int64_t j) { return (rows - 1 - i) * columns + j; })},
       {"mask-flipped", "comes out if the rows of the mask are read from their ends",
        weighted([=](std::int64_t i, std::int64_t j) { return i * columns + columns - 1 - j; })},
       {"mask-turned", "comes out if rows and columns of the mask are swapped",
        weighted([=](std::int64_t i, std::int64_t j) { return j * rows + i; })},
       {"mask-turned", "comes out if rows and columns of the mask are swapped: j * mask_columns + i",
        weighted([=](std::int64_t i, std::int64_t j) { return j * columns + i; })},
       {"mask-row-of-rows", "comes out if a row of the mask had mask_rows elements; it has mask_columns",
        weighted([=](std::int64_t i, std::int64_t j) { return i * rows + j; })},
       {"mask-row-of-15",
        "comes out if a row of the mask had the 15 elements of the largest one; it has mask_columns",
        weighted([](std::int64_t i, std::int64_t j) { return i * largest_mask + j; })},
       {"mask-halves-swapped",
        "comes out if half of the mask's columns went up and half of its rows to the left",
        with([=](Walk& walk) { walk.up = columns / 2, walk.left = rows / 2; })},
       {"mask-halves-alike",
        "comes out if half of the mask's rows went to the left, too: half of its columns does",
        with([=](Walk& walk) { walk.left = rows / 2; })},
       {"mask-halves-alike", "comes out if half of the mask's columns went up, too: half of its rows does",
        with([=](Walk& walk) { walk.up = columns / 2; })},
       {"mask-loops-exchanged",
        "comes out if both loops over the mask end at mask_columns, or at a constant " +
            std::to_string(columns),
        with([=](Walk& walk) { walk.rows = columns; })},
       {"mask-loops-exchanged",
        "comes out if both loops over the mask end at mask_rows, or at a constant " + std::to_string(rows),
        with([=](Walk& walk) { walk.columns = rows; })},
       {"mask-loops-exchanged",
        "comes out if the loop over rows ends at mask_columns, and that over columns at mask_rows",
        with([=](Walk& walk) { walk.rows = columns, walk.columns = rows; })},
       {"mask-of-three",
        "comes out if the mask had three rows and three columns: mask_rows and mask_columns say how many",
        with([](Walk& walk) { walk.rows = walk.columns = 3; })},
       {"mask-column-too-many", "comes out if a row of the mask had one element more: < mask_columns, not <=",
        with([](Walk& walk) { ++walk.columns; })},
       {"mask-row-too-many",
        "comes out if the mask had one row more: < mask_rows, not <=", with([](Walk& walk) { ++walk.rows; })},
       {"mask-not-centred", "comes out if the mask begins at the element, not half a mask before it",
        with([](Walk& walk) { walk.up = walk.left = 0; })},
       {"mask-not-centred", "comes out if the mask begins in the element's row, not half a mask above it",
        with([](Walk& walk) { walk.up = 0; })},
       {"mask-not-centred",
        "comes out if the mask begins in the element's column, not half a mask left of it",
        with([](Walk& walk) { walk.left = 0; })},
       {"mask-not-centred", "comes out if the whole mask lies above the element: half of it does",
        with([=](Walk& walk) { walk.up = rows; })},
       {"mask-not-centred", "comes out if the whole mask lies left of the element: half of it does",
        with([=](Walk& walk) { walk.left = columns; })},
       {"mask-not-centred", "comes out if half of the mask's rows is added where it is subtracted",
        with([](Walk& walk) { walk.up = -walk.up; })},
       {"mask-not-centred", "comes out if half of the mask's columns is added where it is subtracted",
        with([](Walk& walk) { walk.left = -walk.left; })},
       {"mask-shifted", "comes out if the mask lay one row too high: half of it, rounded down, is above",
        with([](Walk& walk) { ++walk.up; })},
       {"mask-shifted", "comes out if the mask lay one row too low: half of it, rounded down, is above",
        with([](Walk& walk) { --walk.up; })},
       {"mask-shifted",
        "comes out if the mask lay one column too far left: half of it, rounded down, is left",
        with([](Walk& walk) { ++walk.left; })},
       {"mask-shifted",
        "comes out if the mask lay one column too far right: half of it, rounded down, is left",
        with([](Walk& walk) { --walk.left; })},
       {"first-mask-row-missing", "lacks what the first row of the mask adds",
        with([](Walk& walk) { walk.first_row = 1; })},
       {"first-mask-column-missing", "lacks what the first column of the mask adds",
        with([](Walk& walk) { walk.first_column = 1; })},
       {"last-mask-row-missing", "lacks what the last row of the mask adds",
        with([](Walk& walk) { --walk.rows; })},
       {"last-mask-column-missing", "lacks what the last column of the mask adds",
        with([](Walk& walk) { --walk.columns; })},
       {"last-product-only", "is its last product alone: = where += adds up",
        with([](Walk& walk) { walk.first_row = walk.rows - 1, walk.first_column = walk.columns - 1; })},
       {"last-mask-row-only", "is what the last row of the mask adds: its sum begins again in each row",
        with([](Walk& walk) { walk.first_row = walk.rows - 1; })},
       {"row-stays", "comes out if weights of all rows of the mask meet the element's own row",
        with([](Walk& walk) { walk.is_down = false; })},
       {"column-stays", "comes out if weights of all columns of the mask meet the element's own column",
        with([](Walk& walk) { walk.is_right = false; })},
       {"mask-indices-alike", "comes out if the mask's row moved the column, too: its column does",
        with([](Walk& walk) { walk.columns_by_rows = true; })},
       {"mask-indices-alike", "comes out if the mask's column moved the row, too: its row does",
        with([](Walk& walk) { walk.rows_by_columns = true; })},
       {"mask-indices-exchanged", "comes out if the mask's row moved the column, and its column the row",
        with([](Walk& walk) { walk.rows_by_columns = walk.columns_by_rows = true; })},
       {"mask-left-out", "is the sum of the elements below the mask: none is multiplied by its weight",
        [&](std::size_t s) {
          double total = 0;
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j)
              total += image.nearest(static_cast<std::int64_t>(s) / image.columns + i - rows / 2,
                                     static_cast<std::int64_t>(s) % image.columns + j - columns / 2);
          return total;
        }},
       {"only-copied", "is the element of the image: nothing is added",
        [&](std::size_t s) { return image.values.at(s).value; }},
       factor(q, "the weights count as they are, and their sum is divided by nothing")});
}
