#include "tile_mistakes.hpp"

#include <string>
#include <utility>
#include <vector>

#include "product_factors.hpp"

namespace warpgrade::harness {
namespace {

class TileMistakes : ProductFactors {
 public:
  using ProductFactors::ProductFactors;

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
};

}  // namespace

std::vector<Hypothesis> flat_tile_mistakes(const WrongResult& q) { return TileMistakes(q).of_flat_tiles(); }

std::vector<Hypothesis> tile_mistakes(const WrongResult& q) {
  const TileMistakes mistakes(q);
  std::vector<Hypothesis> found = mistakes.of_tiles();
  for (Hypothesis& each : mistakes.of_blocks()) found.push_back(std::move(each));
  return found;
}

}  // namespace warpgrade::harness
