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

// `marks` has rows × columns of them, from element `start` on.
std::vector<std::string> map_of_matrix(const Marks& marks, std::int64_t rows, std::int64_t columns,
                                       std::size_t start) {
  const std::int64_t height = std::min(rows, most);
  const std::int64_t width = std::min(columns, most);
  std::vector<std::string> picture(static_cast<std::size_t>(height),
                                   std::string(static_cast<std::size_t>(width), '.'));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      std::string& line = picture[static_cast<std::size_t>(row * height / rows)];
      enter(line[static_cast<std::size_t>(column * width / columns)],
            marks.values[start + static_cast<std::size_t>(row * columns + column)]);
    }
  return picture;
}

}  // namespace

std::vector<std::string> element_map(const Marks& marks) {
  const std::size_t rank = marks.shape.size();
  if (rank == 1) return map_of_row(marks);
  const std::int64_t rows = marks.shape[rank - 2], columns = marks.shape[rank - 1];
  const auto first =
      std::find_if(marks.values.begin(), marks.values.end(), [](Mark mark) { return mark != Mark::right; });
  const auto slice = static_cast<std::size_t>(rows * columns);
  const std::size_t start = static_cast<std::size_t>(first - marks.values.begin()) / slice * slice;
  return map_of_matrix(marks, rows, columns, start < marks.values.size() ? start : 0);
}

}  // namespace warpgrade::harness
