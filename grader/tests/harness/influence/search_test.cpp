#include "influence/search.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace warpgrade::harness;

namespace {

// A sum of the elements that `right` names, and a kernel that adds those of `got`: each element of x is its
// index plus 1, and one that is changed is ten times that.
struct Sums {
  using Uses = std::function<double(std::size_t)>;  // how often an element counts

  std::optional<Values> operator()(const Redraw::Changes& changes) {
    const auto chosen = [&](std::size_t i) { return !changes.empty() && changes.begin()->second(i); };
    ++runs;
    if (runs > last_run) return {};
    Values values{{0}, {0}, {0}, 0};
    for (std::size_t i = count; i-- > 0;) {
      const double element = static_cast<double>(i + 1) * (chosen(i) ? 10 : 1);
      values.right[0] += right(i) * element;
      values.got[0] += got(i) * element;
      if (chosen(i)) values.by = 9 * static_cast<double>(i + 1);
    }
    return values;
  }

  std::size_t count;
  Uses right, got;
  int last_run = 1 << 20;
  int runs = 0;
};

Influence influence(Sums& sums, int most = 200) {
  const Array x = make_array("x", ElementType::f64, {static_cast<std::int64_t>(sums.count)}, Role::input);
  const Values before = *sums({});
  InfluenceSearch search(
      before, [&](const auto& changes, Draw) { return sums(changes); }, most);
  REQUIRE(search.look_at({&x}));
  CHECK(sums.runs <= most + 1);
  return search.found().at(0);
}

std::vector<std::size_t> acting(const Influence& input, bool Reaction::*acts) {
  std::vector<std::size_t> found;
  for (std::int64_t i = 0; i < input.shape[0]; ++i) {
    const auto has = [&](const std::vector<Span>& spans) {
      return std::ranges::any_of(spans, [&](const Span& each) { return each.has(i) && each.of[0].*acts; });
    };
    if (has(input.spans[0]) && (input.every[0].empty() || has(input.every[0])))
      found.push_back(static_cast<std::size_t>(i));
  }
  return found;
}

double always(std::size_t) { return 1; }

// The largest of the elements of x that are needed, and the smallest of those that the kernel uses. Element i
// is 7·i modulo 16, another one 3 times that, the largest 100, the smallest -100.
struct Extremes {
  std::optional<Values> operator()(const Redraw::Changes& changes, Draw draw) const {
    Values values{{-1000}, {1000}, {0}, 0};
    for (std::size_t i = 0; i < x.count(); ++i) {
      double element = x.at(i).value;
      if (!changes.empty() && changes.begin()->second(i))
        element = draw == Draw::largest ? 100 : draw == Draw::smallest ? -100 : 3 * element;
      if (values.by == 0) values.by = element - x.at(i).value;
      if (needed(i)) values.right[0] = std::max(values.right[0], element);
      if (used(i)) values.got[0] = std::min(values.got[0], element);
    }
    return values;
  }

  Influence influence() const {
    InfluenceSearch search(*(*this)({}, Draw::other), *this, 400);
    REQUIRE(search.look_at({&x}));
    return search.found().at(0);
  }

  using Takes = std::function<bool(std::size_t)>;
  Takes needed, used;
  Array x = numbers();

  static Array numbers() {
    Array x = make_array("x", ElementType::f64, {16}, Role::input);
    x.bytes.resize(16 * sizeof(double));
    for (std::size_t i = 0; i < 16; ++i) x.set(i, {static_cast<double>(7 * i % 16), 0});
    return x;
  }
};

}  // namespace

TEST_CASE("an element that is left out is found among many") {
  Sums sums{1000, always, [](std::size_t i) { return i == 999 ? 0 : 1; }};
  const Influence found = influence(sums);
  CHECK(acting(found, &Reaction::needed).size() == 1000);
  CHECK(acting(found, &Reaction::used).size() == 999);
  REQUIRE(found.weights.at(0).size() >= 2);
  CHECK(found.weights[0][1].index == Shape{999});
  CHECK(found.weights[0][1].right == doctest::Approx(1));
  CHECK(found.weights[0][1].got == 0);
}

TEST_CASE("a range that lies elsewhere is found with its ends") {
  const auto from = [](std::size_t first) {
    return [=](std::size_t i) { return first <= i && i < first + 100 ? 1.0 : 0.0; };
  };
  Sums sums{600, from(200), from(237)};
  const Influence found = influence(sums);
  const auto used = acting(found, &Reaction::used), needed = acting(found, &Reaction::needed);
  CHECK(needed.front() == 200);
  CHECK(needed.back() == 299);
  CHECK(used.front() == 237);
  CHECK(used.back() == 336);
}

