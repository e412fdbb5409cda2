// Rows of the rarer integer instructions.
#include "isa/functors/integer.hpp"
#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {
namespace {

using i8 = std::int8_t;
using n8 = std::uint8_t;
using i16 = std::int16_t;
using n16 = std::uint16_t;

using ADD_U16X2 = Halves<Add, n16>;
using MIN_U16X2 = Halves<Minimum, n16>;
using MIN_S16X2 = Halves<Minimum, i16>;
using MIN_RELU_S16X2 = Halves<Relu<Minimum>, i16>;
using MAX_U16X2 = Halves<Maximum, n16>;
using MAX_S16X2 = Halves<Maximum, i16>;
using MAX_RELU_S16X2 = Halves<Relu<Maximum>, i16>;
using DP2A_LO_UU = DotProduct<n16, n8, 2>;
using DP2A_LO_US = DotProduct<n16, i8, 2>;
using DP2A_LO_SU = DotProduct<i16, n8, 2>;
using DP2A_LO_SS = DotProduct<i16, i8, 2>;
using DP2A_HI_UU = DotProduct<n16, n8, 2, 2>;
using DP2A_HI_US = DotProduct<n16, i8, 2, 2>;
using DP2A_HI_SU = DotProduct<i16, n8, 2, 2>;
using DP2A_HI_SS = DotProduct<i16, i8, 2, 2>;

constexpr Operation kRows[] = {
#include "isa/rows/integer_rare.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(integer_rows, kRows);
}  // namespace warpgrade::isa::rare
