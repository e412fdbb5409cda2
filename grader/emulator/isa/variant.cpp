#include "isa/variant.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "isa/processor.hpp"

namespace warpgrade::isa {
namespace {

#define WARPGRADE_TABLES(variant, ...)                                                                   \
  std::vector<Rows> variant##_tables() {                                                                 \
    using namespace variant;                                                                             \
    return {integer_rows, extended_rows, logic_rows, compare_rows,       select_rows,         move_rows, \
            float_rows,   special_rows,  half_rows,  convert_float_rows, convert_integer_rows};          \
  }
WARPGRADE_EACH_VARIANT(WARPGRADE_TABLES, )
#undef WARPGRADE_TABLES

// "v3" of "lanes_v3".
constexpr const char* level_of(const char* variant) { return variant + std::string_view("lanes_").size(); }

// A variant's own tables, followed by those that all variants share.
std::vector<Rows> with_rare(std::vector<Rows> tables) {
  using namespace rare;
  tables.insert(tables.end(), {integer_rows, float_rows, half_rows, compare_rows, compare_half_rows,
                               video_rows, convert_integer_rows, convert_float_rows, convert_pack_rows});
  return tables;
}

std::vector<LaneVariant> make_variants() {
  std::vector<LaneVariant> all;
#define WARPGRADE_VARIANT(variant, ...)                                                                 \
  all.push_back({level_of(#variant), processor_runs(level_of(#variant)), with_rare(variant##_tables()), \
                 &variant::matrix_math});
  WARPGRADE_EACH_VARIANT(WARPGRADE_VARIANT, )
#undef WARPGRADE_VARIANT
  return all;
}

// The message: the error and its remedy.
[[noreturn]] void none_runs(std::string_view wanted, bool known) {
  std::string what = "this processor lacks the instructions of all code that was built here";
  if (!wanted.empty()) {
    what = "WARPGRADE_LANES=" + std::string(wanted) +
           (known ? ": this processor lacks its instructions" : ": not built, or unknown") +
           "; leave it unset";
  }
  throw std::runtime_error(what + ", or type `make tools LEVELS=all`");
}

}  // namespace

std::span<const LaneVariant> variants() {
  static const auto& all = *new const std::vector<LaneVariant>(make_variants());
  return all;
}

const LaneVariant& chosen_variant() {
  const char* named = std::getenv("WARPGRADE_LANES");
  const std::string_view wanted = named != nullptr ? named : "";
  const LaneVariant* best = nullptr;
  for (const LaneVariant& variant : variants()) {
    if (wanted.empty() ? variant.runs_here : wanted == variant.name) best = &variant;
  }
  if (best == nullptr || !best->runs_here) none_runs(wanted, best != nullptr);
  return *best;
}

}  // namespace warpgrade::isa
