// The types that an array's elements may have.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "arrays/narrow_float.hpp"

namespace warpgrade::harness {

enum class ElementType { u8, i8, u16, i16, u32, i32, u64, i64, half, bfloat16, f32, f64 };

struct ElementTypeFacts {
  const char* name;   // the name in cases.json
  const char* numpy;  // bfloat16, which NumPy lacks, is "<u2"
  std::size_t size;   // in bytes
  double roundoff;    // half the distance from 1 to the next number; 0 for integers
};

// Indexed by ElementType.
inline constexpr ElementTypeFacts element_type_facts[] = {
    {"u8", "|u1", 1, 0},          {"i8", "|i1", 1, 0},
    {"u16", "<u2", 2, 0},         {"i16", "<i2", 2, 0},
    {"u32", "<u4", 4, 0},         {"i32", "<i4", 4, 0},
    {"u64", "<u8", 8, 0},         {"i64", "<i8", 8, 0},
    {"half", "<f2", 2, 0x1p-11},  {"bfloat16", "<u2", 2, 0x1p-8},
    {"float", "<f4", 4, 0x1p-24}, {"double", "<f8", 8, 0x1p-53}};

constexpr const ElementTypeFacts& facts_of(ElementType type) {
  return element_type_facts[static_cast<std::size_t>(type)];
}
constexpr std::size_t size_of(ElementType type) { return facts_of(type).size; }
constexpr bool is_floating(ElementType type) { return facts_of(type).roundoff > 0; }
constexpr const char* name_of(ElementType type) { return facts_of(type).name; }
constexpr const char* numpy_type(ElementType type) { return facts_of(type).numpy; }
constexpr double unit_roundoff(ElementType type) { return facts_of(type).roundoff; }
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
  std::int64_t integer = 0;  // for integer types; the bits of a u64
};

// Calls `visit` with a value of the C++ type that `type` stands for, and returns what it returns.
template <class Visit>
decltype(auto) with_type(ElementType type, Visit visit) {
  switch (type) {
    case ElementType::u8:
      return visit(std::uint8_t());
    case ElementType::i8:
      return visit(std::int8_t());
    case ElementType::u16:
      return visit(std::uint16_t());
    case ElementType::i16:
      return visit(std::int16_t());
    case ElementType::u32:
      return visit(std::uint32_t());
    case ElementType::i32:
      return visit(std::int32_t());
    case ElementType::u64:
      return visit(std::uint64_t());
    case ElementType::i64:
      return visit(std::int64_t());
    case ElementType::half:
      return visit(Float16());
    case ElementType::bfloat16:
      return visit(Bfloat16());
    case ElementType::f32:
      return visit(float());
    case ElementType::f64:
      break;
  }
  return visit(double());
}

template <class T>
RawNumber raw_number(T element) {
  if constexpr (std::is_class_v<T>)
    return {element.value(), 0};
  else if constexpr (std::is_integral_v<T>)
    return {static_cast<double>(element), static_cast<std::int64_t>(element)};
  else
    return {static_cast<double>(element), 0};
}

template <class T>
T element_of(const RawNumber& number) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(number.integer);
  else
    return static_cast<T>(number.value);
}

// Inline, because the oracle of a lab and the comparison of results call them for each element.
inline RawNumber load_element(ElementType type, const std::byte* from) {
  return with_type(type, [&]<class T>(T element) {
    std::memcpy(&element, from, sizeof element);
    return raw_number(element);
  });
}
inline void store_element(ElementType type, std::byte* to, const RawNumber& number) {
  with_type(type, [&]<class T>(T element) {
    element = element_of<T>(number);
    std::memcpy(to, &element, sizeof element);
  });
}

}  // namespace warpgrade::harness
