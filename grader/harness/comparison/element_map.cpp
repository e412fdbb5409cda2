#include "comparison/element_map.hpp"

#include <algorithm>

namespace warpgrade::harness {
namespace {

constexpr std::int64_t most = 32;  // rows and columns

void enter(char& cell, Mark mark) {
  if (mark == Mark::wrong) cell = '#';
  if (mark == Mark::never_written && cell == '.') cell = '?';
}

std::vector<std::string> map_of_row(const Marks& marks) {
  const auto count = static_cast<std::int64_t>(marks.values.size());
  const std::int64_t cells = std::min(count, most * most);
  std::string picture(static_cast<std::size_t>(cells), '.');
  for (std::int64_t i = 0; i < count; ++i)
    enter(picture[static_cast<std::size_t>(i * cells / count)], marks.values[static_cast<std::size_t>(i)]);
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < picture.size(); start += most)
    lines.push_back(picture.substr(start, most));
  return lines;
}

std::size_t first_wrong(const Marks& marks) {
  const auto first =
      std::find_if(marks.values.begin(), marks.values.end(), [](Mark mark) { return mark != Mark::right; });
  return first == marks.values.end() ? 0 : static_cast<std::size_t>(first - marks.values.begin());
}

// A slice of an array along two of its dimensions.
struct Slice {
  Slice(const Marks& of, const MapAxes& axes) : marks(of) {
    const Shape at = index_of(of.shape, first_wrong(of));
    rows = of.shape[axes.rows];
    columns = of.shape[axes.columns];
    std::size_t stride = 1;
    for (std::size_t d = of.shape.size(); d-- > 0;) {
      if (d == axes.rows)
        row_stride = stride;
      else if (d == axes.columns)
        column_stride = stride;
      else
        start += static_cast<std::size_t>(at[d]) * stride;
      stride *= static_cast<std::size_t>(of.shape[d]);
    }
  }
  Mark at(std::int64_t row, std::int64_t column) const {
    return marks.values[start + static_cast<std::size_t>(row) * row_stride +
                        static_cast<std::size_t>(column) * column_stride];
  }
  bool all_alike() const {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        if ((at(row, column) == Mark::right) != (at(0, 0) == Mark::right)) return false;
    return true;
  }

  const Marks& marks;
  std::int64_t rows = 0, columns = 0;
  std::size_t start = 0, row_stride = 1, column_stride = 1;
};

std::vector<std::string> map_of(const Slice& slice) {
  const std::int64_t height = std::min(slice.rows, most);
  const std::int64_t width = std::min(slice.columns, most);
  std::vector<std::string> picture(static_cast<std::size_t>(height),
                                   std::string(static_cast<std::size_t>(width), '.'));
  for (std::int64_t row = 0; row < slice.rows; ++row)
    for (std::int64_t column = 0; column < slice.columns; ++column) {
      std::string& line = picture[static_cast<std::size_t>(row * height / slice.rows)];
      enter(line[static_cast<std::size_t>(column * width / slice.columns)], slice.at(row, column));
    }
  return picture;
}

}  // namespace

MapAxes map_axes(const Marks& marks) {
  const std::size_t rank = marks.shape.size();
  if (rank < 2) return {};
  for (std::size_t columns = rank; columns-- > 1;)
    for (std::size_t rows = columns; rows-- > 0;)
      if (!Slice(marks, {rows, columns}).all_alike()) return {rows, columns};
  return {rank - 2, rank - 1};
}

std::vector<std::string> element_map(const Marks& marks) {
  return marks.shape.size() == 1 ? map_of_row(marks) : map_of(Slice(marks, map_axes(marks)));
}

}  // namespace warpgrade::harness
