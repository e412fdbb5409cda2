#include "timer.hpp"

#include <cuda_runtime_api.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "cuda_check.hpp"
#include "device_matrix.hpp"
#include "emulator.hpp"
#include "errors.hpp"
#include "kernel.hpp"
#include "session.hpp"
#include "spot_check.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t fewest_rounds = 11;
constexpr std::size_t most_rounds = 201;
constexpr double wanted_uncertainty = 0.005;
constexpr std::chrono::seconds longest{2};  // for the rounds of one size, beyond the minimum number
constexpr std::chrono::milliseconds warm_up_time{300};  // until clocks are stable

// Two events around the timed launch.
class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_), "making an event");
    check(cudaEventCreate(&stop_), "making an event");
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Milliseconds on the device.
  template <class Work>
  double time(Work work) {
    check(cudaEventRecord(start_, nullptr), "starting the clock");
    work();
    check(cudaEventRecord(stop_, nullptr), "stopping the clock");
    check(cudaDeviceSynchronize(), "running the kernel");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "reading the clock");
    return static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

// A buffer larger than L2: writing it evicts the matrices from the cache.
class CacheFlush {
 public:
  CacheFlush() {
    if (emulator::present()) return;
    int cache = 0;
    check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0), "asking for the size of L2");
    bytes_ = 2 * static_cast<std::size_t>(cache);
    check(cudaMalloc(&memory_, bytes_), "allocating a buffer larger than L2");
  }
  ~CacheFlush() { cudaFree(memory_); }
  CacheFlush(const CacheFlush&) = delete;
  CacheFlush& operator=(const CacheFlush&) = delete;

  void flush(int value) {
    if (memory_) check(cudaMemset(memory_, value & 0xff, bytes_), "flushing L2");
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// A matrix with new values in each round at the cost of a copy: a part of a longer sequence of random values,
// from an offset that a kernel cannot know.
class FreshMatrix {
 public:
  FreshMatrix(int rows, int columns, std::uint64_t seed, InputMatrix which)
      : rows_(rows), columns_(columns), pool_(pool(rows, columns, seed, which)) {}

  Matrix<float> draw(std::uint64_t seed) const {
    const std::size_t size = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_);
    const std::size_t places = pool_.size() - size + 1;
    const auto first = pool_.begin() + static_cast<std::ptrdiff_t>(random_bits(seed, 1) % places);
    Matrix<float> drawn(rows_, columns_);
    std::copy_n(first, size, drawn.values.begin());
    return drawn;
  }

 private:
  static std::vector<float> pool(int rows, int columns, std::uint64_t seed, InputMatrix which) {
    Matrix<float> values = random_matrix(rows, columns, Values::zero_mean, seed, which);
    if (emulator::present()) return std::move(values.values);  // there is only one round
    const auto spare = static_cast<int>(std::clamp<std::size_t>(values.values.size(), 1 << 10, 1 << 20));
    const Matrix<float> more = random_matrix(1, spare, Values::zero_mean, ~seed, which);
    values.values.insert(values.values.end(), more.values.begin(), more.values.end());
    return std::move(values.values);
  }

  int rows_, columns_;
  std::vector<float> pool_;
};

// The matrices of one size on host and device, with an output each for student and reference.
struct Arena {
  Arena(const std::array<int, 3>& size, std::uint64_t first_seed)
      : m(size[0]),
        n(size[1]),
        k(size[2]),
        seed(first_seed),
        fresh_A(m, k, seed, InputMatrix::A),
        fresh_B(k, n, seed, InputMatrix::B),
        A(fresh_A.draw(seed)),
        B(fresh_B.draw(~seed)),
        device_A("A", A),
        device_B("B", B),
        student_C("C", m, n),
        reference_C("C", m, n) {}

  void renew() {
    ++seed;
    A = fresh_A.draw(seed);
    B = fresh_B.draw(~seed);
    device_A.refill(A);
    device_B.refill(B);
    student_C.clear();
    reference_C.clear();
  }

  void launch(const Kernel& kernel, const DeviceMatrix& C) const {
    kernel.launch(device_A.data(), device_B.data(), C.data(), m, n, k);
  }

  int m, n, k;
  std::uint64_t seed;
  FreshMatrix fresh_A, fresh_B;
  Matrix<float> A, B;
  DeviceMatrix device_A, device_B, student_C, reference_C;
};

class Contest {
 public:
  Contest(const std::array<int, 3>& size, std::uint64_t seed, const Kernel& student, const Kernel& reference)
      : student_(student), reference_(reference), arena_(size, seed) {
    timing_.size = size;
    label_ = "time/" + std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" +
             std::to_string(size[2]) + "/";
  }

