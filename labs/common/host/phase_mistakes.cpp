#include "phase_mistakes.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "product_factors.hpp"

namespace warpgrade::harness {
namespace {

class PhaseMistakes : ProductFactors {
 public:
  using ProductFactors::ProductFactors;

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

 private:
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

  int last_phase() const { return (k() - 1) / tile_ * tile_; }
};

}  // namespace

std::vector<Hypothesis> phase_mistakes(const WrongResult& q) { return PhaseMistakes(q).of_phases(); }

}  // namespace warpgrade::harness
