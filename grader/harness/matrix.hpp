// A row-major matrix on the host.
#pragma once
#include <cstddef>
#include <vector>

namespace warpgrade::harness {

template <class T>
struct Matrix {
  Matrix() = default;
  Matrix(int row_count, int column_count) : rows(row_count), columns(column_count), values(index(rows, 0)) {}

  T& at(int row, int column) { return values[index(row, column)]; }
  const T& at(int row, int column) const { return values[index(row, column)]; }
  std::size_t bytes() const { return values.size() * sizeof(T); }

  int rows = 0;
  int columns = 0;
  std::vector<T> values;

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

}  // namespace warpgrade::harness
