#include "cases/dataset.hpp"

#include <algorithm>
#include <limits>

#include "arrays/random_values.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t most_bytes = std::size_t{8} << 30;  // bytes of all arrays of a case

}  // namespace

void View::find() {
  position_ = data_->position(name_);
  if (wants_expected_) expected_ = &data_->expected(name_);
}

void View::refuse(const std::string& what) const {
  throw DataError("the lab's make() indexes the array '" + name_ + "' " + what);
}

const Shape& View::shape() const { return data_->arrays_[position_].shape; }

std::int64_t View::size() const { return static_cast<std::int64_t>(element_count(shape())); }

// --- the data set ----------------------------------------------------------------------------------------

int Dataset::as_int(const std::string& parameter) const {
  const std::int64_t value = task.parameter(parameter);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    throw DataError("case '" + task.name + "': " + parameter + " does not fit an int");
  return static_cast<int>(value);
}

Case Dataset::again() const {
  Case other = task;
  other.seed = mix_bits(task.seed ^ 0x5eed);
  return other;
}

Array& Dataset::add(Array array) {
  if (has(array.name)) throw DataError("two arrays are called '" + array.name + "'");
  std::size_t bytes = array.bytes.size();
  for (const Array& other : arrays_) bytes += other.bytes.size();
  if (bytes > most_bytes) throw DataError("the arrays of case '" + task.name + "' have more than 8 GiB");
  if (array.role == Role::output || array.role == Role::inout) {
    Expected& expected = expected_[array.name];
    expected.type = array.type;
    expected.values = {
        array.name, is_floating(array.type) ? ElementType::f64 : array.type, array.shape, array.role, {}};
  }
  if (array.role == Role::output || array.role == Role::scratch)
    array.bytes.clear();  // no values before the launch
  arrays_.push_back(std::move(array));
  return arrays_.back();
}

View Dataset::add_filled(const std::string& name, ElementType type, const Shape& shape, Role role) {
  Array& array = add(make_array(name, type, shape, role));
  fill_random(array, task.values, task.seed);
  if (role == Role::inout) {
    Expected& expected = expected_.at(name);
    for (std::size_t i = 0, count = array.count(); i < count; ++i)
      expected.set(i, Number(array.at(i), !is_floating(type)), 0);
  }
  return View(*this, name, false);
}

View Dataset::expected_of(const std::string& name) {
  expected(name);  // throws if the array is an input
  return View(*this, name, true);
}

bool Dataset::has(const std::string& name) const {
  return std::any_of(arrays_.begin(), arrays_.end(), [&](const Array& array) { return array.name == name; });
}

std::size_t Dataset::position(const std::string& name) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].name == name) return i;
  throw DataError("case '" + task.name + "' has no array called " + name);
}

Array& Dataset::array(const std::string& name) { return arrays_[position(name)]; }
const Array& Dataset::array(const std::string& name) const { return arrays_[position(name)]; }

Expected& Dataset::expected(const std::string& name) {
  return const_cast<Expected&>(static_cast<const Dataset&>(*this).expected(name));
}

const Expected& Dataset::expected(const std::string& name) const {
  const auto found = expected_.find(name);
  if (found == expected_.end()) throw DataError("the array '" + name + "' is not an output");
  return found->second;
}

}  // namespace warpgrade::harness
