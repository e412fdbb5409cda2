// The data of a matrix product C = A·B: its inputs, the exact result and the scale of rounding errors.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cases/dataset.hpp"
#include "matrix.hpp"
#include "patterns/pattern.hpp"

namespace warpgrade::harness {

// --- inputs ----------------------------------------------------------------------------------------------

// Which of a case's two matrices; their streams of random numbers are unrelated.
enum class InputMatrix : std::uint64_t { A = 1, B = 2 };

// The values of a case's A or B. For "integers", one factor of each product is odd in ±(4097 … 8191), which
// needs 13 bits: half precision, tf32 and bfloat16 have fewer. The other factor is in ±(1 … 8), or smaller if
// k is above 256, so that no sum exceeds 2^24: fp32 sums are exact in any order. A and B alternate along k.
// If k is above 2048, both are in ±(1 … 8). For "zero-mean" they are multiples of 2^-20 in (−1, 1).
void fill_matrix(Matrix<float> matrix, const std::string& values, std::uint64_t seed, InputMatrix which);

// --- the exact result ------------------------------------------------------------------------------------

// The largest error of an element of C that counts as right: 0 for integers, whose sums are exact, otherwise
// 32·u·(|A||B|).
double product_tolerance(const std::string& values, double bound);

// Row `row` of A·B and of |A|·|B| in double.
struct ExactRow {
  ExactRow(const Matrix<const float>& A, const Matrix<const float>& B, int row);
  std::vector<double> product;
  std::vector<double> bound;
};

// The arrays of a case, without values.
void declare_product(Dataset& data);

// The values of A and B by the kind and the seed of the case.
void fill_product(Dataset& data);

// The arrays of a case. The values are such that sums in double are exact, in any order.
void make_product(Dataset& data);

// --- a pattern of wrong elements -------------------------------------------------------------------------

// The sum of the first `count` products of row `row` of A and column `column` of B, in double.
double partial_sum(const Dataset& data, int row, int column, int count);

// "from-phase": each wrong element is the sum of its first products, the rest is missing.
std::optional<Pattern> missing_phases(const WrongResult& q);

}  // namespace warpgrade::harness
