// Lab 12, the host half: what a program does around the kernels that you write.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "comparison/hypotheses.hpp"
#include "lab.hpp"

using namespace warpgrade::harness;

// Part 2 has no mask.
static bool is_stencil(const Dataset& data) { return data["mask_rows"] == 0; }

// The place inside that is nearest.
static std::int64_t clamped(std::int64_t i, std::int64_t count) {
  return std::clamp<std::int64_t>(i, 0, count - 1);
}

// A result that was computed in double; `size` is the sum of the magnitudes of its terms. Of whole numbers,
// every order of the operations gives exactly this result.
static Number exact(const Dataset& data, double result, double size) {
  return data.task.values == "integers" ? Number(result) : Number(result).with_scale(size);
}

// Part 1: an image and a mask, and the sum of the weighted neighbours of each element.
static void make_convolution(Dataset& data) {
  const std::int64_t rows = data["rows"], columns = data["columns"];
  const std::int64_t mask_rows = data["mask_rows"], mask_columns = data["mask_columns"];
  const View image = data.input<float>("image", {rows, columns});
  const View mask = data.input<float>("mask", {mask_rows, mask_columns});
  const View result = data.output<float>("result", {rows, columns});
  // The image with as much around it as the mask may need.
  const std::int64_t padded_columns = columns + mask_columns - 1;
  std::vector<double> padded;
  for (std::int64_t row = 0; row < rows + mask_rows - 1; ++row)
    for (std::int64_t column = 0; column < padded_columns; ++column)
      padded.push_back(
          image(clamped(row - mask_rows / 2, rows), clamped(column - mask_columns / 2, columns)).value());
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> sums(static_cast<std::size_t>(columns)), sizes(sums.size());
    for (std::int64_t i = 0; i < mask_rows; ++i)
      for (std::int64_t j = 0; j < mask_columns; ++j) {
        const double weight = mask(i, j).value();
        const double* from = &padded[static_cast<std::size_t>((row + i) * padded_columns + j)];
        for (std::size_t c = 0; c < sums.size(); ++c) {
          sums[c] += weight * from[c];
          sizes[c] += std::fabs(weight * from[c]);
        }
      }
    for (std::size_t c = 0; c < sums.size(); ++c) result(row, c) = exact(data, sums[c], sizes[c]);
  }
}

// Part 2: elements in space, and what becomes of each in one step.
static void make_stencil(Dataset& data) {
  const std::int64_t rows = data["rows"], columns = data["columns"], layers = data["layers"];
  const View before = data.input<float>("before", {layers, rows, columns});
  const View after = data.output<float>("after", {layers, rows, columns});
  const float* const elements = data.array("before").data<float>();
  const auto at = [=](std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<double>(
        elements[(clamped(z, layers) * rows + clamped(y, rows)) * columns + clamped(x, columns)]);
  };
  for (std::int64_t z = 0; z < layers; ++z)
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x) {
        double sum = 0, size = 0;
        for (const double term : {2 * at(z, y, x), at(z - 1, y, x), at(z + 1, y, x), at(z, y - 1, x),
                                  at(z, y + 1, x), at(z, y, x - 1), at(z, y, x + 1)}) {
          sum += term;
          size += std::fabs(term);
        }
        after(z, y, x) = exact(data, sum / 8, size / 8);
      }
}

static void make(Dataset& data) { is_stencil(data) ? make_stencil(data) : make_convolution(data); }

// Launches the kernel of the case's part, with as many blocks as it takes to cover the result.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const int rows = data.as_int("rows"), columns = data.as_int("columns"), layers = data.as_int("layers");
  if (is_stencil(data)) {
    kernels["stencil_step"].launch(Extent{columns, rows, layers}, on_device.read<float>("before"),
                                   on_device.write<float>("after"), columns, rows, layers);
    return;
  }
  // What cudaMemcpyToSymbol does: the weights go to the constant memory of the kernel's file.
  kernels.set("mask", on_device.read<float>("mask"), data.array("mask").count() * sizeof(float));
  kernels["convolve"].launch(Extent{columns, rows}, on_device.read<float>("image"),
                             on_device.write<float>("result"), rows, columns, data.as_int("mask_rows"),
                             data.as_int("mask_columns"));
}

