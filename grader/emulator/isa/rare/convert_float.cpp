// The rows of cvt between integers and floating types, and between floating types, that casts do not become.
#include "isa/lanes/convert_rows.hpp"
#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {
namespace {

constexpr Operation kRows[] = {
#include "isa/rows/convert_float_rare.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_float_rows, kRows);
}  // namespace warpgrade::isa::rare
