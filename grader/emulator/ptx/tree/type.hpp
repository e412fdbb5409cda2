// The types and state spaces of PTX (manual, 5.1 and 5.2).
#pragma once

#include <cstdint>
#include <string_view>

namespace warpgrade::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  e4m3,
  e5m2,
  f32,
  f64,
};
int size_in_bytes(Type type);                // 0 for none, 1 for pred
Type type_from_name(std::string_view name);  // "s32" → s32; none if it is not a type's name
std::string_view type_name(Type type);       // s32 → "s32"
bool is_integer(Type type);                  // u8 to s64
bool is_signed(Type type);                   // s8 to s64
bool is_integer_or_bits(Type type);          // b8 to s64
bool is_float(Type type);                    // f16, f16x2, f32, f64

enum class Space : std::uint8_t { none, reg, global, shared, constant, local, param, generic };

}  // namespace warpgrade::ptx