// Whether an element needs others that lie outside.
static bool is_at_border(const Dataset& data, std::size_t index) {
  const std::int64_t rows = data["rows"], columns = data["columns"], layers = data["layers"];
  const bool is_space = is_stencil(data);
  const std::int64_t up = is_space ? 1 : data["mask_rows"] / 2,
                     left = is_space ? 1 : data["mask_columns"] / 2;
  const auto i = static_cast<std::int64_t>(index);
  const std::int64_t z = i / (rows * columns), row = i / columns % rows, column = i % columns;
  const auto is_near = [](std::int64_t at, std::int64_t count, std::int64_t most) {
    return at < most || at + most >= count;
  };
  return is_near(row, rows, up) || is_near(column, columns, left) || (is_space && is_near(z, layers, 1));
}

// What is right but for one factor, which the largest wrong element shows. Of a few elements, every mistake
// is.
static Hypothesis factor(const WrongResult& q, const std::string& words) {
  const Expected& expected = q.data.expected(q.result.name);
  std::size_t largest = q.wrong.front();
  for (const std::size_t i : q.wrong)
    if (std::fabs(expected.at(i).value()) > std::fabs(expected.at(largest).value())) largest = i;
  constexpr std::size_t enough = 16;
  const double by =
      q.wrong.size() < enough ? std::nan("") : q.result.at(largest).value / expected.at(largest).value();
  return {"factor", "is right but for one factor, the same for all: " + words,
          [&expected, by](std::size_t i) { return by * expected.at(i).value(); }};
}

// Of a neighbour whose place is computed by one number.
static const char* const FLAT =
    "comes out if a neighbour is so and so many numbers away, and only the number is limited: what follows "
    "the "
    "end of a row is the next row; limit each index by itself";

// The sum over the mask for one element, where `element` says what is at a place and `weight` which weight
// counts.
using Element = std::function<double(std::int64_t row, std::int64_t column)>;
using Weight = std::function<std::int64_t(std::int64_t i, std::int64_t j)>;

