#include "product_mistakes.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "matrix_product.hpp"
#include "operand_mistakes.hpp"
#include "phase_mistakes.hpp"
#include "product_factors.hpp"
#include "tile_mistakes.hpp"

namespace warpgrade::harness {
namespace {

// Mistakes in the products themselves and in where their factors lie.
class FactorMistakes : ProductFactors {
 public:
  using ProductFactors::ProductFactors;

  std::vector<Hypothesis> of_products() const {
    return {
        sum("first-product", "lacks the first of its products, as if the loop began at 1", a(), b(), 1, k()),
        running("sum-of-sums", "is a sum of sums: the factors are added, not multiplied",
                [](double total, double x, double y) { return total + (x + y); }),
        running("truncated", "is a whole number, as if the sum were an int that loses its fraction",
                [](double total, double x, double y) { return std::trunc(total + x * y); }),
    };
  }

  // Without a side of the tiles in the launch shape, a last phase of one product is left to phase_mistakes().
  std::vector<Hypothesis> of_last_product() const {
    if (tile_ < 2 && k() % 4 == 1) return {};
    return {sum("last-product-only", "is the last of its products alone, as if = stood where += belongs", a(),
                b(), k() - 1, k())};
  }

  std::vector<Hypothesis> of_strides() const {
    const int m = A_.rows, n = B_.columns;
    const auto A_by = [A = A_](int width) -> Factor {
      return [A, width](int row, int, int i) { return flat(A, index(row, width, i)); };
    };
    const auto A_down = [A = A_](int width) -> Factor {
      return [A, width](int row, int, int i) { return flat(A, index(i, width, row)); };
    };
    const auto B_by = [B = B_](int width) -> Factor {
      return [B, width](int, int column, int i) { return flat(B, index(i, width, column)); };
    };
    const auto B_down = [B = B_](int width) -> Factor {
      return [B, width](int, int column, int i) { return flat(B, index(column, width, i)); };
    };
    const std::string of_B = "is its row of A times a row of B, where a column belongs: A·Bᵀ";
    const std::string of_A = "is a column of A, where a row belongs, times its column of B: Aᵀ·B";
    return {
        factors("B-transposed", of_B, a(), B_down(n)),
        factors("B-transposed", of_B, a(), B_down(k())),
        factors("A-transposed", of_A, A_down(k()), b()),
        factors("A-transposed", of_A, A_down(m), b()),
        factors("B-along-its-row",
                "takes its elements of B one beside the other: those of a column are n apart", a(),
                [B = B_](int, int column, int i) { return flat(B, std::int64_t{column} + i); }),
        factors("B-row-of-k", "comes out if a row of B had k elements; it has n", a(), B_by(k())),
        factors("B-row-of-m", "comes out if a row of B had m elements; it has n", a(), B_by(m)),
        factors("A-row-of-n", "comes out if a row of A had n elements; it has k", A_by(n), b()),
        factors("A-row-of-m", "comes out if a row of A had m elements; it has k", A_by(m), b()),
        factors("A-for-B", "takes A where B belongs", a(),
                [A = A_, n](int, int column, int i) { return flat(A, index(i, n, column)); }),
        factors(
            "B-for-A", "takes B where A belongs",
            [B = B_, k = k()](int row, int, int i) { return flat(B, index(row, k, i)); }, b()),
    };
  }

  std::vector<Hypothesis> of_neighbours() const {
    std::vector<Hypothesis> found;
    for (const int step : {1, -1}) {
      const std::string where = step > 0 ? "next" : "previous";
      found.push_back(factors(
          "neighbour-row", "takes the " + where + " row of A instead of its own",
          [A = A_, step](int row, int, int i) { return at(A, row + step, i); }, b()));
      found.push_back(factors("neighbour-column", "takes the " + where + " column of B instead of its own",
                              a(),
                              [B = B_, step](int, int column, int i) { return at(B, i, column + step); }));
      found.push_back(factors(
          "neighbour-in-A", "takes of A the element beside each of its own",
          [A = A_, step](int row, int, int i) { return at(A, row, i + step); }, b()));
      found.push_back(factors("neighbour-in-B", "takes of B the element below or above each of its own", a(),
                              [B = B_, step](int, int column, int i) { return at(B, i + step, column); }));
      if (tile_)
        found.push_back(factors(
            "neighbour-row", "takes, within its tile, the " + where + " row of A instead of its own",
            [A = A_, step, t = tile_](int row, int, int i) {
              return at(A, row / t * t + (row % t + step + t) % t, i);
            },
            b()));
    }
    return found;
  }
};

// The cheaper and more specific ones first. Those about tiles only where the launch shape shows the tile's
// side.
std::vector<Hypothesis> hypotheses_of(const WrongResult& q) {
  const FactorMistakes mistakes(q);
  std::vector<Hypothesis> found;
  for (std::vector<Hypothesis> more :
       {mistakes.of_products(), mistakes.of_last_product(), flat_tile_mistakes(q), mistakes.of_strides(),
        mistakes.of_neighbours(), tile_mistakes(q), phase_mistakes(q), operand_mistakes(q)})
    found.insert(found.end(), more.begin(), more.end());
  return found;
}

}  // namespace

std::optional<Pattern> product_mistake(const WrongResult& q) {
  if (const auto missing = missing_phases(q)) return missing;
  return explained(q, hypotheses_of(q));
}

}  // namespace warpgrade::harness
