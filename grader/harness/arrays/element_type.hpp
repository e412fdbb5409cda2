// The types that an array's elements may have.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "arrays/narrow_float.hpp"

namespace warpgrade::harness {

enum class ElementType { u8, i8, u16, i16, u32, i32, u64, i64, half, bfloat16, f32, f64 };

std::size_t size_of(ElementType type);  // in bytes
bool is_floating(ElementType type);
const char* name_of(ElementType type);     // "float", "u8", … as cases.json writes it
const char* numpy_type(ElementType type);  // "<f4", …; bfloat16, which NumPy lacks, is "<u2"
// Half the distance from 1 to the next number of a floating-point type.
double unit_roundoff(ElementType type);
// Throws a DataError for a name that name_of never returns.
ElementType type_named(const std::string& name);

template <class T>
constexpr ElementType type_of() {
  if constexpr (std::is_same_v<T, float>) return ElementType::f32;
  if constexpr (std::is_same_v<T, double>) return ElementType::f64;
  if constexpr (std::is_same_v<T, Float16>) return ElementType::half;
  if constexpr (std::is_same_v<T, Bfloat16>) return ElementType::bfloat16;
  if constexpr (std::is_integral_v<T>) {
    constexpr int first = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return static_cast<ElementType>(first + (std::is_signed_v<T> ? 1 : 0));
  }
}

// An element in memory as a number, and back. Integers have all of their 64 bits in `integer`.
struct RawNumber {
  double value = 0;
  std::int64_t integer = 0;  // for integer types; u64 by its bits
};
RawNumber load_element(ElementType type, const std::byte* from);
void store_element(ElementType type, std::byte* to, const RawNumber& number);

}  // namespace warpgrade::harness