// The mistake that explains all wrong results of part 1, if it is one of these.
static std::optional<Pattern> mistake_in_convolution(const WrongResult& q) {
  const Array &image = q.data.array("image"), &mask = q.data.array("mask");
  const std::int64_t rows = q.data["rows"], columns = q.data["columns"];
  const std::int64_t mask_rows = q.data["mask_rows"], mask_columns = q.data["mask_columns"];
  const auto value = [&](std::int64_t row, std::int64_t column) {
    return image.at(static_cast<std::size_t>(row * columns + column)).value;
  };
  const Element at_border = [&](std::int64_t r, std::int64_t c) {
    return value(clamped(r, rows), clamped(c, columns));
  };
  const Element zero = [&](std::int64_t r, std::int64_t c) {
    return 0 <= r && r < rows && 0 <= c && c < columns ? value(r, c) : 0.0;
  };
  const Element around = [&](std::int64_t r, std::int64_t c) {
    return value((r % rows + rows) % rows, (c % columns + columns) % columns);
  };
  const Element rows_wide = [&](std::int64_t r, std::int64_t c) {
    const auto at = static_cast<std::size_t>(clamped(r, rows) * rows + clamped(c, columns));
    return at < image.count() ? image.at(at).value : 0.0;
  };
  const Element flat = [&](std::int64_t r, std::int64_t c) {
    return image.at(static_cast<std::size_t>(clamped(r * columns + c, rows * columns))).value;
  };
  const Weight as_is = [&](std::int64_t i, std::int64_t j) { return i * mask_columns + j; };
  const Weight flipped = [&](std::int64_t i, std::int64_t j) {
    return (mask_rows - 1 - i) * mask_columns + mask_columns - 1 - j;
  };
  const Weight turned = [&](std::int64_t i, std::int64_t j) {
    return (j * mask_rows + i) % (mask_rows * mask_columns);
  };
  const Weight by_rows = [&](std::int64_t i, std::int64_t j) { return i * mask_rows + j; };
  // Weights lie side by side in an array that has room for the largest mask; 0 behind the last of them.
  constexpr std::int64_t most = 15;
  const Weight as_if_largest = [&](std::int64_t i, std::int64_t j) { return i * most + j; };
  // Sums over the first `last_row` × `last_column` weights, with the mask's corner moved by `up` and `left`.
  const auto sum = [&](std::size_t index, const Element& element, const Weight& weight, std::int64_t last_row,
                       std::int64_t last_column, std::int64_t up, std::int64_t left) {
    const std::int64_t row = static_cast<std::int64_t>(index) / columns,
                       column = static_cast<std::int64_t>(index) % columns;
    double total = 0;
    for (std::int64_t i = 0; i < last_row; ++i)
      for (std::int64_t j = 0; j < last_column; ++j)
        if (const auto w = static_cast<std::size_t>(weight(i, j)); w < mask.count())
          total += mask.at(w).value * element(row + i - up, column + j - left);
    return total;
  };
  const std::int64_t up = mask_rows / 2, left = mask_columns / 2;
  const auto of = [&](const Element& element, const Weight& weight) {
    return [=, &sum](std::size_t s) { return sum(s, element, weight, mask_rows, mask_columns, up, left); };
  };
  return explained(
      q,
      {{"zeros-outside", "comes out if elements outside of the image are 0: take the nearest at the border",
        of(zero, as_is)},
       {"wrapped-around", "comes out if the image goes on at its other side: take the nearest at the border",
        of(around, as_is)},
       {"row-of-rows", "comes out if a row of the image had as many elements as the image has rows",
        of(rows_wide, as_is)},
       {"flat-neighbours", FLAT, of(flat, as_is)},
       {"mask-flipped", "comes out if the mask is read from its end", of(at_border, flipped)},
       {"mask-turned", "comes out if rows and columns of the mask are swapped", of(at_border, turned)},
       {"mask-row-of-rows", "comes out if a row of the mask had mask_rows elements; it has mask_columns",
        of(at_border, by_rows)},
       {"mask-halves-swapped",
        "comes out if half of the mask's columns went up and half of its rows to the left",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, left, up); }},
       {"mask-halves-alike",
        "comes out if half of the mask's rows went to the left, too: half of its columns does",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, up, up); }},
       {"mask-halves-alike", "comes out if half of the mask's columns went up, too: half of its rows does",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, left, left); }},
       {"mask-column-too-many", "comes out if a row of the mask had one element more: < mask_columns, not <=",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns + 1, up, left); }},
       {"mask-row-of-15",
        "comes out if a row of the mask had the 15 elements of the largest one; it has mask_columns",
        of(at_border, as_if_largest)},
       {"mask-not-centred", "comes out if the mask begins at the element, not half a mask before it",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, 0, 0); }},
       {"mask-shifted", "comes out if the mask lay one row too high: half of it, rounded down, is above",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, up + 1, left); }},
       {"mask-shifted", "comes out if the mask lay one row too low: half of it, rounded down, is above",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, up - 1, left); }},
       {"mask-shifted",
        "comes out if the mask lay one column too far left: half of it, rounded down, is left",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, up, left + 1); }},
       {"mask-shifted",
        "comes out if the mask lay one column too far right: half of it, rounded down, is left",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns, up, left - 1); }},
       {"last-mask-row-missing", "lacks what the last row of the mask adds",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows - 1, mask_columns, up, left); }},
       {"last-mask-column-missing", "lacks what the last column of the mask adds",
        [&](std::size_t s) { return sum(s, at_border, as_is, mask_rows, mask_columns - 1, up, left); }},
       {"mask-left-out", "is the sum of the elements below the mask: none is multiplied by its weight",
        [&](std::size_t s) {
          double total = 0;
          for (std::int64_t i = 0; i < mask_rows; ++i)
            for (std::int64_t j = 0; j < mask_columns; ++j)
              total += at_border(static_cast<std::int64_t>(s) / columns + i - up,
                                 static_cast<std::int64_t>(s) % columns + j - left);
          return total;
        }},
       {"only-copied", "is the element of the image: nothing is added",
        [&](std::size_t s) { return image.at(s).value; }},
       factor(q, "the weights count as they are, and their sum is divided by nothing")});
}

