#include "arrays/element_type.hpp"

#include "base/errors.hpp"

namespace warpgrade::harness {

ElementType type_named(const std::string& name) {
  for (std::size_t i = 0; i < std::size(element_type_facts); ++i)
    if (name == element_type_facts[i].name) return static_cast<ElementType>(i);
  throw DataError("'" + name + "' is not a type of elements");
}

}  // namespace warpgrade::harness
