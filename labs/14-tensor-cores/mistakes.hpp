// Typical mistakes: what kernels that make them would have computed.
#pragma once
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "floats.hpp"
#include "product_mistakes.hpp"

// Mistakes of kernels that multiply by tensor cores, and what each of them computes.
class TensorCoreMistakes {
 public:
  explicit TensorCoreMistakes(const WrongResult& q)
      : A_(matrix_of<float>(q.data.array("A"))), B_(matrix_of<float>(q.data.array("B"))) {}

  std::vector<Hypothesis> all() const {
    std::vector<Hypothesis> found = {
        elsewhere("rows-exchanged",
                  "has its place 8 rows away: the first two sums of a lane and the other two", 8, 0),
        elsewhere("columns-exchanged", "has its place in the column beside it: two neighbours of a lane", 0,
                  1),
        elsewhere("columns-exchanged", "has its place 8 columns away: two products of a warp", 0, 8),
        of_A("A-blocks-exchanged",
             "comes out if of 16×16 elements of A the lower left 8×8 and the upper right are exchanged",
             [](int row, int i) {
               return Place{with(row, i, 8), with(i, row, 8)};
             }),
        of_B("B-blocks-exchanged",
             "comes out if of 16×16 elements of B the lower left 8×8 and the upper right are exchanged",
             [](int i, int column) {
               return Place{with(i, column, 8), with(column, i, 8)};
             }),
        of_B("B-halves-exchanged",
             "comes out if of 16 rows of B the first 8 and the last 8 are exchanged: the two registers of B, "
             "or of "
             "A's columns, have changed places",
             [](int i, int column) {
               return Place{i ^ 8, column};
             }),
        {"C-blocks-transposed", "comes out if every 16×16 elements of C are transposed: mem_row_major",
         [this](std::size_t e) {
           const Place own = place_of(e);
           return sum({with(own.row, own.column, 15), with(own.column, own.row, 15)}, as_is, as_is);
         }},
    };
    for (const auto& [distance, whose] : FAR) {
      const std::string place = "has its place " + std::to_string(distance);
      const std::string what = std::string(" of two ") + whose + " are exchanged";
      found.push_back(elsewhere("rows-exchanged", place + " rows away: the rows" + what, distance, 0));
      found.push_back(
          elsewhere("columns-exchanged", place + " columns away: the columns" + what, 0, distance));
      found.push_back(turned_by(distance, whose));
    }
    for (const int side : {8, 16}) {
      const std::string elements = std::to_string(side) + "×" + std::to_string(side) + " elements of ";
      const auto turned = [side](int row, int column) {
        return Place{with(row, column, side - 1), with(column, row, side - 1)};
      };
      found.push_back(of_A("A-blocks-transposed",
                           "comes out if every " + elements + "A are transposed: A lies row by row", turned));
      found.push_back(of_B(
          "B-blocks-transposed",
          "comes out if every " + elements + "B are transposed: row_major for wmma, ldmatrix.trans for mma",
          turned));
    }
    for (int depth = 16; depth < A_.columns && depth <= 128; depth *= 2) {
      const std::string tile = "'s tile of " + std::to_string(depth) + " is the first one in every turn";
      found.push_back(of_A("first-A-tile", "comes out if A" + tile, [depth](int row, int i) {
        return Place{row, i % depth};
      }));
      found.push_back(of_B("first-B-tile", "comes out if B" + tile, [depth](int i, int column) {
        return Place{i % depth, column};
      }));
    }
    return found;
  }

 private:
  struct Place {
    int row, column;
  };
  // Rows or columns between what a warp or a block computes at a time, and what that is.
  static constexpr std::pair<int, const char*> FAR[] = {
      {16, "fragments"}, {32, "fragments or warps"}, {48, "fragments"}, {64, "warps"}, {128, "warps"}};
  using Read = std::function<Place(int row, int column)>;  // what a kernel reads in place of (row, column)

  // `number` with the bits of `mask` from `other`.
  static int with(int number, int other, int mask) { return (number & ~mask) | (other & mask); }
  static double at(const Matrix<const float>& matrix, Place place) {
    const bool is_inside = place.row < matrix.rows && place.column < matrix.columns;
    return is_inside ? static_cast<double>(matrix.at(place.row, place.column)) : 0.0;
  }
  static Place as_is(int row, int column) { return {row, column}; }

  // An element of C, over a depth that whole instructions of 16 fill.
  double sum(Place element, const Read& a, const Read& b) const {
    double total = 0;
    for (int i = 0; i < (A_.columns + 15) / 16 * 16; ++i)
      total += at(A_, a(element.row, i)) * at(B_, b(i, element.column));
    return total;
  }
  Place place_of(std::size_t element) const {
    const auto n = static_cast<std::size_t>(B_.columns);
    return {static_cast<int>(element / n), static_cast<int>(element % n)};
  }
  Hypothesis of_A(const std::string& name, const std::string& words, const Read& read) const {
    return {name, words, [=, this](std::size_t e) { return sum(place_of(e), read, as_is); }};
  }
  Hypothesis of_B(const std::string& name, const std::string& words, const Read& read) const {
    return {name, words, [=, this](std::size_t e) { return sum(place_of(e), as_is, read); }};
  }
  // Each holds what belongs to the row and column whose number differs in these bits.
  Hypothesis elsewhere(const std::string& name, const std::string& words, int rows, int columns) const {
    return {name, words, [=, this](std::size_t e) {
              const Place own = place_of(e);
              return sum({own.row ^ rows, own.column ^ columns}, as_is, as_is);
            }};
  }

  // Rows and columns of what a block is made of are exchanged.
  Hypothesis turned_by(int distance, const std::string& whose) const {
    return {"parts-transposed",
            "comes out if rows and columns of the " + whose +
                " are exchanged where C is stored: look at which " + "number counts rows",
            [=, this](std::size_t e) {
              const Place own = place_of(e);
              return sum({with(own.row, own.column, distance), with(own.column, own.row, distance)}, as_is,
                         as_is);
            }};
  }

  Matrix<const float> A_, B_;
};

// Whether all wrong elements are numbers of half precision, though the right ones are not.
static bool are_halves(const WrongResult& q) {
  const auto is_half = [](double value) { return Float16(value).value() == value; };
  const Expected& C = q.data.expected("C");
  return q.all([&](std::size_t i) { return is_half(q.result.at(i).value); }) &&
         !q.all([&](std::size_t i) { return is_half(C.at(i).value()); });
}

// The mistake that explains all wrong elements, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  if (q.all([&](std::size_t i) { return q.result.at(i).value == 0; })) return {};
  if (are_halves(q))
    return of_values("sum-in-half",
                     "is a number of half precision: sums must be floats from the first product on");
  Dataset floats(q.data.task);
  for (const char* name : {"A", "B"}) floats.add(Floats(q.data.array(name)).array(name));
  floats.output<float>("C", q.result.shape);
  floats.expected("C") = q.data.expected("C");
  const WrongResult same{floats, q.result, q.marks, q.coverage, q.wrong};
  if (const auto found = explained(same, TensorCoreMistakes(same).all())) return found;
  return product_mistake(same);
}
