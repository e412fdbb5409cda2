// Typical mistakes of part 2: what kernels that make them would have computed.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "places.hpp"

// A neighbour's place, relative to the element's; where it stands, and the names of mistakes with it.
struct Neighbour {
  std::int64_t z, y, x;
  std::string where = {}, missing = {}, twice = {}, own = {};
  bool operator==(const Neighbour& other) const { return z == other.z && y == other.y && x == other.x; }
};
using Neighbours = std::vector<Neighbour>;
static const Neighbours six = {
    {-1, 0, 0, "in the layer below", "layer-below-missing", "layer-below-twice", "own-for-below"},
    {1, 0, 0, "in the layer above", "layer-above-missing", "layer-above-twice", "own-for-above"},
    {0, -1, 0, "in the row before", "row-before-missing", "row-before-twice", "own-for-row-before"},
    {0, 1, 0, "in the row behind", "row-behind-missing", "row-behind-twice", "own-for-row-behind"},
    {0, 0, -1, "to the left", "left-missing", "left-twice", "own-for-left"},
    {0, 0, 1, "to the right", "right-missing", "right-twice", "own-for-right"}};
static const Neighbours diagonal = {{-1, 0, 0}, {1, 0, 0}, {0, -1, -1}, {0, -1, 1}, {0, 1, -1}, {0, 1, 1}};

// The elements in space, and sums over neighbours of one.
struct Space {
  enum class Outside { nearest, zero, other_side };
  using Limits = std::array<std::int64_t, 3>;  // of z, y, x

  double element(std::int64_t number) const { return values.at(static_cast<std::size_t>(number)).value; }
  bool is_there(std::int64_t number) const { return number >= 0 && number < layers * rows * columns; }
  Limits limits() const { return {layers, rows, columns}; }

  double neighbour(std::int64_t number, const Neighbour& o, Outside outside, const Limits& limits) const {
    const std::int64_t z = number / (rows * columns), y = number / columns % rows, x = number % columns;
    const auto inside = [&](std::int64_t i, std::int64_t count) {
      return outside == Outside::other_side ? (i + count) % count : clamped(i, count);
    };
    const std::int64_t nz = inside(z + o.z, limits[0]), ny = inside(y + o.y, limits[1]),
                       nx = inside(x + o.x, limits[2]);
    if (outside == Outside::zero && (nz != z + o.z || ny != y + o.y || nx != x + o.x)) return 0;
    const std::int64_t at = (nz * rows + ny) * columns + nx;
    return is_there(at) ? element(at) : 0;
  }

  // An eighth of `own` times the element and of its neighbours.
  double sum(std::size_t index, double own, const Neighbours& neighbours,
             Outside outside = Outside::nearest) const {
    const auto number = static_cast<std::int64_t>(index);
    double total = own * element(number);
    for (const Neighbour& o : neighbours) total += neighbour(number, o, outside, limits());
    return total / 8;
  }

  const Array& values;
  std::int64_t layers, rows, columns;
};

// The six with `added` in place of `left_out`.
static Neighbours replaced(const Neighbour& left_out, const Neighbours& added) {
  Neighbours found = added;
  for (const Neighbour& each : six)
    if (!(each == left_out)) found.push_back(each);
  return found;
}

// One neighbour is missing, or another element stands for it.
static void add_exchanged(std::vector<Hypothesis>& found, const Space& space) {
  for (const Neighbour& o : six) {
    found.push_back({o.missing, "lacks its neighbour " + o.where,
                     [&space, &o](std::size_t s) { return space.sum(s, 2, replaced(o, {})); }});
    found.push_back({o.own, "counts its own element where the one " + o.where + " belongs",
                     [&space, &o](std::size_t s) { return space.sum(s, 3, replaced(o, {})); }});
    for (const Neighbour& other : six)
      if (!(other == o))
        found.push_back(
            {other.twice, "counts the one " + other.where + " twice, and not the one " + o.where,
             [&space, &o, &other](std::size_t s) { return space.sum(s, 2, replaced(o, {other})); }});
  }
}

