#include "product_mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "matrix_product.hpp"
#include "operand_mistakes.hpp"

namespace warpgrade::harness {
namespace {

// One wrong result, with the matrices as a kernel reads them.
class ProductMistakes {
 public:
  explicit ProductMistakes(const WrongResult& q)
      : A_(matrix_of<float>(q.data.array("A"))),
        B_(matrix_of<float>(q.data.array("B"))),
        n_(static_cast<std::size_t>(B_.columns)),
        shape_(q.shape()),
        tile_(tile_of(q)) {}

  // The cheaper and more specific ones first. Those about tiles only where the launch shape shows the tile's
  // side.
  std::vector<Hypothesis> all() const {
    std::vector<Hypothesis> found = of_products();
    // Without a side of the tiles in the launch shape, a last phase of one product is left to of_phases().
    if (tile_ > 1 || k() % 4 != 1) found.push_back(last_product());
    for (std::vector<Hypothesis> more :
         {of_flat_tiles(), of_strides(), of_neighbours(), of_tiles(), of_blocks(), of_phases()})
      found.insert(found.end(), more.begin(), more.end());
    return found;
  }

 private:
  // In a tile: along k, and along the other side.
  struct Place {
    int depth, along;
  };
  // The place of a matrix's tile that a place in shared memory gets its element from, if the other matrix's
  // arithmetic says where to read, where to store, or both.
  using Turn = Place (*)(Place own, int deep, int wide);
  static constexpr Turn turns[] = {
      [](Place own, int deep, int wide) {
        const int e = own.depth * wide + own.along;
        return Place{e % deep, e / deep};
      },
      [](Place own, int deep, int wide) {
        const int e = own.along * deep + own.depth;
        return Place{e / wide, e % wide};
      },
      [](Place own, int, int) {
        return Place{own.along, own.depth};
      },
  };

  // What a kernel multiplies for element (row, column) at step i.
  using Factor = std::function<double(int row, int column, int i)>;

  static int tile_of(const WrongResult& q) {
    const LaunchShape* shape = q.shape();
    const bool is_square = shape && shape->one_output_each() && shape->outputs[0] == shape->outputs[1];
    return is_square ? shape->outputs[0] : 0;
  }

  int k() const { return A_.columns; }
  int first_of_tile(int i) const { return i / tile_ * tile_; }
  int last_phase() const { return (k() - 1) / tile_ * tile_; }

  // Elements outside a matrix count as zero.
  static double at(const Matrix<const float>& matrix, int row, int column) {
    const bool inside = 0 <= row && row < matrix.rows && 0 <= column && column < matrix.columns;
    return inside ? static_cast<double>(matrix.at(row, column)) : 0.0;
  }
  // The matrix as a sequence of elements, which a wrong stride indexes.
  static double flat(const Matrix<const float>& matrix, std::int64_t index) {
    const bool inside = 0 <= index && static_cast<std::size_t>(index) < matrix.size();
    return inside ? static_cast<double>(matrix.values[index]) : 0.0;
  }
  static std::int64_t index(int row, int width, int column) { return std::int64_t{row} * width + column; }

  Factor a() const {
    return [A = A_](int row, int, int i) { return at(A, row, i); };
  }
  Factor b() const {
    return [B = B_](int, int column, int i) { return at(B, i, column); };
  }

  // The sum of the products of two factors over i in [first, last) for which `counts` holds.
  Hypothesis sum(const std::string& name, const std::string& words, Factor a, Factor b, int first, int last,
                 std::function<bool(int)> counts = {}) const {
    return {name, words, [=, n = n_](std::size_t element) {
              const int row = static_cast<int>(element / n), column = static_cast<int>(element % n);
              double total = 0;
              for (int i = first; i < last; ++i)
                if (!counts || counts(i)) total += a(row, column, i) * b(row, column, i);
              return total;
            }};
  }
  Hypothesis factors(const std::string& name, const std::string& words, Factor a, Factor b) const {
    return sum(name, words, std::move(a), std::move(b), 0, k());
  }

  // A running total that `step` updates by each product.
  Hypothesis running(const std::string& name, const std::string& words,
                     double (*step)(double, double, double)) const {
    return {name, words, [=, A = A_, B = B_, n = n_](std::size_t element) {
              const int row = static_cast<int>(element / n), column = static_cast<int>(element % n);
              double total = 0;
              for (int i = 0; i < A.columns; ++i) total = step(total, at(A, row, i), at(B, i, column));
              return total;
            }};
  }

