#include "cases/dataset.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

static Dataset with(const std::string& values) { return Dataset(Case{"c", {{"n", 6}}, values, 5, {}}); }

TEST_CASE("what a lab stores in an output is expected, with its tolerance") {
  Dataset data = with("zero-mean");
  const View x = data.input<float>("x", {data["n"]}), y = data.input<float>("y", {data["n"]});
  View sum = data.output<float>("sum", {data["n"]});
  for (int i = 0; i < 6; ++i) sum(i) = 2.0 * x(i) + y(i);
  const Expected& expected = data.expected("sum");
  CHECK(expected.at(3).value() == 2 * x(3).value() + y(3).value());
  const double scale = std::fabs(2 * x(3).value()) + std::fabs(y(3).value());
  CHECK(expected.tolerance_of(3) == rounding_tolerance(ElementType::f32, scale));
}

TEST_CASE("sums in place have the tolerance of all their terms") {
  Dataset data = with("zero-mean");
  const View x = data.input<float>("x", {6});
  View sums = data.output<float>("sums", {2});
  Number total = 0;
  for (int i = 0; i < 6; ++i) {
    total += x(i);
    sums(1) += x(i);
  }
  CHECK(data.expected("sums").at(1).value() == total.value());
  CHECK(data.expected("sums").tolerance_of(1) == total.tolerance(ElementType::f32));
}

TEST_CASE("sums of whole numbers and copies must be exact") {
  Dataset data = with("integers");
  const View x = data.input<float>("x", {6});
  View sum = data.output<float>("sum", {1});
  Number total = 0;
  for (int i = 0; i < 6; ++i) total += x(i);
  sum(0) = total;
  CHECK(data.expected("sum").tolerance.empty());
  Dataset copies = with("zero-mean");
  const View a = copies.input<float>("a", {2, 3});
  View t = copies.output<float>("t", {3, 2});
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) t(column, row) = a(row, column);
  CHECK(copies.expected("t").tolerance.empty());
  CHECK(copies.expected("t").at(3).value() == a(1, 1).value());
}

TEST_CASE("a histogram counts in the integers of its type") {
  Dataset data = with("");
  const View bytes = data.input<std::uint8_t>("bytes", {6});
  View counts = data.output<std::uint32_t>("counts", {256});
  for (int i = 0; i < 6; ++i) counts(bytes(i).integer()) += 1;
  std::int64_t all = 0;
  for (int i = 0; i < 256; ++i) all += counts(i).integer();
  CHECK(all == 6);
}

TEST_CASE("mistakes of an author are named") {
  Dataset data = with("");
  const View x = data.input<float>("x", {2, 3});
  const auto said = [](auto work) { return message_of<DataError>(work); };
  CHECK(contains(said([&] { x(0); }), "'x' with 1 indices; it has 2"));
  CHECK(contains(said([&] { x(0, 3); }), "'x' outside its extents"));
  CHECK(contains(said([&] { data.input<float>("x", {1}); }), "two arrays are called 'x'"));
  CHECK(contains(said([&] { data.input<float>("y", {0}); }), "extent of 0"));
  CHECK(contains(said([&] { data.input<float>("y", {1 << 20, 1 << 20}); }), "more than 4 GiB"));
  CHECK(contains(said([&] { data["rows"]; }), "no parameter called rows"));
  CHECK(contains(said([&] { data.array("z"); }), "no array called z"));
  CHECK(contains(said([&] { data.expected_of("x"); }), "'x' is not an output"));
  CHECK(contains(said([&] { data.array("x").data<double>(); }), "of type float, not double"));
}
