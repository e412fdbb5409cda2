// Rows of the integer instructions.
#include "isa/functors/integer.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

using i8 = std::int8_t;
using n8 = std::uint8_t;

template <class T>
using field_of = Signature<T, T, u32, u32>;
template <class T>
using field_into = Signature<T, T, T, u32, u32>;

using DP4A_UU = DotProduct<n8, n8, 4>;
using DP4A_US = DotProduct<n8, i8, 4>;
using DP4A_SU = DotProduct<i8, n8, 4>;
using DP4A_SS = DotProduct<i8, i8, 4>;

constexpr Operation kRows[] = {
#include "isa/rows/integer.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(integer_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