  std::vector<Hypothesis> of_products() const {
    return {
        sum("first-product", "lacks the first of its products, as if the loop began at 1", a(), b(), 1, k()),
        running("sum-of-sums", "is a sum of sums: the factors are added, not multiplied",
                [](double total, double x, double y) { return total + (x + y); }),
        running("truncated", "is a whole number, as if the sum were an int that loses its fraction",
                [](double total, double x, double y) { return std::trunc(total + x * y); }),
    };
  }

  Hypothesis last_product() const {
    return sum("last-product-only", "is the last of its products alone, as if = stood where += belongs", a(),
               b(), k() - 1, k());
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

  // The element of a tile that another thread loads than the one that should.
  std::vector<Hypothesis> of_tiles() const {
    if (tile_ < 2) return {};
    const int t = tile_;
    const Factor A_turned = [A = A_, t](int row, int, int i) {
      return at(A, row / t * t + i % t, i / t * t + row % t);
    };
    const Factor B_turned = [B = B_, t](int, int column, int i) {
      return at(B, i / t * t + column % t, column / t * t + i % t);
    };
    const Factor A_down = [A = A_, t](int row, int, int i) { return at(A, row, i / t * t + row % t); };
    const Factor B_across = [B = B_, t](int, int column, int i) {
      return at(B, i / t * t + column % t, column);
    };
    const Factor A_for_B = [A = A_, t](int row, int column, int i) {
      return at(A, row / t * t + i % t, i / t * t + column % t);
    };
    const Factor B_for_A = [B = B_, t](int row, int column, int i) {
      return at(B, i / t * t + row % t, column / t * t + i % t);
    };
    // What a thread has brought itself.
    const Factor A_own = [A = A_, t](int row, int column, int i) {
      return at(A, row, i / t * t + column % t);
    };
    const Factor B_own = [B = B_, t](int row, int column, int i) {
      return at(B, i / t * t + row % t, column);
    };
    const std::string in_each_turn =
        " that its thread has brought itself, once in each turn of the inner loop: the index needs "
        "the loop's variable";
    // A thread's places in the tiles of a phase, whichever element of C it belongs to.
    const auto both_inside = [A = A_, B = B_](int row, int A_column, int B_row, int column) {
      return row < A.rows && A_column < A.columns && B_row < B.rows && column < B.columns;
    };
    const Factor A_if_both = [A = A_, t, both_inside](int row, int column, int i) {
      return both_inside(row, i, i / t * t + row % t, column / t * t + i % t) ? at(A, row, i) : 0.0;
    };
    const Factor B_if_both = [B = B_, t, both_inside](int row, int column, int i) {
      return both_inside(row / t * t + i % t, i / t * t + column % t, i, column) ? at(B, i, column) : 0.0;
    };
    Hypothesis together =
        factors("guarded-together",
                "comes out if a thread loads both elements only where both exist: the two places are inside "
                "at different times, and each load has a condition of its own",
                A_if_both, B_if_both);
    together.is_exact = true;
    return {
        together,
        factors("own-element-of-A", "multiplies the element of the tile of A" + in_each_turn, A_own, b()),
        factors("own-element-of-B", "multiplies the element of the tile of B" + in_each_turn, a(), B_own),
        factors("own-elements", "multiplies the elements of both tiles" + in_each_turn, A_own, B_own),
        factors("A-for-B", "multiplies the tile of A by itself: B's belongs in one of the two places", a(),
                A_for_B),
        factors("B-for-A", "multiplies the tile of B by itself: A's belongs in one of the two places",
                B_for_A, b()),
        factors("A-tile-transposed",
                "comes out if the tile of A is transposed: its indices are swapped where it is filled "
                "or read",
                A_turned, b()),
        factors("B-tile-transposed",
                "comes out if the tile of B is transposed: its indices are swapped where it is filled "
                "or read",
                a(), B_turned),
        factors("tiles-transposed",
                "comes out if both tiles are transposed: their indices are swapped where they are "
                "filled or read",
                A_turned, B_turned),
        factors("A-column-by-ty",
                "comes out if a thread loads A's column by threadIdx.y; it is threadIdx.x's", A_down, b()),
        factors("B-row-by-tx", "comes out if a thread loads B's row by threadIdx.x; it is threadIdx.y's", a(),
                B_across),
    };
  }

  // What comes out if all blocks load the same part of a matrix.
  std::vector<Hypothesis> of_blocks() const {
    if (shape_ == nullptr) return {};
    const int wide = shape_->outputs[0], high = shape_->outputs[1];
    const std::string first = "comes out if every block loads the first ",
                      own = ": its own begin at blockIdx";
    const std::string A_words = first + std::to_string(high) + " rows of A" + own + ".y * ";
    const std::string B_words = first + std::to_string(wide) + " columns of B" + own + ".x * ";
    const Factor A_first = [A = A_, high](int row, int, int i) { return at(A, row % high, i); };
    const Factor B_first = [B = B_, wide](int, int column, int i) { return at(B, i, column % wide); };
    return {factors("A-of-first-block", A_words + std::to_string(high), A_first, b()),
            factors("B-of-first-block", B_words + std::to_string(wide), a(), B_first)};
  }

  // A block's threads bring e = 0, 1, 2, … of a tile, which the two tiles split into a row and a column in
  // two ways. What comes out if the tile of one matrix is filled by the other one's way.
  std::vector<Hypothesis> of_flat_tiles() const {
    if (shape_ == nullptr || shape_->one_output_each()) return {};
    std::vector<Hypothesis> found;
    const int wide = shape_->outputs[0], high = shape_->outputs[1];
    for (const int deep : {4, 8, 16, 32, 64}) {
      const std::string tiles = " (tiles " + std::to_string(deep) + " deep)";
      const auto words = [&](const char* own, const char* other, int width, int others) {
        return std::string("comes out if the tile of ") + own +
               " is filled by the index arithmetic for that of " + other + ": a row of " + own + "'s has " +
               std::to_string(width) + " elements, of " + other + "'s " + std::to_string(others) + tiles;
      };
      for (const Turn turn : turns) {
        found.push_back(factors("B-tile-by-A", words("B", "A", wide, deep), a(),
                                [B = B_, deep, wide, turn](int, int column, int i) {
                                  const Place from = turn({i % deep, column % wide}, deep, wide);
                                  return at(B, i / deep * deep + from.depth,
                                            column / wide * wide + from.along);
                                }));
        found.push_back(factors(
            "A-tile-by-B", words("A", "B", deep, high),
            [A = A_, deep, high, turn](int row, int, int i) {
              const Place from = turn({i % deep, row % high}, deep, high);
              return at(A, row / high * high + from.along, i / deep * deep + from.depth);
            },
            b()));
      }
    }
    return found;
  }

  // Where the depth of a phase is not known: the sum begins again somewhere, at a multiple of four.
  std::vector<Hypothesis> of_last_products() const {
    std::vector<Hypothesis> found;
    for (int first = 4; first < k(); first += 4) {
      const int count = k() - first;
      const std::string last = count == 1
                                   ? "is its last product alone"
                                   : "is the sum of its last " + std::to_string(count) + " products alone";
      found.push_back(sum("last-phase-only", last + ": the sum begins at zero again in each phase", a(), b(),
                          first, k()));
    }
    return found;
  }

  // What comes out of tiles `t` deep that are not where their phase is.
  std::vector<Hypothesis> of_steps(int t, const std::string& tiles = "") const {
    const Factor A_first = [A = A_, t](int row, int, int i) { return at(A, row, i % t); };
    const Factor B_first = [B = B_, t](int, int column, int i) { return at(B, i % t, column); };
    const Factor A_by_one = [A = A_, t](int row, int, int i) { return at(A, row, i / t + i % t); };
    const Factor B_by_one = [B = B_, t](int, int column, int i) { return at(B, i / t + i % t, column); };
    const std::string one = " on by one in each phase, not by its width: phase * width is its begin" + tiles;
    const std::string first = " the first one in every phase" + tiles;
    const Factor A_down = [A = A_, t](int row, int, int i) {
      return flat(A, index(row + i / t * t, A.columns, i % t));
    };
    const Factor B_across = [B = B_, t](int, int column, int i) {
      return flat(B, index(i % t, B.columns, column + i / t * t));
    };
    const std::string across = " from phase to phase: it moves along its row, by phase * width" + tiles;
    const std::string down =
        " from phase to phase: it moves down, by phase * width rows of n elements" + tiles;
    return {
        factors(
            "first-depth-for-all",
            "multiplies the operands of a tile's first depth alone, " + std::to_string(t) +
                " times: load them in the loop over the depths" + tiles,
            [A = A_, t](int row, int, int i) { return at(A, row, i / t * t); },
            [B = B_, t](int, int column, int i) { return at(B, i / t * t, column); }),
        factors("A-tile-by-one", "comes out if the tile of A moves" + one, A_by_one, b()),
        factors("B-tile-by-one", "comes out if the tile of B moves" + one, a(), B_by_one),
        factors("tiles-by-one", "comes out if each tile moves" + one, A_by_one, B_by_one),
        factors("A-tile-down", "comes out if the tile of A moves down its columns" + across, A_down, b()),
        factors("B-tile-across", "comes out if the tile of B moves along its rows" + down, a(), B_across),
        factors("first-A-tile", "comes out if the tile of A is" + first, A_first, b()),
        factors("first-B-tile", "comes out if the tile of B is" + first, a(), B_first),
        factors("first-tiles", "comes out if both tiles are" + first, A_first, B_first),
        factors(
            "phases-overlap",
            "counts product number i up to " + std::to_string(t) +
                " times: the loop over the phases moves on by 1, not by the depth of a tile" + tiles,
            [A = A_, t](int row, int, int i) { return std::min(i + 1, t) * at(A, row, i); }, b()),
        factors(
            "sums-so-far-added",
            "counts the products of a phase once more in each phase behind it: what the sum has so far is "
            "added to C again and again; store it once, behind the loop" +
                tiles,
            [A = A_, t](int row, int, int i) { return ((A.columns - 1) / t - i / t + 1) * at(A, row, i); },
            b()),
    };
  }

  // The same where the depth of a tile is not known.
  std::vector<Hypothesis> of_any_steps() const {
    std::vector<Hypothesis> found = of_last_products();
    for (const int deep : {4, 8, 16, 32, 64}) {
      if (deep >= k()) break;
      for (Hypothesis& each : of_steps(deep, " (tiles " + std::to_string(deep) + " deep)"))
        found.push_back(std::move(each));
    }
    return found;
  }

  std::vector<Hypothesis> of_phases() const {
    if (tile_ < 2) return of_any_steps();
    const int t = tile_, last = last_phase(), whole = k() / t * t;
    std::vector<Hypothesis> found = of_steps(t);
    const std::vector<Hypothesis> of_sums = {
        sum("last-phase-only",
            "is the sum of the last phase alone: the sum begins at zero again in each phase", a(), b(), last,
            k()),
        sum("first-product-of-each-phase", "lacks the first product of every phase", a(), b(), 0, k(),
            [t](int i) { return i % t != 0; }),
        sum("last-product-of-each-phase", "lacks the last product of every phase", a(), b(), 0, k(),
            [t](int i) { return i % t != t - 1; }),
    };
    found.insert(found.end(), of_sums.begin(), of_sums.end());
    if (whole == k()) return found;
    found.push_back(sum(
        "stale-tile",
        "also counts what the phase before has left in the tiles behind the end of k: store zeros there",
        [A = A_, t](int row, int, int i) { return at(A, row, i < A.columns ? i : i - t); },
        [B = B_, t](int, int column, int i) { return at(B, i < B.rows ? i : i - t, column); }, 0, last + t));
    found.push_back(sum("rest-of-each-phase",
                        "counts the first " + std::to_string(k() - whole) +
                            " of the products of each phase, as many as the last one has: the phases before "
                            "it have " +
                            std::to_string(t),
                        a(), b(), 0, k(), [t, rest = k() - whole](int i) { return i % t < rest; }));
    found.push_back(sum(
        "border-of-ones",
        "also counts ones behind the end of k: what lies outside a matrix has to count as 0",
        [A = A_](int row, int, int i) { return i < A.columns ? at(A, row, i) : 1.0; },
        [B = B_](int, int column, int i) { return i < B.rows ? at(B, i, column) : 1.0; }, 0, last + t));
    found.push_back(sum(
        "border-repeated",
        "counts the last of its products again, once for each place behind the end of k: what lies outside a "
        "matrix has to count as 0, not as the nearest element",
        [A = A_](int row, int, int i) { return at(A, row, std::min(i, A.columns - 1)); },
        [B = B_](int, int column, int i) { return at(B, std::min(i, B.rows - 1), column); }, 0, last + t));
    return found;
  }

  Matrix<const float> A_, B_;
  std::size_t n_;
  const LaunchShape* shape_;
  int tile_;  // side of a square tile of which each thread computes one element; 0: no such tiles
};

}  // namespace

std::optional<Pattern> product_mistake(const WrongResult& q) {
  if (const auto missing = missing_phases(q)) return missing;
  std::vector<Hypothesis> hypotheses = ProductMistakes(q).all();
  for (Hypothesis& each : operand_mistakes(q)) hypotheses.push_back(std::move(each));
  return explained(q, hypotheses);
}

}  // namespace warpgrade::harness
