// Lab 10, the host half: the arrays of a case. The program that reads and writes them is yours.
#include <bit>

#include "comparison/hypotheses.hpp"
#include "lab.hpp"

using namespace warpgrade::harness;

// Two arrays to read, and what the third must be.
static void make(Dataset& data) {
  const auto n = data["n"];
  const auto x = data.input<float>("x", {n});
  const auto y = data.input<float>("y", {n});
  auto z = data.output<float>("z", {n});
  for (std::int64_t i = 0; i < n; ++i) z(i) = 2 * x(i) + y(i);
}

// Where pieces of this many elements are handed out, the mistakes that take the first one for each.
template <class Element>
static void add_mistakes_in_pieces(std::vector<Hypothesis>& found, std::size_t piece, Element x, Element y) {
  const std::string of_the_first =
      " of the first " + std::to_string(piece) + ": each piece begins at an element of its own";
  found.push_back({"first-piece-again", "is computed from elements of x" + of_the_first,
                   [=](std::size_t i) { return 2 * x(i % piece) + y(i); }});
  found.push_back({"first-piece-again", "is computed from elements of y" + of_the_first,
                   [=](std::size_t i) { return 2 * x(i) + y(i % piece); }});
  found.push_back({"first-piece-again", "is computed from elements of x and y" + of_the_first,
                   [=](std::size_t i) { return 2 * x(i % piece) + y(i % piece); }});
}

// Copies whose size is n where it should be n * sizeof(float): they fill the first n / 4 elements.
template <class Element>
static void add_sizes_in_elements(std::vector<Hypothesis>& found, std::size_t n, Element x, Element y) {
  const auto filled = [=](const Element& values) {
    const double before = std::bit_cast<float>(0xcdcdcdcdu);  // what the emulator's memory holds
    return [=](std::size_t i) { return i < n / sizeof(float) ? values(i) : before; };
  };
  const auto add = [&](const std::string& name, auto from_x, auto from_y) {
    const std::string words = "is computed from elements of " + name +
                              " that no copy has filled: sizes are in bytes, n * sizeof(float)";
    found.push_back({"size-in-elements", words, [=](std::size_t i) { return 2 * from_x(i) + from_y(i); }});
  };
  add("x", filled(x), y);
  add("y", x, filled(y));
  add("x and y", filled(x), filled(y));
}

// What is missing where all from some element on are what z was before.
static std::optional<Pattern> missing_pieces(const WrongResult& q) {
  const std::size_t first = q.wrong.front();
  const double value = q.result.at(first).value;
  if (first == 0 || q.wrong.size() != q.result.count() - first ||
      !q.all([&](std::size_t i) { return q.result.at(i).value == value; }))
    return {};
  const std::string words = "they are all from z[" + std::to_string(first) + "] on, as if ";
  if (first * sizeof(float) == sizeof(void*))
    return Pattern{"size-of-pointer",
                   words + "only " + std::to_string(sizeof(void*)) +
                       " bytes came back, the size of a pointer: sizeof(z) is not that of the array, which "
                       "has n * sizeof(float)"};
  if (q.wrong.size() > first)
    return Pattern{"first-piece-only",
                   words + "one piece alone came back: each piece begins at an element of its own"};
  // Of two pieces the result does not tell which of the two mistakes it was.
  return Pattern{
      "rest-missing",
      words +
          "what is left for the last piece or block, which may be smaller, were left out: round "
          "the number of pieces and of blocks up; or, if there are two pieces, as if the second one "
          "began where the first does"};
}

// Whether all pieces came back to the beginning of z, one over the other: behind them z is as it was, and
// each element before is right for a piece behind.
static bool is_heaped_up(const WrongResult& q) {
  const Array& z = q.result;
  std::size_t piece = z.count();
  while (piece > 0 && z.at(piece - 1).value == z.at(z.count() - 1).value) --piece;
  if (piece < 2 || 2 * piece > z.count()) return false;
  const Expected& expected = q.data.expected("z");
  for (std::size_t i = 0; i < piece; ++i) {
    bool is_of_some = false;
    for (std::size_t from = i; from < z.count() && !is_of_some; from += piece)
      is_of_some = static_cast<float>(expected.at(from).value()) == static_cast<float>(z.at(i).value);
    if (!is_of_some) return false;
  }
  return true;
}

// The mistake that explains all that is wrong, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  const float* const x_values = q.data.array("x").data<float>();
  const float* const y_values = q.data.array("y").data<float>();
  const std::function<double(std::size_t)> x = [=](std::size_t i) { return x_values[i]; };
  const std::function<double(std::size_t)> y = [=](std::size_t i) { return y_values[i]; };
  std::vector<Hypothesis> found = {
      {"inputs-exchanged", "is x + 2y: x and y have changed places, in a copy or in the launch",
       [=](std::size_t i) { return x(i) + 2 * y(i); }},
      {"x-twice", "is 2x + x: y never comes to the kernel", [=](std::size_t i) { return 3 * x(i); }},
      {"y-twice", "is 2y + y: x never comes to the kernel", [=](std::size_t i) { return 3 * y(i); }},
      {"a-left-out", "is x + y: a is 2", [=](std::size_t i) { return x(i) + y(i); }},
      {"a-times-the-sum", "is 2(x + y): x alone is to be multiplied by a",
       [=](std::size_t i) { return 2 * (x(i) + y(i)); }},
      {"x-for-z", "is x itself: z is to be copied back", x},
      {"y-for-z", "is y itself: z is to be copied back", y}};
  constexpr std::size_t least = 32;
  for (std::size_t piece = least; piece < q.result.count(); piece *= 2)
    add_mistakes_in_pieces(found, piece, x, y);
  add_sizes_in_elements(found, q.result.count(), x, y);
  const auto pattern = explained(q, found);
  if (pattern) return pattern;
  if (const auto missing = missing_pieces(q)) return missing;
  if (!is_heaped_up(q)) return {};
  return Pattern{"heaped-up",
                 "all pieces come back to the beginning of z, one over the other: each has a place of its "
                 "own, z + begin"};
}

static Outcome judge(const Dataset& data, const HostArrays& results, const Kernels& kernels) {
  return compare(data, results, kernels, mistake);
}

int main(int argc, char** argv) { return run_lab({.make = make, .judge = judge}, argc, argv); }
