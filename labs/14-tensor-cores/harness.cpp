// Lab 14, the host half: what a program does around the kernels that you write.
#include <string>
#include <vector>

#include "base/emulator.hpp"
#include "comparison/hypotheses.hpp"
#include "lab.hpp"
#include "matrix_rounds.hpp"
#include "product_mistakes.hpp"

using namespace warpgrade::harness;

// "wmma-…" is a case of part 1, "mma-…" one of part 2; the rest says which values a matrix has.
static bool is_of_wmma(const std::string& values) { return values.starts_with("wmma-"); }
static bool are_integers(const std::string& values) { return values.ends_with("-integers"); }

// A factor that half precision holds, and none with fewer bits. Of whole numbers, one factor of each product
// has 11 bits and the other one is small, so that no sum up to k = 1024 exceeds 2^24: in single precision it
// is exact in any order, in half precision it is not. Fractions are multiples of 2^-10 in (−1, 1).
static double factor(const Dataset& data, InputMatrix which, std::int64_t depth, std::uint64_t index) {
  const std::uint64_t bits =
      random_bits(mix_bits(data.task.seed ^ mix_bits(static_cast<std::uint64_t>(which))), index);
  const double sign = bits >> 63 ? -1 : 1;
  if (!are_integers(data.task.values)) return sign * static_cast<double>(1 + (bits & 1023)) / 1024;
  const bool is_wide = (depth % 2 == 0) == (which == InputMatrix::A);
  return sign * static_cast<double>(is_wide ? 1025 + 2 * (bits & 511) : 1 + bits % 8);
}

static void fill(const Dataset& data, Array& matrix, InputMatrix which) {
  const std::int64_t columns = matrix.shape[1];
  Float16* const halves = matrix.data<Float16>();
  for (std::size_t i = 0; i < matrix.count(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const std::int64_t depth = which == InputMatrix::A ? index % columns : index / columns;
    halves[i] = Float16(factor(data, which, depth, i));
  }
}

static void declare(Dataset& data) {
  const std::int64_t m = data["m"], n = data["n"], k = data["k"];
  data.add(make_array("A", ElementType::half, {m, k}, Role::input));
  data.add(make_array("B", ElementType::half, {k, n}, Role::input));
  data.output<float>("C", {m, n});
  fill(data, data.array("A"), InputMatrix::A);
  fill(data, data.array("B"), InputMatrix::B);
}

// The halves of a matrix as floats, with which the checks of all products compute.
class Floats {
 public:
  explicit Floats(const Array& matrix)
      : rows_(static_cast<int>(matrix.shape[0])), columns_(static_cast<int>(matrix.shape[1])) {
    const Float16* const halves = matrix.data<Float16>();
    for (std::size_t i = 0; i < matrix.count(); ++i) values_.push_back(static_cast<float>(halves[i].value()));
  }
  Matrix<const float> matrix() const { return {rows_, columns_, values_.data()}; }
  Array array(const std::string& name) const {
    Array found = make_array(name, ElementType::f32, {rows_, columns_}, Role::input);
    std::copy(values_.begin(), values_.end(), found.data<float>());
    return found;
  }

 private:
  int rows_, columns_;
  std::vector<float> values_;
};

// The matrices and their exact product.
static void make(Dataset& data) {
  declare(data);
  const Floats A(data.array("A")), B(data.array("B"));
  const std::string values = are_integers(data.task.values) ? "integers" : "zero-mean";
  Expected& C = data.expected("C");
  for (int row = 0; row < A.matrix().rows; ++row) {
    const ExactRow exact(A.matrix(), B.matrix(), row);
    const std::size_t start = static_cast<std::size_t>(row) * exact.product.size();
    for (std::size_t column = 0; column < exact.product.size(); ++column)
      C.set(start + column, exact.product[column], product_tolerance(values, exact.bound[column]));
  }
}

// Launches the kernel of the case's part, with as many blocks as it takes to cover C.
static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  const char* const name = is_of_wmma(data.task.values) ? "product_wmma" : "product_mma";
  const int m = data.as_int("m"), n = data.as_int("n"), k = data.as_int("k");
  kernels[name].launch(Extent{n, m}, on_device.read<Float16>("A"), on_device.read<Float16>("B"),
                       on_device.write<float>("C"), m, n, k);
}

// Mistakes of kernels that multiply by tensor cores, and what each of them computes.
class TensorCoreMistakes {
 public:
  explicit TensorCoreMistakes(const WrongResult& q)
      : A_(matrix_of<float>(q.data.array("A"))), B_(matrix_of<float>(q.data.array("B"))) {}

