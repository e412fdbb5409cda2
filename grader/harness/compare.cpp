#include "compare.hpp"

#include <algorithm>
#include <sstream>

#include "oracle.hpp"
#include "pattern.hpp"

namespace warpgrade::harness {
namespace {

std::string number(double value) {
  std::ostringstream text;
  text.precision(9);  // enough to tell any two floats apart
  text << value;
  return text.str();
}

// A map of C: each character stands for an equal part of it.
std::vector<std::string> coarse_map(const Matrix<Mark>& marks) {
  constexpr int most = 32;
  const int height = std::min(marks.rows, most);
  const int width = std::min(marks.columns, most);
  Matrix<char> picture(height, width);
  std::fill(picture.values.begin(), picture.values.end(), '.');
  for (int row = 0; row < marks.rows; ++row)
    for (int column = 0; column < marks.columns; ++column) {
      const Mark mark = marks.at(row, column);
      char& cell = picture.at(row * height / marks.rows, column * width / marks.columns);
      if (mark == Mark::wrong) cell = '#';
      if (mark == Mark::never_written && cell == '.') cell = '?';
    }
  std::vector<std::string> lines;
  for (int row = 0; row < height; ++row)
    lines.emplace_back(&picture.at(row, 0), static_cast<std::size_t>(width));
  return lines;
}

// Sets the block, thread and tile that compute the element (wrong.row, wrong.column).
void find_owner(Wrong& wrong, const LaunchShape& shape, int m, int n) {
  wrong.block = {wrong.column / shape.columns, wrong.row / shape.rows};
  if (shape.one_output_each()) wrong.thread = {{wrong.column % shape.columns, wrong.row % shape.rows}};
  const int first_row = wrong.block[1] * shape.rows;
  const int first_column = wrong.block[0] * shape.columns;
  wrong.tile = {first_row, std::min(first_row + shape.rows, m) - 1, first_column,
                std::min(first_column + shape.columns, n) - 1};
}

std::string sentence(const Wrong& wrong, const Pattern& pattern) {
  const std::string first = "C[" + std::to_string(wrong.row) + "][" + std::to_string(wrong.column) +
                            "] should be " + number(wrong.expected);
  const std::string got =
      wrong.never_written ? " but was never written" : " but is " + number(static_cast<double>(wrong.got));
  const std::string many =
      std::to_string(wrong.count) + " of " + std::to_string(wrong.total) + " elements are wrong: ";
  if (wrong.count == 1)
    return first + got + "; it is the only wrong one of " + std::to_string(wrong.total) + ".";
  return first + got + "; " + many + pattern.words + ".";
}

Wrong explain(const Dataset& data, const Matrix<float>& result, const Matrix<Mark>& marks,
              const LaunchShape& shape) {
  const auto first =
      std::find_if(marks.values.begin(), marks.values.end(), [](Mark mark) { return mark != Mark::right; });
  const int index = static_cast<int>(first - marks.values.begin());
  Wrong wrong;
  wrong.total = static_cast<std::int64_t>(marks.values.size());
  wrong.count = wrong.total - std::count(marks.values.begin(), marks.values.end(), Mark::right);
  wrong.row = index / marks.columns;
  wrong.column = index % marks.columns;
  wrong.expected = data.C.at(wrong.row, wrong.column);
  wrong.got = result.at(wrong.row, wrong.column);
  wrong.never_written = *first == Mark::never_written;
  find_owner(wrong, shape, marks.rows, marks.columns);

  const Pattern pattern = find_pattern(data, result, marks, shape);
  wrong.pattern = pattern.name;
  wrong.phase = pattern.phase;
  wrong.explanation = sentence(wrong, pattern);
  wrong.map = coarse_map(marks);
  return wrong;
}

}  // namespace

Outcome compare(const Dataset& data, const Matrix<float>& result, const LaunchShape& shape) {
  const Matrix<Mark> marks = judge(data, result);
  const bool right =
      std::all_of(marks.values.begin(), marks.values.end(), [](Mark mark) { return mark == Mark::right; });
  if (right) return {};
  const Wrong wrong = explain(data, result, marks, shape);
  Outcome outcome = Outcome::failure(Status::wrong_answer, wrong.explanation);
  outcome.wrong = wrong;
  return outcome;
}

}  // namespace warpgrade::harness
