// A row-major matrix of an array's elements.
#pragma once
#include <cstddef>

#include "arrays/array.hpp"

namespace warpgrade::harness {

// Refers to elements that another object owns.
template <class T>
struct Matrix {
  T& at(int row, int column) const {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }

  int rows = 0;
  int columns = 0;
  T* values = nullptr;
};

template <class T>
Matrix<const T> matrix_of(const Array& array) {
  return {static_cast<int>(array.shape.at(0)), static_cast<int>(array.shape.at(1)), array.data<T>()};
}

template <class T>
Matrix<T> matrix_of(Array& array) {
  return {static_cast<int>(array.shape.at(0)), static_cast<int>(array.shape.at(1)), array.data<T>()};
}

}  // namespace warpgrade::harness
