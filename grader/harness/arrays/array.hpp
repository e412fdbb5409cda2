// A named array on the host: elements of one type, in row-major order, of any rank.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/element_type.hpp"
#include "base/errors.hpp"

namespace warpgrade::harness {

using Shape = std::vector<std::int64_t>;  // the extents; elements are adjacent along the last dimension

// A scratch array passes values from one kernel to the next. It is guarded like an output and never compared.
enum class Role { input, output, inout, scratch };

const char* name_of(Role role);

std::size_t element_count(const Shape& shape);

// "[3][4]" of element number `index` in an array of this shape.
std::string subscript(const Shape& shape, std::size_t index);
// The index of element number `index` in each dimension.
Shape index_of(const Shape& shape, std::size_t index);

struct Array {
  std::string name;
  ElementType type = ElementType::f32;
  Shape shape;
  Role role = Role::input;
  std::vector<std::byte> bytes;

  std::size_t count() const { return element_count(shape); }
  RawNumber at(std::size_t index) const { return load_element(type, &bytes[index * size_of(type)]); }
  // An integer as a double.
  double number(std::size_t index) const {
    const RawNumber raw = at(index);
    return is_floating(type) ? raw.value : static_cast<double>(raw.integer);
  }
  void set(std::size_t index, const RawNumber& number) {
    store_element(type, &bytes[index * size_of(type)], number);
  }
  template <class T>
  T* data() {
    require(type_of<T>());
    return reinterpret_cast<T*>(bytes.data());
  }
  template <class T>
  const T* data() const {
    require(type_of<T>());
    return reinterpret_cast<const T*>(bytes.data());
  }
  // Throws a DataError if the elements have another type.
  void require(ElementType wanted) const;
};

// Throws a DataError if the name has characters other than letters, digits and underscores, an extent is not
// positive, or the array has too many bytes.
Array make_array(const std::string& name, ElementType type, const Shape& shape, Role role);

}  // namespace warpgrade::harness