// The two neighbours along one axis stand for those along another.
static void add_exchanged_pairs(std::vector<Hypothesis>& found, const Space& space) {
  static const std::array<std::string, 3> pairs = {"in the layers below and above",
                                                   "in the rows before and behind", "to the left and right"};
  for (std::size_t left_out = 0; left_out < pairs.size(); ++left_out)
    for (std::size_t twice = 0; twice < pairs.size(); ++twice) {
      if (twice == left_out) continue;
      Neighbours others;
      for (const std::size_t pair : {twice, twice, 3 - twice - left_out})
        others.insert(others.end(), {six[2 * pair], six[2 * pair + 1]});
      found.push_back({"pair-twice",
                       "counts those " + pairs[twice] + " twice, and not those " + pairs[left_out] +
                           ": look at which index is changed by 1",
                       [&space, others](std::size_t s) { return space.sum(s, 2, others); }});
    }
}

// One neighbour is two steps away, or one step in another direction besides.
static void add_farther(std::vector<Hypothesis>& found, const Space& space) {
  const auto instead = [&](const Neighbour& o, const Neighbour& other, const std::string& name,
                           const std::string& words) {
    found.push_back({name, "counts one that is " + words + " where its neighbour " + o.where + " belongs",
                     [&space, &o, other](std::size_t s) { return space.sum(s, 2, replaced(o, {other})); }});
  };
  for (const Neighbour& o : six) {
    instead(o, {2 * o.z, 2 * o.y, 2 * o.x}, "neighbour-too-far", "two steps away");
    for (const Neighbour& other : six)
      if (o.z * other.z + o.y * other.y + o.x * other.x == 0)
        instead(o, {o.z + other.z, o.y + other.y, o.x + other.x}, "diagonal-neighbour",
                "also " + other.where);
  }
}

// One neighbour's index is limited by the extent of another dimension, or one row has another width.
static void add_limits(std::vector<Hypothesis>& found, const Space& space) {
  static const std::array<std::string, 3> extents = {"layers", "rows", "columns"};
  for (const Neighbour& o : six)
    for (std::size_t other = 0; other < extents.size(); ++other) {
      const std::size_t axis = o.z != 0 ? 0 : o.y != 0 ? 1 : 2;
      if (other == axis) continue;
      found.push_back(
          {"limits-exchanged",
           "comes out if the index of the neighbour " + o.where + " is limited by " + extents[other] +
               ", not by " + extents[axis],
           [&space, &o, axis, other](std::size_t s) {
             Space::Limits limits = space.limits();
             limits[axis] = limits[other];
             return space.sum(s, 2, replaced(o, {})) +
                    space.neighbour(static_cast<std::int64_t>(s), o, Space::Outside::nearest, limits) / 8;
           }});
    }
}

// One of the seven is taken from where it would be if a row had as many elements as a layer has rows.
static void add_widths(std::vector<Hypothesis>& found, const Space& space) {
  const auto misplaced = [&space](std::int64_t number, const Neighbour& o) {
    const std::int64_t in_layer = space.rows * space.columns,
                       z = clamped(number / in_layer + o.z, space.layers),
                       y = clamped(number / space.columns % space.rows + o.y, space.rows),
                       x = clamped(number % space.columns + o.x, space.columns);
    const std::int64_t at = z * in_layer + y * space.rows + x;
    return space.is_there(at) ? space.element(at) : 0.0;
  };
  const std::string words = "is taken from a row of `rows` elements: a row has `columns`";
  for (const Neighbour& o : six)
    found.push_back({"row-of-rows", "comes out if the neighbour " + o.where + " " + words,
                     [&space, &o, misplaced](std::size_t s) {
                       return space.sum(s, 2, replaced(o, {})) +
                              misplaced(static_cast<std::int64_t>(s), o) / 8;
                     }});
  found.push_back(
      {"row-of-rows", "comes out if its own element " + words, [&space, misplaced](std::size_t s) {
         const Neighbour own{0, 0, 0};
         return space.sum(s, 0, six) + misplaced(static_cast<std::int64_t>(s), own) / 4;
       }});
}

