// Rows of cvt between integers and floating types, and between floating types, in the forms that casts and
// rounding functions become.
#include "isa/lanes/convert_rows.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

constexpr Operation kRows[] = {
#include "isa/rows/convert_float.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_float_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
