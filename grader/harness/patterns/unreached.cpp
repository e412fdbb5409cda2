#include "patterns/unreached.hpp"

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
  std::int64_t step = 0;              // from one block's first right element to the next one's, if it is more

  std::int64_t blocks() const { return (extent + side - 1) / side; }
};

std::vector<Axis> axes_of(const WrongResult& cells) {
  const auto& shape = cells.marks.shape;
  if (!cells.shape() || cells.shape()->blocks || shape.empty() || shape.size() > 3) return {};
  std::vector<Axis> found;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    found.push_back(
        {static_cast<char>('x' + axis), shape[shape.size() - 1 - axis], cells.shape()->outputs[axis]});
  for (std::size_t i = 0; i < cells.marks.values.size(); ++i) {
    if (cells.marks.values[i] != Mark::right) continue;
    const std::vector<std::int64_t> at = index_of(shape, i);
    for (std::size_t axis = 0; axis < found.size(); ++axis) {
      const std::int64_t there = at[shape.size() - 1 - axis];
      if (there >= found[axis].side && (found[axis].step == 0 || there < found[axis].step))
        found[axis].step = there;
    }
  }
  return found;
}

// Whether the right elements are exactly those for whose indices, x first, `reached` holds.
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

// Whether t * side + b is the element for some thread t of a block and some block b of the launch.
bool is_reached_by_thread(const Axis& axis, std::int64_t at) {
  const std::int64_t last = std::min(axis.side - 1, at / axis.side);
  return at < last * axis.side + axis.blocks();
}

// Whether the element is one of a block that begins at a multiple of the step.
bool is_reached_by_step(const Axis& axis, std::int64_t at) {
  return axis.step > axis.side && at % axis.step < axis.side;
}

// The axes, as bits, along which the mistake explains all wrong elements; 0 if there are none. More axes are
// better, except those with one block, where the mistake has no effect.
unsigned explained(const WrongResult& cells, const std::vector<Axis>& axes,
                   bool (*is_reached)(const Axis&, std::int64_t)) {
  unsigned several = 0;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    several |= (axes[axis].blocks() > 1 ? 1u : 0u) << axis;
  for (unsigned chosen = (1u << axes.size()) - 1; chosen != 0; --chosen) {
    if (chosen & ~several) continue;
    const auto reached = [&](const std::vector<std::int64_t>& at) {
      for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (chosen >> axis & 1 && !is_reached(axes[axis], at[axis])) return false;
      return true;
    };
    if (is_explained(cells, reached)) return chosen;
  }
  return 0;
}

// "blockIdx.x * gridDim.x and blockIdx.y * gridDim.y", of a text in which ? stands for the letter.
std::string of_axes(unsigned chosen, const std::vector<Axis>& axes, const std::string& text) {
  std::string words;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (!(chosen >> axis & 1)) continue;
    std::string one = text;
    std::ranges::replace(one, '?', axes[axis].letter);
    words += (words.empty() ? "" : " and ") + one;
  }
  return words;
}

// Whether the first block reaches the element: as if all others began outside of the array, or at 0, too.
bool is_reached_by_first(const Axis& axis, std::int64_t at) { return at < axis.side; }

std::optional<Pattern> grid_for_block(const WrongResult& cells, const std::vector<Axis>& axes) {
  const unsigned chosen = explained(cells, axes, is_reached_by_grid);
  if (chosen == 0) return {};
  if (explained(cells, axes, is_reached_by_first) == chosen)
    return Pattern{"grid-for-block", ", no block but the first comes there, as if " +
                                         of_axes(chosen, axes, "blockIdx.?") +
                                         " were left out, or multiplied by gridDim for blockDim"};
  return Pattern{"grid-for-block", ", no block comes there if a block begins at " +
                                       of_axes(chosen, axes, "blockIdx.? * gridDim.?") +
                                       ": gridDim counts blocks, a block's threads are blockDim"};
}

std::optional<Pattern> thread_for_block(const WrongResult& cells, const std::vector<Axis>& axes) {
  const unsigned chosen = explained(cells, axes, is_reached_by_thread);
  if (chosen == 0) return {};
  return Pattern{"thread-for-block", written_in_each_block(cells) + ", as if a thread's index were " +
                                         of_axes(chosen, axes, "threadIdx.? * blockDim.? + blockIdx.?")};
}

