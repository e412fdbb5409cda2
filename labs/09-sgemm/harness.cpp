// Lab 09, the host half: what a program does around the kernel that you write.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include "comparison/hypotheses.hpp"
#include "lab.hpp"
#include "matrix_rounds.hpp"
#include "product_mistakes.hpp"

using namespace warpgrade::harness;

// One call of your kernel. `off`: one of the matrices starts one float after a multiple of 256 bytes; which
// one differs from case to case, so that no kernel may look at one pointer and take it for all.
struct Call {
  float alpha;
  float beta;
  bool off;
  const char* words;
};

//> calls
// With beta = 0, C is never read: there may be anything in it, and here there is NaN, which 0 · NaN would
// keep.
constexpr Call plain = {1, 0, false, "With alpha = 1 and beta = 0: "};
constexpr Call scaled = {3, 0, false, "With alpha = 3 and beta = 0: "};  // in its place where k >= n
constexpr Call onto = {-1, 2, false, "With alpha = -1 and beta = 2: "};
constexpr Call full = {2, -3, true, "With alpha = 2, beta = -3 and a matrix that starts 4 bytes off: "};
//< calls

// The values of C before a call that adds to it: numbers as in A and B, so that no rounding hides behind
// them.
static Array earlier_C(const Dataset& data) {
  Array C = make_array("C", ElementType::f32, {data["m"], data["n"]}, Role::output);
  fill_matrix(matrix_of<float>(C), data.task.values, data.task.seed + 1, InputMatrix::A);
  return C;
}

// The expected values of C, and their tolerance.
static Dataset expected(const Dataset& data, const Array& C, const Call& call) {
  Dataset wanted = data;
  const double alpha = static_cast<double>(call.alpha), beta = static_cast<double>(call.beta);
  const Expected& product = data.expected("C");
  for (std::size_t i = 0; i < C.count(); ++i) {
    const double added = beta * C.at(i).value;
    const double allowed =
        std::fabs(alpha) * product.tolerance_of(i) + product_tolerance(data.task.values, std::fabs(added));
    wanted.expected("C").set(i, alpha * product.at(i).value() + added, allowed);
  }
  return wanted;
}

// The mistake of a beta·C that is added several times, if it explains all wrong elements.
static std::optional<Pattern> beta_in_each_phase(const WrongResult& q,
                                                 const std::function<double(std::size_t)>& product,
                                                 const std::function<double(std::size_t)>& earlier,
                                                 double alpha, double beta) {
  const std::size_t first = q.wrong.front();
  const double rest = q.result.at(first).value - alpha * product(first), added = beta * earlier(first);
  const double times = added == 0 ? 0 : std::round(rest / added);
  if (!(times > 1)) return {};
  char number[32];
  std::snprintf(number, sizeof number, "%.0f", times);
  return explained(
      q, {{"beta-in-each-phase",
           std::string("has beta·C ") + number + " times: add it once, behind the loop over the phases",
           [=](std::size_t i) { return alpha * product(i) + times * beta * earlier(i); }}});
}