// All seven are taken from where they would be if a layer had another number of elements.
static void add_layers(std::vector<Hypothesis>& found, const Space& space) {
  static const Neighbour own{0, 0, 0};
  const auto taken = [&space](std::int64_t number, const Neighbour& o, std::int64_t in_layer) {
    const std::int64_t z = clamped(number / (space.rows * space.columns) + o.z, space.layers),
                       y = clamped(number / space.columns % space.rows + o.y, space.rows),
                       x = clamped(number % space.columns + o.x, space.columns),
                       at = z * in_layer + y * space.columns + x;
    return space.is_there(at) ? space.element(at) : 0.0;
  };
  const std::pair<std::string, std::int64_t> sizes[] = {{"columns · layers", space.columns * space.layers},
                                                        {"rows · layers", space.rows * space.layers}};
  for (const auto& [words, in_layer] : sizes)
    found.push_back({"layer-of-layers",
                     "comes out if a layer had " + words + " elements: it has columns · rows",
                     [taken, in_layer](std::size_t s) {
                       const auto number = static_cast<std::int64_t>(s);
                       double total = 2 * taken(number, own, in_layer);
                       for (const Neighbour& o : six) total += taken(number, o, in_layer);
                       return total / 8;
                     }});
}

// One neighbour is another number of elements away; where there is none, its own element stands for it.
static void add_distances(std::vector<Hypothesis>& found, const Space& space) {
  const std::int64_t of_axis[] = {space.rows * space.columns, space.columns, 1};
  static const std::string words_of_axis[] = {"rows * columns", "columns", "1"};
  const std::pair<std::string, std::int64_t> others[] = {{"1", 1},
                                                         {"columns", space.columns},
                                                         {"rows", space.rows},
                                                         {"layers", space.layers},
                                                         {"columns * layers", space.columns * space.layers},
                                                         {"rows * layers", space.rows * space.layers}};
  for (const Neighbour& o : six) {
    const std::size_t axis = o.z != 0 ? 0 : o.y != 0 ? 1 : 2;
    for (const auto& [words, distance] : others) {
      if (distance == of_axis[axis]) continue;
      found.push_back(
          {"distance-of-neighbour",
           "comes out if the neighbour " + o.where + " were " + words + " elements away: it is " +
               words_of_axis[axis],
           [&space, &o, axis, distance](std::size_t s) {
             const auto number = static_cast<std::int64_t>(s);
             const std::int64_t at[] = {number / (space.rows * space.columns),
                                        number / space.columns % space.rows, number % space.columns};
             const std::int64_t step = o.z + o.y + o.x, next = at[axis] + step;
             const bool is_inside = 0 <= next && next < space.limits()[axis];
             const std::int64_t other = number + (is_inside ? step * distance : 0);
             return space.sum(s, 2, replaced(o, {})) + (space.is_there(other) ? space.element(other) / 8 : 0);
           }});
    }
  }
}

// Neighbours are so many numbers away, and one beyond an end of the array is what `beyond` says.
static void add_flat(std::vector<Hypothesis>& found, const Space& space) {
  using Beyond = std::function<double(std::int64_t own, std::int64_t number)>;
  const std::int64_t last = space.layers * space.rows * space.columns;
  const std::vector<Beyond> all = {
      [&space, last](std::int64_t, std::int64_t at) { return space.element(clamped(at, last)); },
      [&space](std::int64_t own, std::int64_t at) { return space.element(space.is_there(at) ? at : own); },
      [&space](std::int64_t, std::int64_t at) { return space.is_there(at) ? space.element(at) : 0.0; }};
  for (const Beyond& beyond : all)
    found.push_back({"flat-neighbours", FLAT, [&space, beyond](std::size_t index) {
                       const auto i = static_cast<std::int64_t>(index);
                       double total = 2 * space.element(i);
                       for (const Neighbour& o : six)
                         total += beyond(i, i + (o.z * space.rows + o.y) * space.columns + o.x);
                       return total / 8;
                     }});
}