TEST_CASE("with too few runs, it is said that the ends are not found") {
  const auto from = [](std::size_t first) {
    return [=](std::size_t i) { return first <= i && i < first + 100 ? 1.0 : 0.0; };
  };
  Sums sums{600, from(200), from(237)};
  const Array x = make_array("x", ElementType::f64, {600}, Role::input);
  const auto is_resolved = [&](int most) {
    InfluenceSearch search(
        *sums({}), [&](const auto& changes, Draw) { return sums(changes); }, most);
    CHECK(search.look_at({&x}));
    return search.is_resolved();
  };
  CHECK_FALSE(is_resolved(30));
  CHECK(is_resolved(200));
}

TEST_CASE("every fourth element that is left out is found in few runs") {
  Sums sums{2048, always, [](std::size_t i) { return i % 4 == 3 ? 0 : 1; }};
  const Influence found = influence(sums, 60);
  const auto used = acting(found, &Reaction::used);
  CHECK(used.size() == 1536);
  CHECK(std::ranges::none_of(used, [](std::size_t i) { return i % 4 == 3; }));
}

TEST_CASE("what acts as it should is not looked at closely") {
  Sums sums{1000, always, always};
  const Influence found = influence(sums);
  CHECK(found.whole[0].same);
  CHECK(found.spans.empty());
  CHECK(sums.runs == 2);
}

TEST_CASE("elements that count otherwise have their weights") {
  Sums sums{16, always, [](std::size_t) { return -2.0; }};
  const Influence found = influence(sums);
  for (const Weight& weight : found.weights.at(0)) CHECK(weight.got == doctest::Approx(-2));
}

TEST_CASE("a kernel that breaks off with other values is given up") {
  Sums sums{64, always, [](std::size_t i) { return i < 32 ? 1 : 0; }, 5};
  const Array x = make_array("x", ElementType::f64, {64}, Role::input);
  const Values before = *sums({});
  InfluenceSearch search(
      before, [&](const auto& changes, Draw) { return sums(changes); }, 200);
  CHECK_FALSE(search.look_at({&x}));
}

TEST_CASE("two factors that do not belong together are named") {
  // Σ x[i]·y[i], and a kernel that takes y from its end.
  const auto run = [](const Redraw::Changes& changes, Draw) {
    const auto value = [&](const char* array, std::size_t i) {
      const auto change = changes.find(array);
      const bool is_changed = change != changes.end() && change->second(i);
      return static_cast<double>(3 * i * i + (array[0] == 'x' ? 5 : 7)) +
             (is_changed ? 40 + static_cast<double>(i * i) : 0);
    };
    Values values{{0}, {0}, {0}, 40};
    for (std::size_t i = 0; i < 12; ++i) {
      values.right[0] += value("x", i) * value("y", i);
      values.got[0] += value("x", i) * value("y", 11 - i);
    }
    return std::optional<Values>(values);
  };
  const Array x = make_array("x", ElementType::f64, {12}, Role::input);
  const Array y = make_array("y", ElementType::f64, {12}, Role::input);
  InfluenceSearch search(*run({}, Draw::other), run, 400);
  REQUIRE(search.look_at({&x, &y}));
  REQUIRE(search.found()[0].partners.at(0));
  const Partners& found = *search.found()[0].partners[0];
  CHECK(found.index == Shape{0});
  CHECK(found.other == "y");
  CHECK(found.right == Shape{0});
  CHECK(found.got == Shape{11});
}

TEST_CASE("of elements of which one decides, all that may decide are found") {
  const auto from = [](std::size_t first, std::size_t last) {
    return [=](std::size_t i) { return first <= i && i <= last; };
  };
  const Influence found = Extremes{from(3, 9), from(5, 12)}.influence();
  CHECK(found.selects);
  CHECK(acting(found, &Reaction::needed) == std::vector<std::size_t>{3, 4, 5, 6, 7, 8, 9});
  CHECK(acting(found, &Reaction::used) == std::vector<std::size_t>{5, 6, 7, 8, 9, 10, 11, 12});
  REQUIRE_FALSE(found.weights.at(0).empty());
  CHECK_FALSE(found.weights[0][0].is_steady);
}

TEST_CASE("the operation that joins the elements is named") {
  const auto some = [](std::size_t i) { return 3 <= i && i <= 9; };
  const Influence found = Extremes{some, some}.influence();
  REQUIRE(found.operations.size() == 1);
  CHECK(found.operations[0].right == std::vector<std::string>{"largest"});
  CHECK(found.operations[0].got == std::vector<std::string>{"smallest"});
}
