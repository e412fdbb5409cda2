// Makes a case again in which some elements of an input have other values, together with what is then right.
//
// A lab's make() fills the inputs and computes what is expected in one go, so nothing can be changed between
// the two. But it takes all chance from random_bits(), and element i of an array from number i of a stream:
// where a number is drawn anew, the lab itself makes the element, and all that depends on it, of another one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/dataset.hpp"

namespace warpgrade::harness {

// What the chosen elements become: other values, or the largest or smallest that chance gives.
enum class Draw { other, largest, smallest };

class Redraw {
 public:
  using Choose = std::function<bool(std::size_t element)>;
  using Changes = std::map<std::string, Choose>;  // by the name of the input

  // Makes the case to learn which streams its arrays come from. `make` is the lab's.
  Redraw(void (*make)(Dataset&), const Case& task);

  // The case as it is.
  const Dataset& original() const { return original_; }
  // The inputs of which single elements can be changed: each of their elements is drawn by its own index.
  std::vector<std::string> arrays() const;
  // The case with other values of the chosen elements of these arrays. A value that chance may give twice can
  // stay as it was.
  Dataset changed(const Changes& changes, Draw draw = Draw::other) const;

 private:
  using Bits = std::function<std::uint64_t(std::uint64_t index, std::uint64_t bits)>;  // that replace these
  using Streams = std::map<std::uint64_t, Bits>;
  // Where an array comes from, and the bits of which the lab makes its largest and smallest values.
  struct Source {
    std::uint64_t stream = 0, largest = 0, smallest = 0;
  };
  Dataset redrawn(const Streams& changes) const;
  void assign(std::uint64_t stream);
  Source source(const std::string& array, std::uint64_t stream) const;

  void (*make_)(Dataset&);
  Case task_;
  Dataset original_;
  std::map<std::string, Source> sources_;  // of the arrays that can be changed
};

}  // namespace warpgrade::harness
