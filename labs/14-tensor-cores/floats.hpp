// Half precision as floats: the checks of all products compute with those.
#pragma once
#include <string>
#include <vector>

#include "lab.hpp"
#include "matrix_rounds.hpp"

using namespace warpgrade::harness;

// The halves of a matrix as floats, with which the checks of all products compute.
class Floats {
 public:
  explicit Floats(const Array& matrix)
      : rows_(static_cast<int>(matrix.shape[0])), columns_(static_cast<int>(matrix.shape[1])) {
    const Float16* const halves = matrix.data<Float16>();
    for (std::size_t i = 0; i < matrix.count(); ++i) values_.push_back(static_cast<float>(halves[i].value()));
  }
  Matrix<const float> matrix() const { return {rows_, columns_, values_.data()}; }
  Array array(const std::string& name) const {
    Array found = make_array(name, ElementType::f32, {rows_, columns_}, Role::input);
    std::copy(values_.begin(), values_.end(), found.data<float>());
    return found;
  }

 private:
  int rows_, columns_;
  std::vector<float> values_;
};