  Timing run() {
    if (!emulator::present()) warm_up();
    const std::size_t most = emulator::present() ? 1 : most_rounds;
    // Every round's result is checked, and one of them closely: the kernel cannot know which.
    const std::size_t closely = random_bits(arena_.seed, 0) % (emulator::present() ? 1 : fewest_rounds);
    std::vector<double> ratios;
    const auto end = std::chrono::steady_clock::now() + longest;
    const auto goes_on = [&](std::size_t round) {
      return round < most && !timing_.settled &&
             (round < fewest_rounds || std::chrono::steady_clock::now() < end);
    };
    for (std::size_t round = 0; goes_on(round); ++round) {
      play(round);
      ratios.push_back(timing_.reference_ms.back() / timing_.student_ms.back());
      timing_.checked =
          (round == closely ? spot_check : sum_check)(arena_.A, arena_.B, arena_.student_C, arena_.seed);
      if (timing_.checked.status != Status::pass) break;
      timing_.settled = ratios.size() >= fewest_rounds && relative_uncertainty(ratios) <= wanted_uncertainty;
    }
    timing_.ratio = median(ratios);
    return timing_;
  }

 private:
  void warm_up() {
    const auto end = std::chrono::steady_clock::now() + warm_up_time;
    do {
      arena_.launch(student_, arena_.student_C);
      check(cudaDeviceSynchronize(), "running the kernel");
      arena_.launch(reference_, arena_.reference_C);
      check(cudaDeviceSynchronize(), "running the reference");
    } while (std::chrono::steady_clock::now() < end);
  }

  void play(std::size_t round) {
    arena_.renew();
    const bool student_first = round % 2 == 0;  // alternate who runs after the other
    if (student_first) play_student();
    play_reference();
    if (student_first) return;
    arena_.reference_C.clear();  // so that the student's kernel cannot copy a right result
    play_student();
  }

  void play_student() { timing_.student_ms.push_back(launch(student_, arena_.student_C, "student")); }
  void play_reference() {
    timing_.reference_ms.push_back(launch(reference_, arena_.reference_C, "reference"));
  }

  double launch(const Kernel& kernel, const DeviceMatrix& C, const char* who) {
    emulator::label(label_ + who);
    flush_.flush(static_cast<int>(arena_.seed));
    check(cudaDeviceSynchronize(), "getting ready");
    return stopwatch_.time([&] { arena_.launch(kernel, C); });
  }

  const Kernel& student_;
  const Kernel& reference_;
  Arena arena_;
  Stopwatch stopwatch_;
  CacheFlush flush_;
  Timing timing_;
  std::string label_;
};

std::unique_ptr<Kernel> load_reference(const Options& options) {
  try {
    return std::make_unique<Kernel>(options.reference, options.kernel_name);
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    throw DataError("the reference " + options.reference.string() + " cannot be used: " + error.what());
  }
}

Timing failed_timing(const std::array<int, 3>& size, std::exception_ptr error) {
  Timing timing;
  timing.size = size;
  timing.checked = outcome_of(error);
  return timing;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The number of values below the median is binomial(n, 1/2), so ranks n/2 ± 0.98·√n enclose it with 95 %.
double relative_uncertainty(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double count = static_cast<double>(values.size());
  const double reach = 0.98 * std::sqrt(count);
  const auto rank = [&](double position) {
    return static_cast<std::size_t>(std::clamp(position, 0.0, count - 1));
  };
  const double low = values[rank(std::floor(count / 2 - reach))];
  const double high = values[rank(std::ceil(count / 2 + reach))];
  return (high - low) / 2 / median(values);
}

int run_timing(const Options& options) {
  // Each round allocates and frees matrices of the same size: new pages would take as long as the copies.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  Results results(options.results);
  record_environment(results);
  const std::unique_ptr<Kernel> reference = load_reference(options);
  bool all_good = true;
  for (const std::array<int, 3>& size : options.sizes) {
    Timing timing;
    try {
      // Loaded again, so that no device global can carry data from one size to the next.
      const Kernel student(options.kernel, options.kernel_name);
      timing = Contest(size, options.seed, student, *reference).run();
    } catch (const UsageError&) {
      throw;
    } catch (...) {
      timing = failed_timing(size, std::current_exception());
    }
    results.time(timing);
    all_good = all_good && timing.checked.status == Status::pass;
    if (timing.checked.sticky) break;  // every later CUDA call would fail
  }
  results.end();
  return all_good ? 0 : 1;
}

}  // namespace warpgrade::harness