  std::vector<Hypothesis> all() const {
    std::vector<Hypothesis> found = {
        elsewhere("rows-exchanged",
                  "has its place 8 rows away: the first two sums of a lane and the other two", 8, 0),
        elsewhere("columns-exchanged", "has its place in the column beside it: two neighbours of a lane", 0,
                  1),
        elsewhere("columns-exchanged", "has its place 8 columns away: two products of a warp", 0, 8),
        of_A("A-blocks-exchanged",
             "comes out if of 16×16 elements of A the lower left 8×8 and the upper right are exchanged",
             [](int row, int i) {
               return Place{with(row, i, 8), with(i, row, 8)};
             }),
        of_B("B-blocks-exchanged",
             "comes out if of 16×16 elements of B the lower left 8×8 and the upper right are exchanged",
             [](int i, int column) {
               return Place{with(i, column, 8), with(column, i, 8)};
             }),
        of_B("B-halves-exchanged",
             "comes out if of 16 rows of B the first 8 and the last 8 are exchanged: the two registers of B, "
             "or of "
             "A's columns, have changed places",
             [](int i, int column) {
               return Place{i ^ 8, column};
             }),
        {"C-blocks-transposed", "comes out if every 16×16 elements of C are transposed: mem_row_major",
         [this](std::size_t e) {
           const Place own = place_of(e);
           return sum({with(own.row, own.column, 15), with(own.column, own.row, 15)}, as_is, as_is);
         }},
    };
    for (const auto& [distance, whose] : FAR) {
      const std::string place = "has its place " + std::to_string(distance);
      const std::string what = std::string(" of two ") + whose + " are exchanged";
      found.push_back(elsewhere("rows-exchanged", place + " rows away: the rows" + what, distance, 0));
      found.push_back(
          elsewhere("columns-exchanged", place + " columns away: the columns" + what, 0, distance));
      found.push_back(turned_by(distance, whose));
    }
    for (const int side : {8, 16}) {
      const std::string elements = std::to_string(side) + "×" + std::to_string(side) + " elements of ";
      const auto turned = [side](int row, int column) {
        return Place{with(row, column, side - 1), with(column, row, side - 1)};
      };
      found.push_back(of_A("A-blocks-transposed",
                           "comes out if every " + elements + "A are transposed: A lies row by row", turned));
      found.push_back(of_B(
          "B-blocks-transposed",
          "comes out if every " + elements + "B are transposed: row_major for wmma, ldmatrix.trans for mma",
          turned));
    }
    for (int depth = 16; depth < A_.columns && depth <= 128; depth *= 2) {
      const std::string tile = "'s tile of " + std::to_string(depth) + " is the first one in every turn";
      found.push_back(of_A("first-A-tile", "comes out if A" + tile, [depth](int row, int i) {
        return Place{row, i % depth};
      }));
      found.push_back(of_B("first-B-tile", "comes out if B" + tile, [depth](int i, int column) {
        return Place{i % depth, column};
      }));
    }
    return found;
  }

 private:
  struct Place {
    int row, column;
  };
  // Rows or columns between what a warp or a block computes at a time, and what that is.
  static constexpr std::pair<int, const char*> FAR[] = {
      {16, "fragments"}, {32, "fragments or warps"}, {48, "fragments"}, {64, "warps"}, {128, "warps"}};
  using Read = std::function<Place(int row, int column)>;  // what a kernel reads in place of (row, column)

  // `number` with the bits of `mask` from `other`.
  static int with(int number, int other, int mask) { return (number & ~mask) | (other & mask); }
  static double at(const Matrix<const float>& matrix, Place place) {
    const bool is_inside = place.row < matrix.rows && place.column < matrix.columns;
    return is_inside ? static_cast<double>(matrix.at(place.row, place.column)) : 0.0;
  }
  static Place as_is(int row, int column) { return {row, column}; }

  // An element of C, over a depth that whole instructions of 16 fill.
  double sum(Place element, const Read& a, const Read& b) const {
    double total = 0;
    for (int i = 0; i < (A_.columns + 15) / 16 * 16; ++i)
      total += at(A_, a(element.row, i)) * at(B_, b(i, element.column));
    return total;
  }
  Place place_of(std::size_t element) const {
    const auto n = static_cast<std::size_t>(B_.columns);
    return {static_cast<int>(element / n), static_cast<int>(element % n)};
  }
  Hypothesis of_A(const std::string& name, const std::string& words, const Read& read) const {
    return {name, words, [=, this](std::size_t e) { return sum(place_of(e), read, as_is); }};
  }
  Hypothesis of_B(const std::string& name, const std::string& words, const Read& read) const {
    return {name, words, [=, this](std::size_t e) { return sum(place_of(e), as_is, read); }};
  }
  // Each holds what belongs to the row and column whose number differs in these bits.
  Hypothesis elsewhere(const std::string& name, const std::string& words, int rows, int columns) const {
    return {name, words, [=, this](std::size_t e) {
              const Place own = place_of(e);
              return sum({own.row ^ rows, own.column ^ columns}, as_is, as_is);
            }};
  }

