#include "comparison/unreached.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::harness {
namespace {

// One dimension of the launch and of the array: x is the last of the array.
struct Axis {
  char letter = 'x';
  std::int64_t extent = 0, side = 0;  // elements, and those of a block

  std::int64_t blocks() const { return (extent + side - 1) / side; }
};

std::vector<Axis> axes_of(const WrongResult& cells) {
  const auto& shape = cells.marks.shape;
  if (!cells.shape() || cells.shape()->blocks || shape.empty() || shape.size() > 3) return {};
  std::vector<Axis> found;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    found.push_back(
        {static_cast<char>('x' + axis), shape[shape.size() - 1 - axis], cells.shape()->outputs[axis]});
  return found;
}

// Whether exactly those elements are right that `reached` holds for, by their indices with x first.
template <class Reached>
bool is_explained(const WrongResult& cells, Reached reached) {
  for (std::size_t i = 0; i < cells.marks.values.size(); ++i) {
    std::vector<std::int64_t> at = index_of(cells.marks.shape, i);
    std::ranges::reverse(at);
    if (reached(at) != (cells.marks.values[i] == Mark::right)) return false;
  }
  return true;
}

// Whether block number b begins at b times the number of blocks, for some b, and reaches the element.
bool is_reached_by_grid(const Axis& axis, std::int64_t at) {
  const std::int64_t blocks = axis.blocks(), last = std::min(blocks - 1, at / blocks);
  return at < last * blocks + axis.side;
}

std::optional<Pattern> grid_for_block(const WrongResult& cells, const std::vector<Axis>& axes) {
  if (!cells.shape()->one_output_each()) return {};
  for (unsigned chosen = (1u << axes.size()) - 1; chosen != 0; --chosen) {
    std::string begins;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (chosen >> axis & 1) {
        const std::string letter(1, axes[axis].letter);
        begins += (begins.empty() ? "blockIdx." : " and blockIdx.") + letter + " * gridDim." + letter;
      }
    const auto reached = [&](const std::vector<std::int64_t>& at) {
      for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (chosen >> axis & 1 && !is_reached_by_grid(axes[axis], at[axis])) return false;
      return true;
    };
    if (is_explained(cells, reached))
      return Pattern{"grid-for-block", "no block comes there if a block begins at " + begins +
                                           ": gridDim counts blocks, a block's threads are blockDim"};
  }
  return {};
}

std::optional<Pattern> axes_exchanged(const WrongResult& cells, const std::vector<Axis>& axes) {
  if (axes.size() != 2 || axes[0].blocks() == axes[1].blocks()) return {};
  const auto reached = [&](const std::vector<std::int64_t>& at) {
    return at[0] / axes[0].side < axes[1].blocks() && at[1] / axes[1].side < axes[0].blocks();
  };
  if (!is_explained(cells, reached)) return {};
  return Pattern{
      "blocks-never-written",
      "as if blockIdx.x counted rows of blocks and blockIdx.y columns, or a guard compared with exchanged "
      "extents: the grid has " +
          std::to_string(axes[0].blocks()) + " × " + std::to_string(axes[1].blocks()) + " blocks, x × y"};
}

}  // namespace

std::optional<Pattern> unreached(const WrongResult& cells) {
  const std::vector<Axis> axes = axes_of(cells);
  if (axes.empty()) return {};
  if (auto pattern = grid_for_block(cells, axes)) return pattern;
  return axes_exchanged(cells, axes);
}

}  // namespace warpgrade::harness
