#include "ptx/tree/type.hpp"

#include <array>

namespace warpgrade::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  Type type;
  int bytes;
};

// PTX ISA, 5.2 "Types".
constexpr std::array<TypeRow, 23> kTypes{{
    {"pred", Type::pred, 1}, {"b8", Type::b8, 1},         {"b16", Type::b16, 2},   {"b32", Type::b32, 4},
    {"b64", Type::b64, 8},   {"b128", Type::b128, 16},    {"u8", Type::u8, 1},     {"u16", Type::u16, 2},
    {"u32", Type::u32, 4},   {"u64", Type::u64, 8},       {"s8", Type::s8, 1},     {"s16", Type::s16, 2},
    {"s32", Type::s32, 4},   {"s64", Type::s64, 8},       {"f16", Type::f16, 2},   {"f16x2", Type::f16x2, 4},
    {"bf16", Type::bf16, 2}, {"bf16x2", Type::bf16x2, 4}, {"tf32", Type::tf32, 4}, {"e4m3", Type::e4m3, 1},
    {"e5m2", Type::e5m2, 1}, {"f32", Type::f32, 4},       {"f64", Type::f64, 8},
}};

}  // namespace

int size_in_bytes(Type type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.bytes;
  return 0;
}

Type type_from_name(std::string_view name) {
  for (const TypeRow& row : kTypes)
    if (row.name == name) return row.type;
  return Type::none;
}

std::string_view type_name(Type type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.name;
  return "none";
}

bool is_integer(Type type) { return type >= Type::u8 && type <= Type::s64; }
bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }
bool is_integer_or_bits(Type type) { return type >= Type::b8 && type <= Type::s64; }
bool is_float(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::f32 || type == Type::f64;
}

}  // namespace warpgrade::ptx
