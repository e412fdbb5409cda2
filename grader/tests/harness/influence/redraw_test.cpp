#include "influence/redraw.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "arrays/random_values.hpp"
#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

namespace {

Case case_of(std::int64_t n) { return {"sample", {{"n", n}}, "integers", 5, {}}; }

// The lab's own values in place of those that the harness has drawn, and a sum so far: each element is read
// as soon as it is there.
void make_sums(Dataset& data) {
  const View x = data.input<float>("x", {data["n"]});
  const View sums = data.output<float>("sums", {data["n"]});
  Number sum;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x(i) = 1 + static_cast<std::int64_t>(
                   random_bits(stream_of(data.task.seed, "own"), static_cast<std::uint64_t>(i)) % 100);
    sums(i) = sum += x(i);
  }
}

void make_constant(Dataset& data) {
  const View x = data.input<float>("x", {data["n"]});
  const View y = data.output<float>("y", {data["n"]});
  for (std::int64_t i = 0; i < x.size(); ++i) y(i) = x(i) = i;
}

// Two elements from one number.
void make_pairs(Dataset& data) {
  const View x = data.input<float>("x", {data["n"]});
  data.output<float>("y", {data["n"]});
  for (std::int64_t i = 0; i < x.size(); ++i)
    x(i) = static_cast<std::int64_t>(random_bits(data.task.seed, static_cast<std::uint64_t>(i / 2)) % 100);
}

std::vector<std::size_t> differences(const Array& a, const Array& b) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < a.count(); ++i)
    if (a.at(i).value != b.at(i).value) found.push_back(i);
  return found;
}

}  // namespace

TEST_CASE("a case is made again with another element, and with what is then right") {
  const Redraw redraw(make_product, product_case(4, 5, 6));
  REQUIRE(redraw.arrays() == std::vector<std::string>{"A", "B"});
  const Dataset data = redraw.changed({{"A", [](std::size_t i) { return i == 8; }}});
  const Dataset& before = redraw.original();
  CHECK(differences(before.array("A"), data.array("A")) == std::vector<std::size_t>{8});
  CHECK(differences(before.array("B"), data.array("B")).empty());
  // A[1][2] belongs to row 1 of C.
  CHECK(differences(before.expected("C").values, data.expected("C").values) ==
        std::vector<std::size_t>{5, 6, 7, 8, 9});
}

TEST_CASE("an element that a lab reads at once is another one from the beginning") {
  const Redraw redraw(make_sums, case_of(10));
  REQUIRE(redraw.arrays() == std::vector<std::string>{"x"});
  const Dataset data = redraw.changed({{"x", [](std::size_t i) { return i == 7; }}});
  CHECK(differences(redraw.original().array("x"), data.array("x")) == std::vector<std::size_t>{7});
  CHECK(differences(redraw.original().expected("sums").values, data.expected("sums").values) ==
        std::vector<std::size_t>{7, 8, 9});
}

TEST_CASE("elements that no number of their own decides are left alone") {
  CHECK(Redraw(make_constant, case_of(8)).arrays().empty());
  CHECK(Redraw(make_pairs, case_of(8)).arrays().empty());
}

TEST_CASE("afterwards, numbers are what they were") {
  const std::uint64_t before = random_bits(1, 2);
  const Redraw redraw(make_product, product_case(4, 5, 6));
  redraw.changed({{"A", [](std::size_t) { return true; }}});
  CHECK(random_bits(1, 2) == before);
  Dataset data(product_case(4, 5, 6));
  make_product(data);
  CHECK(differences(data.array("A"), redraw.original().array("A")).empty());
}

TEST_CASE("an element becomes the largest or the smallest that chance gives") {
  const Redraw redraw(make_product, product_case(4, 5, 6));  // whole numbers
  const auto third = [](std::size_t i) { return i == 2; };
  const double largest = redraw.changed({{"A", third}}, Draw::largest).array("A").at(2).value;
  const double smallest = redraw.changed({{"A", third}}, Draw::smallest).array("A").at(2).value;
  for (std::size_t i = 0; i < redraw.original().array("A").count(); ++i) {
    CHECK(redraw.original().array("A").at(i).value <= largest);
    CHECK(redraw.original().array("A").at(i).value >= smallest);
  }
}
