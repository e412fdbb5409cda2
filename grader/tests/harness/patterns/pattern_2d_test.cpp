#include "patterns/pattern_places.hpp"

#include <doctest/doctest.h>

#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

TEST_CASE("the last, partial tile column or row") {
  const Dataset data = sample_data(20, 37, 5);
  const auto in_column = [](int, int column) { return column >= 32; };
  const auto in_row = [](int row, int) { return row >= 16; };
  const auto in_either = [](int row, int column) { return row >= 16 || column >= 32; };
  CHECK(pattern_of(data, spoilt(data, in_column, nonsense)).name == "last-tile-column");
  CHECK(pattern_of(data, spoilt(data, in_row, nonsense)).name == "last-tile-row");
  CHECK(pattern_of(data, spoilt(data, in_either, nonsense)).name == "last-tile-row-or-column");
}

TEST_CASE("a full last tile column is nothing special, and neither is the only one") {
  const Dataset full = sample_data(20, 32, 5);
  CHECK(pattern_of(full, spoilt(
                             full, [](int row, int column) { return row < 3 && column >= 16; }, nonsense))
            .name == "scattered");
  const Dataset single = sample_data(40, 9, 5);
  CHECK(pattern_of(single, spoilt(
                               single, [](int row, int) { return row == 3; }, nonsense))
            .name == "scattered");
}

TEST_CASE("whole rows, columns or tiles that are wrong, with one right by chance") {
  const Dataset data = sample_data(70, 50, 5);  // 5 × 4 tiles, the last ones partial
  const auto in_rows = [](int row, int) { return row / 16 == 1 || row / 16 == 2 || row / 16 == 4; };
  const Pattern rows = pattern_of(data, spoilt(data, in_rows, nonsense));
  CHECK(rows.name == "tile-rows");
  CHECK(contains(rows.words, "1–2, 4"));
  const auto in_columns = [](int row, int column) { return column / 16 == 2 && !(row == 3 && column == 40); };
  const Pattern columns = pattern_of(data, spoilt(data, in_columns, nonsense));
  CHECK(columns.name == "tile-columns");
  CHECK(contains(columns.words, ": 2,"));
  const auto here_and_there = [](int row, int column) { return (row / 16 + column / 16) % 2 == 1; };
  const Pattern tiles = pattern_of(data, spoilt(data, here_and_there, nonsense));
  CHECK(tiles.name == "tiles");
  CHECK(contains(tiles.words, "10 of 20 tiles"));
}

TEST_CASE("rows that end within a tile, or tiles of one element, are scattered") {
  const Dataset data = sample_data(70, 50, 5);
  const auto half = [](int row, int) { return row / 8 % 2 == 1; };
  CHECK(pattern_of(data, spoilt(data, half, nonsense)).name == "scattered");
  const auto whole = [](int row, int) { return row / 16 == 1; };
  CHECK(pattern_of(data, spoilt(data, whole, nonsense), shape_of({256, 1, 1, 1})).name == "scattered");
}

TEST_CASE("beside-diagonal: rows and columns are exchanged in an input") {
  const Dataset data = sample_data(20, 20, 5);
  const auto beside = [](int row, int column) { return row != column; };
  const auto value = [](int row, int column) { return 1e6f + static_cast<float>(100 * row + column); };
  CHECK(pattern_of(data, spoilt(data, beside, value)).name == "beside-diagonal");
}
