// The data of one case: its arrays and the expected results.
#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays/array.hpp"
#include "arrays/number.hpp"
#include "cases/case.hpp"

namespace warpgrade::harness {

// The expected values of an output, as double or in the array's own integer type, and the tolerance of each
// element.
struct Expected {
  double tolerance_of(std::size_t index) const { return tolerance.empty() ? 0 : tolerance[index]; }
  // With the scale of the terms that were added so far: a lab may add to an element in place.
  Number at(std::size_t index) const;
  void set(std::size_t index, const Number& number, double allowed);

  Array values;                         // without bytes until the first one is set
  ElementType type = ElementType::f32;  // type of the output itself
  std::vector<double> tolerance;        // empty: every element must be exact
};

class Dataset;

// One element of an array of a data set, in the oracle of a lab.
class ArrayElement {
 public:
  ArrayElement(Array* array, Expected* expected, std::size_t index)
      : array_(array), expected_(expected), index_(index) {}
  ArrayElement(const ArrayElement&) = default;
  operator Number() const;  // the value before the launch; for an output, the expected value
  // Sets the expected value of an output, with the tolerance that belongs to it.
  const ArrayElement& operator=(const Number& number) const;
  ArrayElement& operator=(const ArrayElement& other) {
    *this = Number(other);
    return *this;
  }
  const ArrayElement& operator+=(const Number& number) const { return *this = Number(*this) + number; }
  const ArrayElement& operator-=(const Number& number) const { return *this = Number(*this) - number; }
  const ArrayElement& operator*=(const Number& number) const { return *this = Number(*this) * number; }
  std::int64_t integer() const { return Number(*this).integer(); }
  double value() const { return Number(*this).value(); }

 private:
  Array* array_;        // the values before the launch; null to mean the expected ones
  Expected* expected_;  // null for an input
  std::size_t index_;
};

// Access to an array of a data set by indices: A(row, column).
class View {
 public:
  View(Dataset& data, std::string name, bool wants_expected)
      : data_(&data), name_(std::move(name)), wants_expected_(wants_expected) {
    find();
  }
  template <class... Index>
  ArrayElement operator()(Index... index) const {
    const std::array<std::int64_t, sizeof...(index)> indices = {static_cast<std::int64_t>(index)...};
    return at(indices);
  }
  const Shape& shape() const;
  std::int64_t size() const;

 private:
  template <std::size_t N>
  ArrayElement at(const std::array<std::int64_t, N>& indices) const;
  void find();
  [[noreturn]] void refuse(const std::string& what) const;

  Dataset* data_;
  std::string name_;
  bool wants_expected_;
  std::size_t position_ = 0;
  Expected* expected_ = nullptr;  // set if the view is of the expected values
};

class Dataset {
 public:
  explicit Dataset(Case of = {}) : task(std::move(of)) {}

  // A parameter of the case.
  std::int64_t operator[](const std::string& parameter) const { return task.parameter(parameter); }
  int as_int(const std::string& parameter) const;
  // This case with the values of another seed.
  Case again() const;

  // An input, filled by the case's kind of values (fill_random); a lab may assign other values.
  template <class T>
  View input(const std::string& name, const Shape& shape) {
    return add_filled(name, type_of<T>(), shape, Role::input);
  }
  // An output. The lab's oracle assigns the expected values to its elements; unassigned ones are 0.
  template <class T>
  View output(const std::string& name, const Shape& shape) {
    add(make_array(name, type_of<T>(), shape, Role::output));
    return View(*this, name, true);
  }
  // An array that the kernels change, filled like an input. `expected(name)` has the expected values, at
  // first a copy of the input.
  template <class T>
  View inout(const std::string& name, const Shape& shape) {
    return add_filled(name, type_of<T>(), shape, Role::inout);
  }
  View expected_of(const std::string& name);
  // A scratch array of the kernels, for example for partial sums that one kernel passes to the next.
  template <class T>
  void scratch(const std::string& name, const Shape& shape) {
    add(make_array(name, type_of<T>(), shape, Role::scratch));
  }

  bool has(const std::string& name) const;
  Array& array(const std::string& name);
  const Array& array(const std::string& name) const;
  const std::vector<Array>& arrays() const { return arrays_; }
  Expected& expected(const std::string& name);
  const Expected& expected(const std::string& name) const;
  Array& add(Array array);  // throws a DataError if there is one of that name

  Case task;
  // What memory holds where a program, which allocates it, has written nothing. None: outputs hold marks.
  std::optional<std::byte> unwritten = {};

 private:
  friend class View;
  View add_filled(const std::string& name, ElementType type, const Shape& shape, Role role);
  std::size_t position(const std::string& name) const;

  std::vector<Array> arrays_;
  std::map<std::string, Expected> expected_;  // for each output and inout array
};

// --- inline: a lab reads and writes each element by these
// ---------------------------------------------------

inline Number Expected::at(std::size_t index) const {
  if (values.bytes.empty()) return is_floating(values.type) ? Number(0.0) : Number(0);
  const Number number(values.at(index), !is_floating(values.type));
  const double allowed = tolerance_of(index);
  return allowed == 0 ? number : number.with_scale(allowed / rounding_tolerance(type, 1));
}

inline void Expected::set(std::size_t index, const Number& number, double allowed) {
  if (values.bytes.empty()) values.bytes.resize(values.count() * size_of(values.type));
  values.set(index, {number.value(), number.integer()});
  if (allowed > 0 && tolerance.empty()) tolerance.resize(values.count());
  if (!tolerance.empty()) tolerance[index] = allowed;
}

inline ArrayElement::operator Number() const {
  if (expected_) return expected_->at(index_);
  return Number(array_->at(index_), !is_floating(array_->type));
}

inline const ArrayElement& ArrayElement::operator=(const Number& number) const {
  if (expected_)
    expected_->set(index_, number, number.tolerance(expected_->type));
  else
    array_->set(index_, {number.value(), number.integer()});
  return *this;
}

template <std::size_t N>
ArrayElement View::at(const std::array<std::int64_t, N>& indices) const {
  Array& array = data_->arrays_[position_];
  if (N != array.shape.size())
    refuse("with " + std::to_string(N) + " indices; it has " + std::to_string(array.shape.size()) +
           " dimensions");
  std::size_t index = 0;
  for (std::size_t i = 0; i < N; ++i) {
    if (indices[i] < 0 || indices[i] >= array.shape[i]) refuse("outside its extents");
    index = index * static_cast<std::size_t>(array.shape[i]) + static_cast<std::size_t>(indices[i]);
  }
  return {&array, expected_, index};
}

}  // namespace warpgrade::harness
