// The modifiers of PTX instructions as numbers: the parser interns them.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/tree/type.hpp"

namespace warpgrade::ptx {

enum class Modifier : std::uint16_t {
  unknown,
#define MODIFIER(name, text) name,
#include "ptx/tree/modifiers.def"
  kCount
};
using ModifierSet = std::bitset<static_cast<std::size_t>(Modifier::kCount)>;

Modifier modifier_from_name(std::string_view name);  // unknown where it is not in modifiers.def
std::string_view name_of(Modifier modifier);         // empty for unknown

Type type_of(Modifier modifier);           // none if it does not name a type
Space space_of(Modifier modifier);         // none if it does not name a state space
int vector_length_of(Modifier modifier);   // 0 if it is not v2, v4 or v8
bool is_strong(Modifier modifier);         // a memory order: volatile, relaxed, acquire …
bool is_caching(Modifier modifier);        // a scope or cache hint, which changes no result here
bool is_atomic(Modifier modifier);         // an operation of atom and red
bool is_number_format(Modifier modifier);  // a type, or the format of packed numbers: e4m3x2, u4

}  // namespace warpgrade::ptx
