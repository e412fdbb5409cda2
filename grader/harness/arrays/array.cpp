#include "arrays/array.hpp"

#include <algorithm>
#include <cctype>

namespace warpgrade::harness {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 32;  // bytes of one array

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw DataError("the array '" + name + "' " + what);
}

}  // namespace

const char* name_of(Role role) {
  switch (role) {
    case Role::input:
      return "input";
    case Role::output:
      return "output";
    case Role::inout:
      return "inout";
    case Role::scratch:
      return "scratch";
  }
  return "";
}

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

Shape index_of(const Shape& shape, std::size_t index) {
  Shape at(shape.size());
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[dimension]);
    at[dimension] = static_cast<std::int64_t>(index % extent);
    index /= extent;
  }
  return at;
}

std::string subscript(const Shape& shape, std::size_t index) {
  std::string text;
  for (const std::int64_t i : index_of(shape, index)) text += "[" + std::to_string(i) + "]";
  return text;
}

void Array::require(ElementType wanted) const {
  if (wanted != type)
    refuse(name, std::string("holds elements of type ") + name_of(type) + ", not " + name_of(wanted));
}

Array make_array(const std::string& name, ElementType type, const Shape& shape, Role role) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), allowed))
    refuse(name, "needs a name of letters, digits and '_'");
  if (shape.empty()) refuse(name, "has no extents");
  std::size_t bytes = size_of(type);
  for (const std::int64_t extent : shape) {
    if (extent < 1) refuse(name, "has an extent of " + std::to_string(extent) + "; each must be at least 1");
    if (static_cast<std::size_t>(extent) > most_bytes / bytes) refuse(name, "has more than 4 GiB");
    bytes *= static_cast<std::size_t>(extent);
  }
  return {name, type, shape, role, std::vector<std::byte>(bytes)};
}

}  // namespace warpgrade::harness