// The mistake that explains all wrong elements of C after this call, if it is one of these. `data` has A·B as
// its expected C; `before` is what C held.
static std::optional<Pattern> mistake(const WrongResult& q, const Dataset& data, const Array& before,
                                      const Call& call) {
  const auto product = [&](std::size_t i) { return data.expected("C").at(i).value(); };
  if (call.beta == 0) {
    if (q.all([&](std::size_t i) { return std::isnan(q.result.at(i).value); }))
      return of_values("C-read", "is NaN, as if C were read: where beta is 0, anything may stand in it");
    if (call.alpha == 1) return product_mistake(q);
    return explained(
        q, {{"alpha-ignored", "comes out if alpha were 1, which beta = 0 does not make it", product}});
  }
  const double alpha = static_cast<double>(call.alpha), beta = static_cast<double>(call.beta);
  const auto earlier = [&](std::size_t i) { return before.at(i).value; };
  const bool is_negated = alpha == -1;
  if (auto found = beta_in_each_phase(q, product, earlier, alpha, beta)) return found;
  return explained(
      q, {{"beta-ignored", "is alpha·A·B alone: what C held is not added",
           [=](std::size_t i) { return alpha * product(i); }},
          {"alpha-ignored",
           is_negated ? "comes out if alpha were 1, or if it multiplies twice" : "comes out if alpha were 1",
           [=](std::size_t i) { return product(i) + beta * earlier(i); }},
          {"neither-factor", "comes out if alpha and beta were 1",
           [=](std::size_t i) { return product(i) + earlier(i); }},
          {"product-alone", "is A·B alone, without alpha, beta and what C held", product},
          {"C-without-beta", "comes out if C were added without beta",
           [=](std::size_t i) { return alpha * product(i) + earlier(i); }},
          {"factors-exchanged", "comes out if alpha and beta have changed places",
           [=](std::size_t i) { return beta * product(i) + alpha * earlier(i); }},
          {"alpha-of-both",
           is_negated ? "comes out if beta·C is subtracted, or if alpha multiplies it, too"
                      : "comes out if alpha multiplied beta·C, too",
           [=](std::size_t i) { return alpha * (product(i) + beta * earlier(i)); }},
          {"alpha-twice", "comes out if alpha multiplies A·B twice",
           [=](std::size_t i) { return alpha * alpha * product(i) + beta * earlier(i); }},
          {"beta-complement", "comes out if 1 - beta multiplied C: beta itself is its factor",
           [=](std::size_t i) { return alpha * product(i) + (1 - beta) * earlier(i); }},
          {"beta-for-C", "is alpha·A·B times beta: beta·C is to be added",
           [=](std::size_t i) { return alpha * beta * product(i); }},
          {"C-multiplied", "is alpha·A·B times C, or beta·C: the two are to be added",
           [=](std::size_t i) { return alpha * product(i) * beta * earlier(i); }},
          {"beta-of-both", "comes out if beta multiplied alpha·A·B, too",
           [=](std::size_t i) { return beta * (alpha * product(i) + earlier(i)); }}});
}

// Launches as many blocks as it takes to cover C.
static void start(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data,
                  const Call& call) {
  const int m = data.as_int("m"), n = data.as_int("n"), k = data.as_int("k");
  const float* A = on_device.read<float>("A");
  const float* B = on_device.read<float>("B");
  float* C = on_device.write<float>("C");
  kernels.only().launch(Extent{n, m}, A, B, C, m, n, k, call.alpha, call.beta);
}

static void launch(const Kernels& kernels, const DeviceArrays& on_device, const Dataset& data) {
  start(kernels, on_device, data, plain);
}

static Outcome run(const Dataset& data, const Kernels& kernels, const Call& call) {
  // Allocate on the device and copy there what the kernel reads. C starts as "never written" or as numbers.
  const char* names[] = {"A", "B", "C"};
  const DeviceArrays on_device(data, {{names[data["m"] % 3], call.off ? std::size_t{1} : 0}});
  const Array before = earlier_C(data);
  if (call.beta != 0) on_device.preset(before);

  // A launch returns at once, and what goes wrong is reported by the call that waits for it.
  start(kernels, on_device, data, call);
  check(cudaDeviceSynchronize(), "running the kernel");

  // A kernel may write to C and to nothing else. Compare with the result in double precision.
  if (const auto fault = on_device.first_fault()) return *fault;
  return compare(expected(data, before, call), on_device.copy_back(), kernels,
                 [&](const WrongResult& q) { return mistake(q, data, before, call); });
}

// All calls of one case; the first that fails decides.
static Outcome multiply(const Dataset& data, const Kernels& kernels) {
  for (const Call& call : {data["k"] < data["n"] ? plain : scaled, onto, full}) {
    Outcome outcome = run(data, kernels, call);
    if (outcome.status == Status::pass) continue;
    outcome.message = call.words + outcome.message;
    if (outcome.wrong) outcome.wrong->explanation = outcome.message;
    return outcome;
  }
  return {};
}

int main(int argc, char** argv) {
  return run_lab({.make = make_product, .launch = launch, .run = multiply, .rounds = product_rounds}, argc,
                 argv);
}
