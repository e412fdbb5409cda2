#include "pattern.hpp"

#include <algorithm>
#include <vector>

namespace warpgrade::harness {
namespace {

struct Element {
  int row;
  int column;
};

struct Question {
  const Dataset& data;
  const Matrix<float>& result;
  const Matrix<Mark>& marks;
  const LaunchShape& shape;
  std::vector<Element> wrong;  // in row-major order
};

std::vector<Element> wrong_elements(const Matrix<Mark>& marks) {
  std::vector<Element> wrong;
  for (int row = 0; row < marks.rows; ++row)
    for (int column = 0; column < marks.columns; ++column)
      if (marks.at(row, column) != Mark::right) wrong.push_back({row, column});
  return wrong;
}

double allowed(const Question& q, const Element& e) {
  return tolerance(q.data.task.values, q.data.bound.at(e.row, e.column));
}

template <class Test>
bool all_wrong(const Question& q, Test test) {
  return std::all_of(q.wrong.begin(), q.wrong.end(), test);
}

bool all_never_written(const Question& q) {
  return all_wrong(q, [&](const Element& e) { return q.marks.at(e.row, e.column) == Mark::never_written; });
}

bool all_zero(const Question& q) {
  return all_wrong(q, [&](const Element& e) { return q.result.at(e.row, e.column) == 0.0f; });
}

// Whether the element for (row, column) was stored at [column][row] of an n×m matrix, or of the m×n one if
// that index exists.
bool is_transposed(const Question& q) {
  const int m = q.marks.rows;
  const int n = q.marks.columns;
  if (m == 1 || n == 1) return false;  // the transposed matrix looks the same
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      const float got = q.result.values[static_cast<std::size_t>(column) * static_cast<std::size_t>(m) +
                                        static_cast<std::size_t>(row)];
      if (!is_close(got, q.data.C.at(row, column), allowed(q, {row, column}))) return false;
    }
  return true;
}

// The number of first products whose sum is every wrong element; 0 if there is no such number.
int products_in_all(const Question& q) {
  constexpr std::size_t enough = 4;    // one small sum may match by chance
  constexpr std::size_t sample = 256;  // elements to test: a number that fits all of these is no accident
  if (q.wrong.size() < enough) return 0;
  const std::size_t checked = std::min(sample, q.wrong.size());
  for (int count = q.data.task.k - 1; count > 0; --count) {
    const bool fits = std::all_of(
        q.wrong.begin(), q.wrong.begin() + static_cast<std::ptrdiff_t>(checked), [&](const Element& e) {
          return is_close(q.result.at(e.row, e.column), partial_sum(q.data, e.row, e.column, count),
                          allowed(q, e));
        });
    if (fits) return count;
  }
  return 0;
}

Pattern from_phase(const Question& q, int products) {
  const std::string k = std::to_string(q.data.task.k);
  Pattern pattern{
      "from-phase",
      "each is the sum of only the first " + std::to_string(products) + " of its " + k + " products",
      products,
      {}};
  const int depth = q.shape.columns;
  if (q.shape.one_output_each() && q.shape.columns == q.shape.rows && products % depth == 0) {
    pattern.phase = products / depth;
    pattern.words += ", so everything from phase " + std::to_string(*pattern.phase) +
                     " on is missing (tiles of " + std::to_string(depth) + ", counted from 0)";
  }
  return pattern;
}

// The start of a dimension's last tile if that is partial and not the only one, else the size.
int last_partial_tile(int size, int tile) {
  return size % tile == 0 || size < tile ? size : size - size % tile;
}

// Wrong elements only in tiles that reach over the border of C.
std::optional<Pattern> at_border(const Question& q) {
  const int first_column = last_partial_tile(q.marks.columns, q.shape.columns);
  const int first_row = last_partial_tile(q.marks.rows, q.shape.rows);
  const auto in_column = [&](const Element& e) { return e.column >= first_column; };
  const auto in_row = [&](const Element& e) { return e.row >= first_row; };
  if (all_wrong(q, in_column))
    return Pattern{"last-tile-column", "all of them in the last, partial tile column", 0, {}};
  if (all_wrong(q, in_row))
    return Pattern{"last-tile-row", "all of them in the last, partial tile row", 0, {}};
  if (all_wrong(q, [&](const Element& e) { return in_column(e) || in_row(e); }))
    return Pattern{"last-tile-row-or-column", "all of them in the last, partial tile row or column", 0, {}};
  return {};
}

// The indices of the set bits: "1, 3–5".
std::string index_list(const std::vector<bool>& in) {
  std::string words;
  for (std::size_t first = 0; first < in.size(); ++first) {
    if (!in[first]) continue;
    std::size_t last = first;
    while (last + 1 < in.size() && in[last + 1]) ++last;
    words += (words.empty() ? "" : ", ") + std::to_string(first);
    if (last > first) words += "–" + std::to_string(last);
    first = last;
  }
  return words;
}

// Wrong elements that fill some tiles while the other tiles are right; prefers whole rows or columns of
// tiles.
std::optional<Pattern> in_whole_tiles(const Question& q) {
  constexpr int nearly = 16;  // one in so many may be right by chance
  const auto across = static_cast<std::size_t>(q.shape.columns),
             down = static_cast<std::size_t>(q.shape.rows);
  if (across * down < nearly) return {};  // a few wrong elements would fill such tiles
  Matrix<int> wrong(1 + (q.marks.rows - 1) / q.shape.rows, 1 + (q.marks.columns - 1) / q.shape.columns);
  for (const Element& e : q.wrong) ++wrong.at(e.row / q.shape.rows, e.column / q.shape.columns);
  std::vector<bool> rows(static_cast<std::size_t>(wrong.rows)),
      columns(static_cast<std::size_t>(wrong.columns));
  int filled = 0;
  for (int row = 0; row < wrong.rows; ++row)
    for (int column = 0; column < wrong.columns; ++column) {
      if (wrong.at(row, column) == 0) continue;
      const int elements = std::min(q.shape.rows, q.marks.rows - row * q.shape.rows) *
                           std::min(q.shape.columns, q.marks.columns - column * q.shape.columns);
      if (wrong.at(row, column) * nearly < elements * (nearly - 1)) return {};
      rows[static_cast<std::size_t>(row)] = columns[static_cast<std::size_t>(column)] = true;
      ++filled;
    }
  const auto in_rows = static_cast<int>(std::count(rows.begin(), rows.end(), true));
  const auto in_columns = static_cast<int>(std::count(columns.begin(), columns.end(), true));
  if (filled == in_rows * wrong.columns && in_rows < wrong.rows)
    return Pattern{
        "tile-rows", "they fill whole rows of tiles: " + index_list(rows) + ", counted from 0", 0, {}};
  if (filled == in_columns * wrong.rows && in_columns < wrong.columns)
    return Pattern{"tile-columns",
                   "they fill whole columns of tiles: " + index_list(columns) + ", counted from 0",
                   0,
                   {}};
  const int tiles = wrong.rows * wrong.columns;
  if (filled == tiles) return {};
  return Pattern{
      "tiles",
      "they fill " + std::to_string(filled) + " of " + std::to_string(tiles) + " tiles, the others are right",
      0,
      {}};
}

// A pattern in the values of the wrong elements.
std::optional<Pattern> by_value(const Question& q) {
  if (all_zero(q)) return Pattern{"zeros", "each is 0", 0, {}};
  if (is_transposed(q))
    return Pattern{"transposed",
                   "the result is right but transposed, rows and columns are swapped where it is stored",
                   0,
                   {}};
  if (const int products = products_in_all(q)) return from_phase(q, products);
  return {};
}

Pattern never_written(const Question& q) {
  Pattern pattern{"never-written", "none of them was ever written", 0, {}};
  if (const auto border = at_border(q)) pattern.words += ", " + border->words;
  return pattern;
}

}  // namespace

Pattern find_pattern(const Dataset& data, const Matrix<float>& result, const Matrix<Mark>& marks,
                     const LaunchShape& shape) {
  const Question q{data, result, marks, shape, wrong_elements(marks)};
  if (all_never_written(q)) return never_written(q);
  if (const auto pattern = by_value(q)) return *pattern;
  if (const auto pattern = at_border(q)) return *pattern;
  if (q.wrong.size() == marks.values.size()) return {"all", "not one is right", 0, {}};
  if (const auto pattern = in_whole_tiles(q)) return *pattern;
  return {"scattered", "they are scattered over the result", 0, {}};
}

}  // namespace warpgrade::harness
