#include <algorithm>
#include <vector>

#include "patterns/pattern_places.hpp"

namespace warpgrade::harness {
namespace {

// The start of a dimension's last tile if that is partial and not the only one, else the size.
std::int64_t last_partial_tile(std::int64_t size, int tile) {
  return size % tile == 0 || size < tile ? size : size - size % tile;
}

// The tiles of a matrix, and how many wrong elements each has.
struct Tiles {
  explicit Tiles(const WrongResult& q)
      : rows(q.marks.shape[0]),
        columns(q.marks.shape[1]),
        down(q.shape()->outputs[1]),
        across(q.shape()->outputs[0]) {
    wrong.resize(static_cast<std::size_t>(count_down() * count_across()));
    for (const std::size_t element : q.wrong) {
      const auto row = static_cast<std::int64_t>(element) / columns;
      const auto column = static_cast<std::int64_t>(element) % columns;
      ++at(row / down, column / across);
    }
  }
  std::int64_t count_down() const { return 1 + (rows - 1) / down; }
  std::int64_t count_across() const { return 1 + (columns - 1) / across; }
  std::int64_t& at(std::int64_t row, std::int64_t column) {
    return wrong[static_cast<std::size_t>(row * count_across() + column)];
  }
  std::int64_t elements(std::int64_t row, std::int64_t column) const {
    return std::min<std::int64_t>(down, rows - row * down) *
           std::min<std::int64_t>(across, columns - column * across);
  }

  std::int64_t rows, columns;
  int down, across;
  std::vector<std::int64_t> wrong;
};

// Whether all tiles have wrong elements but those whose row and column have the same number.
bool is_diagonal(Tiles& tiles) {
  if (tiles.count_down() < 2 || tiles.count_across() < 2) return false;
  for (std::int64_t row = 0; row < tiles.count_down(); ++row)
    for (std::int64_t column = 0; column < tiles.count_across(); ++column)
      if ((tiles.at(row, column) == 0) != (row == column)) return false;
  return true;
}

Pattern tiles_pattern(Tiles& tiles, const std::vector<bool>& rows, const std::vector<bool>& columns,
                      std::int64_t filled) {
  const auto in_rows = std::count(rows.begin(), rows.end(), true);
  const auto in_columns = std::count(columns.begin(), columns.end(), true);
  if (filled == in_rows * tiles.count_across() && in_rows < tiles.count_down())
    return {"tile-rows", "they fill whole rows of tiles: " + index_list(rows) + ", counted from 0"};
  if (filled == in_columns * tiles.count_down() && in_columns < tiles.count_across())
    return {"tile-columns", "they fill whole columns of tiles: " + index_list(columns) + ", counted from 0"};
  if (is_diagonal(tiles))
    return {kDiagonal,
            "they fill all tiles but those on the diagonal, as if blockIdx.x or blockIdx.y alone gave "
            "both the row and the column of a block"};
  return {"tiles", "they fill " + std::to_string(filled) + " of " +
                       std::to_string(tiles.count_down() * tiles.count_across()) +
                       " tiles, the others are right"};
}

}  // namespace

std::optional<Pattern> at_border_2d(const WrongResult& q) {
  const std::int64_t columns = q.marks.shape[1];
  const std::int64_t first_column = last_partial_tile(columns, q.shape()->outputs[0]);
  const std::int64_t first_row = last_partial_tile(q.marks.shape[0], q.shape()->outputs[1]);
  const auto in_column = [&](std::size_t i) {
    return static_cast<std::int64_t>(i) % columns >= first_column;
  };
  const auto in_row = [&](std::size_t i) { return static_cast<std::int64_t>(i) / columns >= first_row; };
  if (q.all(in_column)) return Pattern{"last-tile-column", "all of them in the last, partial tile column"};
  if (q.all(in_row)) return Pattern{"last-tile-row", "all of them in the last, partial tile row"};
  if (q.all([&](std::size_t i) { return in_column(i) || in_row(i); }))
    return Pattern{"last-tile-row-or-column", "all of them in the last, partial tile row or column"};
  return {};
}

std::optional<Pattern> beside_diagonal(const WrongResult& q) {
  constexpr std::int64_t fewest = 4;  // rows
  if (q.marks.shape.size() != 2 || q.marks.shape[0] != q.marks.shape[1] || q.marks.shape[0] < fewest)
    return {};
  const auto next = static_cast<std::size_t>(q.marks.shape[0]) + 1;  // on the diagonal
  if (q.wrong.size() + next - 1 != q.marks.values.size() ||
      !q.all([&](std::size_t i) { return i % next != 0; }))
    return {};
  return Pattern{
      "beside-diagonal",
      "all but those on the diagonal, as if rows and columns were exchanged in the result or in an input"};
}

// Wrong elements that fill some tiles while the other tiles are right; prefers whole rows or columns of
// tiles.
std::optional<Pattern> in_places_2d(const WrongResult& q) {
  constexpr auto one_in = static_cast<std::int64_t>(nearly);
  Tiles tiles(q);
  if (tiles.across * tiles.down < one_in) return {};  // a few wrong elements would fill such tiles
  std::vector<bool> rows(static_cast<std::size_t>(tiles.count_down())),
      columns(static_cast<std::size_t>(tiles.count_across()));
  std::int64_t filled = 0;
  for (std::int64_t row = 0; row < tiles.count_down(); ++row)
    for (std::int64_t column = 0; column < tiles.count_across(); ++column) {
      if (tiles.at(row, column) == 0) continue;
      if (tiles.at(row, column) * one_in < tiles.elements(row, column) * (one_in - 1)) return {};
      rows[static_cast<std::size_t>(row)] = columns[static_cast<std::size_t>(column)] = true;
      ++filled;
    }
  if (filled == tiles.count_down() * tiles.count_across()) return {};
  return tiles_pattern(tiles, rows, columns, filled);
}

}  // namespace warpgrade::harness
