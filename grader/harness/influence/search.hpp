// Which elements of the inputs do some elements of a result depend on, as the oracle computes them and as a
// kernel does? Asked by changing parts of the inputs.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arrays/array.hpp"
#include "influence/redraw.hpp"

namespace warpgrade::harness {

constexpr double single = 0x1p-22;  // what the rounding of a float adds, in proportion

// The elements that are looked at, after a change of the inputs.
struct Values {
  std::vector<double> right;    // by the oracle
  std::vector<double> got;      // by the kernel
  std::vector<double> allowed;  // difference between the two that counts as none
  double by = 0;                // by how much the first element that was changed is another one
};

// What a change of a part of an input does to one element of the result.
struct Reaction {
  bool needed = false;  // the right value changes
  bool used = false;    // the kernel's changes
  bool same = false;    // both change by the same
  bool meet = false;    // both then give the same
  double right = 0;     // by how much
  double got = 0;
};

// Indices along one dimension of an input, each `step` behind the one before, with all of the other
// dimensions.
struct Span {
  bool has(std::int64_t at) const { return first <= at && at <= last && (at - first) % step == 0; }
  std::int64_t width() const { return (last - first) / step + 1; }

  std::int64_t first = 0, last = 0, step = 1;
  std::vector<Reaction> of = {};  // one for each element that is looked at
};

// One element of an input that was changed alone, and what a change of it by 1 does. Where the result does
// not change in proportion, as that of a maximum: 1 if it changes at all.
struct Weight {
  Shape index;
  double right = 0;
  double got = 0;
  bool is_steady = true;
};

// One element of an input, and the element of another one that the oracle joins it with, as two factors, and
// the one that the kernel does: how the result changes with the first depends on the second.
struct Partners {
  Shape index;
  std::string other;  // the other input
  Shape right;        // the index of its element, by the oracle
  Shape got;          // by the kernel
};

// By which operations the elements of an input give an element of the result.
struct Operations {
  std::vector<std::string> right;  // by the oracle
  std::vector<std::string> got;    // by the kernel
};

// How one input acts on the elements that are looked at.
struct Influence {
  std::string array;
  Shape shape;
  // The right values are elements of this input, as a maximum is: one of many may act, by their values.
  bool selects = false;
  std::vector<Reaction> whole;               // to a change of all of it
  std::vector<std::vector<Span>> spans;      // for each dimension, in their order
  std::vector<std::vector<Span>> every;      // the same, every second index and so on; empty: all act alike
  std::vector<std::vector<Weight>> weights;  // for each element that is looked at
  std::vector<std::optional<Partners>> partners = {};  // for each of these, if one was found
  std::vector<Operations> operations = {};             // for each of these; empty if not found out
};

class InfluenceSearch {
 public:
  // The values with other elements of an input; none if the kernel breaks off.
  using Run = std::function<std::optional<Values>(const Redraw::Changes& changes, Draw draw)>;

  // `most`: so often may the kernel run.
  InfluenceSearch(Values before, Run run, int most)
      : before_(std::move(before)), run_(std::move(run)), left_(most) {}

  // False if the kernel breaks off.
  bool look_at(const std::vector<const Array*>& inputs);
  const std::vector<Influence>& found() const { return found_; }
  // Whether there were runs enough to find the ends of what acts; the spans are too coarse otherwise.
  bool is_resolved() const { return is_resolved_; }

 private:
  // Whether a change of one element acts otherwise after a change of a part of another input.
  struct Joined {
    bool right = false;  // by the oracle
    bool got = false;    // by the kernel
  };
  bool react(const std::string& array, const Redraw::Choose& chosen, std::vector<Reaction>& reactions,
             Draw draw = Draw::other, double* by = nullptr);
  bool react_to_any(const Influence& input, const Redraw::Choose& chosen, std::vector<Reaction>& reactions);
  bool react(const Influence& input, std::size_t axis, Span& span);
  bool split_widest();
  bool split_evenly(Influence& input, std::size_t axis);
  bool selects(const Array& array, bool& is_one);
  bool weigh(Influence& input, std::size_t element);
  std::optional<Weight> weight(const Influence& input, std::size_t element, const Shape& index);
  void find_operations(const std::vector<const Array*>& inputs);
  std::optional<Partners> partners(const Influence& input, std::size_t element);
  bool add_index(const Influence& input, const Influence& other, std::size_t element, Partners& found);
  void find_partners();
  std::optional<Joined> joined(const Influence& input, const Shape& index, const Influence& other,
                               std::size_t axis, const Span& part, std::size_t element);

  Values before_;
  Run run_;
  int left_;
  bool is_resolved_ = true;
  std::vector<Influence> found_;
};

}  // namespace warpgrade::harness