std::optional<Pattern> step_for_block(const WrongResult& cells, const std::vector<Axis>& axes) {
  // Without a right element, no step is known.
  if (std::ranges::all_of(axes, [](const Axis& axis) { return axis.step == 0; })) return {};
  const unsigned chosen = explained(cells, axes, is_reached_by_step);
  if (chosen == 0) return {};
  std::string words;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (chosen >> axis & 1)
      words += (words.empty() ? "" : " and ") + ("blockIdx." + std::string(1, axes[axis].letter)) + " * " +
               std::to_string(axes[axis].step) + ", where the launch gives it " +
               std::to_string(axes[axis].side);
  return Pattern{"step-for-block", ", no block comes there, as if a block began at " + words};
}

// The words for blocks that begin as far apart along one axis as they are long along the other one, where
// that explains all wrong elements: the other one's blockDim was taken.
std::string by_other_side(const WrongResult& cells, const std::vector<Axis>& axes) {
  if (axes.size() != 2) return {};
  for (const std::size_t axis : {1u, 0u}) {
    const Axis &own = axes[axis], &other = axes[1 - axis];
    if (own.blocks() < 2 || other.side <= own.side) continue;
    const auto reached = [&](const std::vector<std::int64_t>& at) {
      return at[axis] % other.side < own.side;
    };
    if (!is_explained(cells, reached)) continue;
    const std::string letter(1, own.letter), wrong(1, other.letter);
    return "a block began at blockIdx." + letter + " * " + std::to_string(other.side) +
           ", which is blockDim." + wrong + ": along " + letter + " it has " + std::to_string(own.side) +
           ", blockDim." + letter;
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
      ", as if blockIdx.x counted rows of blocks and blockIdx.y columns, or a guard compared with exchanged "
      "extents: the grid has " +
          std::to_string(axes[0].blocks()) + " × " + std::to_string(axes[1].blocks()) + " blocks, x × y"};
}

}  // namespace

std::string written_in_each_block(const WrongResult& cells) {
  constexpr std::size_t longest = 60;  // characters of the list
  const std::size_t rank = cells.marks.shape.size();
  if (!cells.shape() || cells.shape()->blocks || rank == 0 || rank > 2) return {};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    // A file may state a block that is larger than all of the array.
    const auto side = static_cast<std::size_t>(
        std::min<std::int64_t>(cells.shape()->outputs[axis], cells.marks.shape[rank - 1 - axis]));
    std::vector<bool> written(side), left_out(side);
    for (std::size_t i = 0; i < cells.marks.values.size(); ++i) {
      const auto at = static_cast<std::size_t>(index_of(cells.marks.shape, i)[rank - 1 - axis]);
      (cells.marks.values[i] == Mark::right ? written : left_out)[at % side] = true;
    }
    bool both = false;
    for (std::size_t at = 0; at < side; ++at) both = both || (written[at] && left_out[at]);
    const std::string list = index_list(written);
    if (both || list.empty() || list.size() > longest) continue;
    const char* what = rank == 1 ? " elements" : axis == 0 ? " columns" : " rows";
    return "; of the " + std::to_string(side) + what + " of each block only these are: " + list +
           ", counted from 0";
  }
  return {};
}

std::optional<Pattern> unreached(const WrongResult& cells) {
  const std::vector<Axis> axes = axes_of(cells);
  if (axes.empty()) return {};
  std::string other_side;
  if (cells.shape()->one_output_each()) {
    other_side = by_other_side(cells, axes);
    if (!other_side.empty() && !axes_exchanged(cells, axes))
      return Pattern{"step-for-block", ", no block comes there, as if " + other_side};
    if (auto pattern = grid_for_block(cells, axes)) return pattern;
    if (auto pattern = step_for_block(cells, axes)) return pattern;
    if (auto pattern = thread_for_block(cells, axes)) return pattern;
  }
  std::optional<Pattern> exchanged = axes_exchanged(cells, axes);
  if (exchanged && !other_side.empty())
    return Pattern{"step-for-block", exchanged->words + "; or as if " + other_side};
  return exchanged;
}

}  // namespace warpgrade::harness
