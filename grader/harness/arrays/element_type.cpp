#include "arrays/element_type.hpp"

#include <array>
#include <cstring>

#include "base/errors.hpp"

namespace warpgrade::harness {
namespace {

struct Facts {
  const char* name;
  const char* numpy;
  std::size_t size;
  double roundoff;  // 0 for integers
};

// In the order of ElementType.
constexpr std::array<Facts, 12> facts = {{{"u8", "|u1", 1, 0},
                                          {"i8", "|i1", 1, 0},
                                          {"u16", "<u2", 2, 0},
                                          {"i16", "<i2", 2, 0},
                                          {"u32", "<u4", 4, 0},
                                          {"i32", "<i4", 4, 0},
                                          {"u64", "<u8", 8, 0},
                                          {"i64", "<i8", 8, 0},
                                          {"half", "<f2", 2, 0x1p-11},
                                          {"bfloat16", "<u2", 2, 0x1p-8},
                                          {"float", "<f4", 4, 0x1p-24},
                                          {"double", "<f8", 8, 0x1p-53}}};

const Facts& facts_of(ElementType type) { return facts[static_cast<std::size_t>(type)]; }

// Calls `visit` with a value of the C++ type that `type` stands for.
template <class Visit>
void with_type(ElementType type, Visit visit) {
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
      return visit(double());
  }
}

}  // namespace

std::size_t size_of(ElementType type) { return facts_of(type).size; }
bool is_floating(ElementType type) { return facts_of(type).roundoff > 0; }
const char* name_of(ElementType type) { return facts_of(type).name; }
const char* numpy_type(ElementType type) { return facts_of(type).numpy; }
double unit_roundoff(ElementType type) { return facts_of(type).roundoff; }

ElementType type_named(const std::string& name) {
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (name == facts[i].name) return static_cast<ElementType>(i);
  throw DataError("'" + name + "' is not a type of elements");
}

RawNumber load_element(ElementType type, const std::byte* from) {
  RawNumber number;
  with_type(type, [&]<class T>(T element) {
    std::memcpy(&element, from, sizeof element);
    if constexpr (std::is_class_v<T>) {
      number.value = element.value();
    } else {
      number.value = static_cast<double>(element);
      if constexpr (std::is_integral_v<T>) number.integer = static_cast<std::int64_t>(element);
    }
  });
  return number;
}

void store_element(ElementType type, std::byte* to, const RawNumber& number) {
  with_type(type, [&]<class T>(T element) {
    if constexpr (std::is_integral_v<T>)
      element = static_cast<T>(number.integer);
    else
      element = static_cast<T>(number.value);
    std::memcpy(to, &element, sizeof element);
  });
}

}  // namespace warpgrade::harness