  // Rows and columns of what a block is made of are exchanged.
  Hypothesis turned_by(int distance, const std::string& whose) const {
    return {"parts-transposed",
            "comes out if rows and columns of the " + whose +
                " are exchanged where C is stored: look at which " + "number counts rows",
            [=, this](std::size_t e) {
              const Place own = place_of(e);
              return sum({with(own.row, own.column, distance), with(own.column, own.row, distance)}, as_is,
                         as_is);
            }};
  }

  Matrix<const float> A_, B_;
};

// Whether all wrong elements are numbers of half precision, though the right ones are not.
static bool are_halves(const WrongResult& q) {
  const auto is_half = [](double value) { return Float16(value).value() == value; };
  const Expected& C = q.data.expected("C");
  return q.all([&](std::size_t i) { return is_half(q.result.at(i).value); }) &&
         !q.all([&](std::size_t i) { return is_half(C.at(i).value()); });
}

// The mistake that explains all wrong elements, if it is one of these.
static std::optional<Pattern> mistake(const WrongResult& q) {
  if (q.all([&](std::size_t i) { return q.result.at(i).value == 0; })) return {};
  if (are_halves(q))
    return of_values("sum-in-half",
                     "is a number of half precision: sums must be floats from the first product on");
  Dataset floats(q.data.task);
  for (const char* name : {"A", "B"}) floats.add(Floats(q.data.array(name)).array(name));
  floats.output<float>("C", q.result.shape);
  floats.expected("C") = q.data.expected("C");
  const WrongResult same{floats, q.result, q.marks, q.coverage, q.wrong};
  if (const auto found = explained(same, TensorCoreMistakes(same).all())) return found;
  return product_mistake(same);
}

// Runs one case on the device and returns the outcome.
static Outcome multiply(const Dataset& data, const Kernels& kernels) {
  // Allocate on the device, and copy the matrices there; C starts as "never written".
  const DeviceArrays on_device(data);

  launch(kernels, on_device, data);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to C and to nothing else.
  if (const auto fault = on_device.first_fault()) return *fault;

  // Copy C back and compare it.
  return compare(data, on_device.copy_back(), kernels, mistake);
}

// Timed rounds: new values by a copy from a longer sequence, and checks of some rows and of the sums of all.
class Rounds : public TimedRounds {
 public:
  explicit Rounds(const Dataset& data) {
    for (const char* name : {"A", "B"}) {
      const Array& matrix = data.array(name);
      const Float16* const halves = matrix.data<Float16>();
      std::vector<Float16>& pool = pools_.emplace_back(halves, halves + matrix.count());
      // On the emulator there is only one round.
      if (!emulator::present())
        pool.insert(pool.end(), halves, halves + std::min<std::size_t>(matrix.count(), 4096));
    }
  }

  void refresh(Dataset& data, std::uint64_t seed) override {
    for (std::size_t which = 0; which < pools_.size(); ++which) {
      Array& matrix = data.array(which == 0 ? "A" : "B");
      const std::size_t places = pools_[which].size() - matrix.count() + 1;
      const auto first = static_cast<std::ptrdiff_t>(random_bits(seed, which) % places);
      std::copy_n(pools_[which].begin() + first, matrix.count(), matrix.data<Float16>());
    }
  }

  Outcome verify(const Dataset& data, const DeviceArrays::Downloaded& after, std::uint64_t seed,
                 bool closely) override {
    if (closely)
      if (auto fault = after.first_fault_of_outputs()) return *fault;
    const HostArrays results = after.results();
    const Floats A(data.array("A")), B(data.array("B"));
    return (closely ? spot_check : sum_check)(A.matrix(), B.matrix(),
                                              matrix_of<float>(result_of(results, "C")), seed);
  }

 private:
  std::vector<std::vector<Float16>> pools_;
};

static std::unique_ptr<TimedRounds> rounds(Dataset& data) {
  declare(data);
  return std::make_unique<Rounds>(data);
}

int main(int argc, char** argv) {
  return run_lab({.make = make, .launch = launch, .run = multiply, .rounds = rounds}, argc, argv);
}