// A neighbour's place, relative to the element's.
struct Offset {
  std::int64_t z, y, x;
};
using Offsets = std::vector<Offset>;
static const Offsets six = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
static const Offsets diagonal = {{-1, 0, 0}, {1, 0, 0}, {0, -1, -1}, {0, -1, 1}, {0, 1, -1}, {0, 1, 1}};

// The same of part 2.
static std::optional<Pattern> mistake_in_stencil(const WrongResult& q) {
  const Array& before = q.data.array("before");
  const std::int64_t rows = q.data["rows"], columns = q.data["columns"], layers = q.data["layers"];
  // An eighth of `own` times the element and of those of its neighbours that `counts`.
  enum class Outside { nearest, zero, other_side };
  const auto place_of = [](std::int64_t i, std::int64_t count, Outside outside) {
    return outside == Outside::other_side ? (i + count) % count : clamped(i, count);
  };
  const auto sum = [&](std::size_t index, double own, Outside outside,
                       const std::function<bool(const Offset&)>& counts, const Offsets& neighbours = six) {
    const auto i = static_cast<std::int64_t>(index);
    const std::int64_t z = i / (rows * columns), y = i / columns % rows, x = i % columns;
    double total = own * before.at(index).value;
    for (const Offset& o : neighbours) {
      const std::int64_t nz = place_of(z + o.z, layers, outside), ny = place_of(y + o.y, rows, outside),
                         nx = place_of(x + o.x, columns, outside);
      const bool inside = nz == z + o.z && ny == y + o.y && nx == x + o.x;
      if (counts(o) && (inside || outside != Outside::zero))
        total += before.at(static_cast<std::size_t>((nz * rows + ny) * columns + nx)).value;
    }
    return total / 8;
  };
  // The same where neighbours are so many numbers away, and one beyond an end of the array is what `beyond`
  // says.
  const auto flat = [&](const std::function<double(std::int64_t own, std::int64_t number)>& beyond) {
    return [=, &before](std::size_t index) {
      const auto i = static_cast<std::int64_t>(index);
      double total = 2 * before.at(index).value;
      for (const Offset& o : six) total += beyond(i, i + (o.z * rows + o.y) * columns + o.x);
      return total / 8;
    };
  };
  const std::int64_t count = rows * columns * layers;
  const auto element = [&](std::int64_t i) { return before.at(static_cast<std::size_t>(i)).value; };
  const auto is_there = [=](std::int64_t number) { return number >= 0 && number < count; };
  const auto all = [](const Offset&) { return true; };
  const auto layer_twice = [&](std::int64_t above) {
    return [=, &sum](std::size_t s) {
      const auto only = [=](const Offset& o) { return o.z == above; };
      return sum(s, 2, Outside::nearest, [=](const Offset& o) { return o.z != -above; }) +
             sum(s, 0, Outside::nearest, only);
    };
  };
  return explained(
      q,
      {{"zeros-outside", "comes out if elements outside are 0: take the nearest at the border",
        [&](std::size_t s) { return sum(s, 2, Outside::zero, all); }},
       {"wrapped-around", "comes out if the space goes on at its other side: take the nearest at the border",
        [&](std::size_t s) { return sum(s, 2, Outside::other_side, all); }},
       {"flat-neighbours", FLAT,
        flat([&](std::int64_t, std::int64_t at) { return element(clamped(at, count)); })},
       {"flat-neighbours", FLAT,
        flat([&](std::int64_t own, std::int64_t at) { return element(is_there(at) ? at : own); })},
       {"flat-neighbours", FLAT,
        flat([&](std::int64_t, std::int64_t at) { return is_there(at) ? element(at) : 0.0; })},
       {"border-copied",
        "comes out if what lies at the border is copied: it changes, too, and the nearest stands for what is "
        "outside",
        [&](std::size_t s) {
          return is_at_border(q.data, s) ? before.at(s).value : sum(s, 2, Outside::nearest, all);
        }},
       {"diagonal-neighbours",
        "comes out if neighbours are one row and one column away at the same time: of the six, each differs "
        "in one index only",
        [&](std::size_t s) { return sum(s, 2, Outside::nearest, all, diagonal); }},
       {"own-element-once", "counts its own element once: it counts twice",
        [&](std::size_t s) { return sum(s, 1, Outside::nearest, all); }},
       {"own-element-missing", "lacks its own element",
        [&](std::size_t s) { return sum(s, 0, Outside::nearest, all); }},
       {"layer-alone", "lacks its neighbours in the layers below and above",
        [&](std::size_t s) { return sum(s, 2, Outside::nearest, [](const Offset& o) { return o.z == 0; }); }},
       {"layer-below-missing", "lacks its neighbour in the layer below",
        [&](std::size_t s) {
          return sum(s, 2, Outside::nearest, [](const Offset& o) { return o.z != -1; });
        }},
       {"layer-above-missing", "lacks its neighbour in the layer above",
        [&](std::size_t s) { return sum(s, 2, Outside::nearest, [](const Offset& o) { return o.z != 1; }); }},
       {"own-for-below", "counts its own element where the one in the layer below belongs",
        [&](std::size_t s) {
          return sum(s, 3, Outside::nearest, [](const Offset& o) { return o.z != -1; });
        }},
       {"own-for-above", "counts its own element where the one in the layer above belongs",
        [&](std::size_t s) { return sum(s, 3, Outside::nearest, [](const Offset& o) { return o.z != 1; }); }},
       {"layer-above-twice", "counts the layer above twice, and not the one below", layer_twice(1)},
       {"layer-below-twice", "counts the layer below twice, and not the one above", layer_twice(-1)},
       {"stored-by-columns", "is stored as if x were the slowest index in a layer: it is the fastest one",
        [&](std::size_t s) {
          const auto i = static_cast<std::int64_t>(s), in_layer = i % (rows * columns);
          const std::int64_t from = i - in_layer + in_layer % rows * columns + in_layer / rows;
          return q.data.expected("after").at(static_cast<std::size_t>(from)).value();
        }},
       factor(q, "an eighth of the sum is asked for")});
}

static std::optional<Pattern> mistake(const WrongResult& q) {
  const auto is_zero = [&](std::size_t i) { return q.result.at(i).value == 0 && is_at_border(q.data, i); };
  if (q.wrong.size() < q.result.count() && q.all(is_zero))
    return of_values(
        "border-zero",
        "is 0 and lies at the border: what lies there has a result, too, and the nearest element "
        "stands for what is outside");
  return is_stencil(q.data) ? mistake_in_stencil(q) : mistake_in_convolution(q);
}

// Runs one case on the device and returns the outcome.
static Outcome convolve(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the inputs there; the result starts as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to the result and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy the result back and compare it.
  return compare(data, on_device.copy_back(), kernels, mistake);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = convolve}, argc, argv);
}