// The mistake that explains all wrong results of part 2, if it is one of these.
static std::optional<Pattern> mistake_in_stencil(const WrongResult& q) {
  using Outside = Space::Outside;
  const Space space{q.data.array("before"), q.data["layers"], q.data["rows"], q.data["columns"]};
  const auto in_layer = [&](std::size_t s) { return space.sum(s, 0, {six.begin() + 2, six.end()}); };
  const auto in_pairs = [&](std::size_t s, std::ptrdiff_t first) {
    return space.sum(s, 0, {six.begin() + first, six.begin() + first + 2});
  };
  std::vector<Hypothesis> found = {
      {"zeros-outside", "comes out if elements outside are 0: take the nearest at the border",
       [&](std::size_t s) { return space.sum(s, 2, six, Outside::zero); }},
      {"wrapped-around", "comes out if the space goes on at its other side: take the nearest at the border",
       [&](std::size_t s) { return space.sum(s, 2, six, Outside::other_side); }}};
  add_flat(found, space);
  const std::vector<Hypothesis> others = {
      {"border-copied",
       "comes out if what lies at the border is copied: it changes, too, and the nearest stands for what is "
       "outside",
       [&](std::size_t s) {
         return is_at_border(q.data, s) ? space.values.at(s).value : space.sum(s, 2, six);
       }},
      {"diagonal-neighbours",
       "comes out if neighbours are one row and one column away at the same time: of the six, each differs "
       "in one index only",
       [&](std::size_t s) { return space.sum(s, 2, diagonal); }},
      {"own-element-once", "counts its own element once: it counts twice",
       [&](std::size_t s) { return space.sum(s, 1, six); }},
      {"own-element-missing", "lacks its own element", [&](std::size_t s) { return space.sum(s, 0, six); }},
      {"layer-alone", "lacks its neighbours in the layers below and above",
       [&](std::size_t s) { return in_layer(s) + space.values.at(s).value / 4; }},
      {"layer-below-stays",
       "counts, as the layer below, always that below its block's first one: what is here now is below in "
       "the next layer",
       [&](std::size_t s) {
         const auto of_layer = space.rows * space.columns, z = static_cast<std::int64_t>(s) / of_layer;
         const std::int64_t first = q.shape() ? z / q.shape()->outputs[2] * q.shape()->outputs[2] : 0;
         const Neighbour stays{std::max<std::int64_t>(first - 1, 0) - z, 0, 0};
         return space.sum(s, 2, replaced(six[0], {stays}));
       }},
      {"sum-restarted", "lacks its neighbours in its own layer, as if = stood where += adds up",
       [&](std::size_t s) { return in_pairs(s, 0) + space.values.at(s).value / 4; }},
      {"sum-restarted", "lacks its neighbours in x and in z, as if = stood where += adds up",
       [&](std::size_t s) { return in_pairs(s, 2) + space.values.at(s).value / 4; }},
      {"sum-restarted", "lacks its neighbours in y and in z, as if = stood where += adds up",
       [&](std::size_t s) { return in_pairs(s, 4) + space.values.at(s).value / 4; }},
      {"neighbours-subtracted", "comes out if neighbours are subtracted: they are added",
       [&](std::size_t s) { return space.values.at(s).value / 4 - space.sum(s, 0, six); }},
      {"stored-by-columns", "is stored as if x were the slowest index in a layer: it is the fastest one",
       [&](std::size_t s) {
         const auto i = static_cast<std::int64_t>(s), rows = space.rows, at = i % (rows * space.columns);
         const std::int64_t from = i - at + at % rows * space.columns + at / rows;
         return q.data.expected("after").at(static_cast<std::size_t>(from)).value();
       }},
      factor(q, "an eighth of the sum is asked for")};
  found.insert(found.end(), others.begin(), others.end());
  add_exchanged(found, space);
  add_exchanged_pairs(found, space);
  add_farther(found, space);
  add_limits(found, space);
  add_widths(found, space);
  add_layers(found, space);
  add_distances(found, space);
  return explained(q, found);
}
