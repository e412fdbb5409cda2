#include "isa/variant.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace warpgrade::isa {
namespace {

#define WARPGRADE_TABLES(variant)                                                                        \
  std::vector<Rows> variant##_tables() {                                                                 \
    using namespace variant;                                                                             \
    return {integer_rows, extended_rows, logic_rows, compare_rows,       select_rows,         move_rows, \
            float_rows,   special_rows,  half_rows,  convert_float_rows, convert_integer_rows};          \
  }
WARPGRADE_EACH_VARIANT(WARPGRADE_TABLES)
#undef WARPGRADE_TABLES

// A variant's own tables, followed by those that all variants share.
std::vector<Rows> with_rare(std::vector<Rows> tables) {
  using namespace rare;
  tables.insert(tables.end(), {integer_rows, float_rows, half_rows, compare_rows, compare_half_rows,
                               video_rows, convert_integer_rows, convert_float_rows, convert_pack_rows});
  return tables;
}

std::vector<LaneVariant> make_variants() {
  std::vector<LaneVariant> all = {{"v1", true, with_rare(lanes_v1_tables()), &lanes_v1::matrix_math}};
#ifndef WARPGRADE_ONLY_V1
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
                  __builtin_cpu_supports("movbe");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  all.push_back({"v3", v3, with_rare(lanes_v3_tables()), &lanes_v3::matrix_math});
  all.push_back({"v4", v4, with_rare(lanes_v4_tables()), &lanes_v4::matrix_math});
#endif
  return all;
}

}  // namespace

std::span<const LaneVariant> variants() {
  static const auto& all = *new const std::vector<LaneVariant>(make_variants());
  return all;
}

const LaneVariant& chosen_variant() {
  const char* wanted = std::getenv("WARPGRADE_LANES");
  const LaneVariant* best = nullptr;
  for (const LaneVariant& variant : variants()) {
    if (wanted != nullptr && *wanted != '\0') {
      if (std::string(wanted) == variant.name) best = &variant;
    } else if (variant.runs_here) {
      best = &variant;
    }
  }
  if (best == nullptr || !best->runs_here) {
    throw std::runtime_error("WARPGRADE_LANES=" + std::string(wanted ? wanted : "") +
                             (best ? ": this processor lacks its instructions" : ": unknown") +
                             "; leave it unset, or use v1");
  }
  return *best;
}

}  // namespace warpgrade::isa
