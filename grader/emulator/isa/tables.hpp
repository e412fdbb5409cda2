// The tables of each variant of the lane code. They are constant data: no code of a variant runs before it is
// chosen.
#pragma once

#include <cstddef>

#include "isa/each_variant.hpp"
#include "isa/operation.hpp"

namespace warpgrade::isa {

struct Rows {
  const Operation* first;
  std::size_t count;
  Attributes attributes = Attribute::repeatable;  // attributes that all its rows have
};
struct MatrixMath;

WARPGRADE_DECLARE_LANES(extern const Rows integer_rows, extended_rows, logic_rows, compare_rows, select_rows;
                        extern const Rows move_rows, float_rows, special_rows, half_rows;
                        extern const Rows convert_integer_rows, convert_float_rows;
                        extern const MatrixMath matrix_math;)
namespace rare {  // the same for all variants
extern const Rows compare_rows, compare_half_rows, convert_integer_rows, convert_float_rows;
extern const Rows convert_pack_rows, float_rows, half_rows, integer_rows, video_rows;
}  // namespace rare

}  // namespace warpgrade::isa

#define WARPGRADE_DEFINE_ROWS(name, table, ...) \
  extern constinit const Rows name { table, sizeof(table) / sizeof(table[0]) __VA_OPT__(, ) __VA_ARGS__ }
