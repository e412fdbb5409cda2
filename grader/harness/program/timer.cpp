#include "program/timer.hpp"

#include <cuda_runtime_api.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "arrays/random_values.hpp"
#include "base/cuda_check.hpp"
#include "base/emulator.hpp"
#include "base/errors.hpp"
#include "device/device_arrays.hpp"
#include "device/gpu_turn.hpp"
#include "launches/kernels.hpp"
#include "program/session.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t fewest_rounds = 12;  // even: each order of the two kernels equally often
constexpr std::size_t most_rounds = 202;
constexpr double wanted_uncertainty = 0.005;
constexpr std::chrono::seconds longest{2};  // limit for the rounds of one size after the minimum number,
                                            // without the time that other processes have the GPU
// The warm-up ends when the last of its times agree: a GPU that was busy just now has its clocks already.
constexpr std::chrono::milliseconds longest_warm_up{300};
constexpr std::chrono::milliseconds shortest_warm_up{40};
constexpr std::size_t agreeing_times = 5;
constexpr double agreement = 0.01;
// While the processor makes the values of a round, an idle GPU lowers its clocks.
constexpr double warm_up_of_round = 10;  // milliseconds on the device
constexpr int most_launches_of_warm_up = 1000;

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

// A buffer larger than L2: writing it evicts the arrays from the cache, and keeps the GPU busy until the
// timed launch is queued behind it. On an idle GPU the first launch after a pause takes longer than the next
// one: on an H200 a kernel that moves 2048² floats took 27.3 and 16.9 µs in the two places of a round,
// and 13.2 µs in both behind the flush.
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

// The rounds of a lab without its own TimedRounds: each makes the case with another seed.
class MadeRounds : public TimedRounds {
 public:
  MadeRounds(const LabProgram& lab, Dataset& data, const Kernels& kernels) : lab_(lab), kernels_(kernels) {
    lab.make(data);
  }

  void refresh(Dataset& data, std::uint64_t seed) override {
    Case task = data.task;
    task.seed = seed;
    Dataset fresh(task);
    lab_.make(fresh);
    data = std::move(fresh);
  }
  Outcome verify(const Dataset& data, const DeviceArrays::Downloaded& after, std::uint64_t, bool) override {
    if (auto fault = after.first_fault()) return *fault;
    Outcome outcome = judge_results(lab_, data, after.results(), kernels_);
    if (outcome.status == Status::pass) return outcome;
    outcome.wrong.reset();
    outcome.message = "In a timed run: " + outcome.message;
    return outcome;
  }

 private:
  const LabProgram& lab_;
  const Kernels& kernels_;  // the student's
};

Case timed_case(const Options& options, const std::vector<std::int64_t>& size) {
  Case task;
  for (std::size_t i = 0; i < size.size(); ++i) {
    task.name += (i ? "x" : "") + std::to_string(size[i]);
    task.parameters.emplace_back(options.parameters[i], size[i]);
  }
  task.values = options.values;
  task.seed = options.seed;
  return task;
}

// The arrays of one size on host and device; student and reference have separate outputs.
struct Arena {
  Arena(const LabProgram& program, const Case& task, const Kernels& kernels)
      : lab(program),
        seed(task.seed),
        data(task),
        rounds(lab.rounds ? lab.rounds(data) : std::make_unique<MadeRounds>(lab, data, kernels)),
        student(data, {}, Upload::later),
        reference(student) {}

  // The values of the next round, on the host.
  void renew() {
    ++seed;
    rounds->refresh(data, seed);
    student.prepare(data);
  }
  void upload() const {
    student.upload();
    reference.upload_outputs();
  }

  void launch(const Kernels& kernels, const DeviceArrays& arrays) const { lab.launch(kernels, arrays, data); }

  const LabProgram& lab;
  std::uint64_t seed;
  Dataset data;
  std::unique_ptr<TimedRounds> rounds;
  DeviceArrays student, reference;
};

// Ratios of the reference's time to the student's. Each comes from two rounds with opposite orders of the
// kernels: the geometric mean cancels the advantage or disadvantage of the second launch of a round.
std::vector<double> pair_ratios(const Timing& timing) {
  const auto ratio = [&](std::size_t round) { return timing.reference_ms[round] / timing.student_ms[round]; };
  const std::size_t rounds = timing.student_ms.size();
  if (rounds == 1) return {ratio(0)};
  std::vector<double> ratios;
  for (std::size_t round = 0; round + 1 < rounds; round += 2)
    ratios.push_back(std::sqrt(ratio(round) * ratio(round + 1)));
  return ratios;
}

// Whether the last of these times lie close together.
bool agree(const std::vector<double>& times) {
  if (times.size() < agreeing_times) return false;
  const auto [least, most] = std::minmax_element(times.end() - agreeing_times, times.end());
  return *most - *least <= agreement * *least;
}

class Contest {
 public:
  Contest(const LabProgram& lab, const Case& task, const Kernels& student, const Kernels& reference)
      : student_(student), reference_(reference), arena_(lab, task, student) {
    for (const auto& [name, value] : task.parameters) timing_.size.push_back(value);
    label_ = "time/" + task.name + "/";
  }

  Timing run() {
    if (!emulator::present()) warm_up();
    const std::size_t most = emulator::present() ? 1 : most_rounds;
    // Every round's result is checked, and one of them closely: the kernel cannot know which.
    const std::size_t closely = random_bits(arena_.seed, 0) % (emulator::present() ? 1 : fewest_rounds);
    const auto own_time = [] { return std::chrono::steady_clock::now() - GpuTurn::waited(); };
    const auto end = own_time() + longest;
    const auto goes_on = [&](std::size_t round) {
      return round < most && !timing_.settled && (round < fewest_rounds || own_time() < end);
    };
    for (std::size_t round = 0; goes_on(round); ++round) {
      arena_.renew();
      const DeviceArrays::Downloaded after = play(round);
      timing_.checked = arena_.rounds->verify(arena_.data, after, arena_.seed, round == closely);
      if (timing_.checked.status != Status::pass) break;
      timing_.settled = round + 1 >= fewest_rounds && round % 2 &&
                        relative_uncertainty(pair_ratios(timing_)) <= wanted_uncertainty;
    }
    timing_.ratio = median(pair_ratios(timing_));
    return timing_;
  }

 private:
  void warm_up() {
    const GpuTurn turn;
    arena_.upload();
    const auto begin = std::chrono::steady_clock::now();
    const auto spent = [&] { return std::chrono::steady_clock::now() - begin; };
    std::vector<double> times;
    do {
      arena_.launch(student_, arena_.student);
      check(cudaDeviceSynchronize(), "running the kernel");
      times.push_back(stopwatch_.time([&] { arena_.launch(reference_, arena_.reference); }));
    } while (spent() < shortest_warm_up || (spent() < longest_warm_up && !agree(times)));
  }

  // One round on the device; what the student's kernels left there.
  DeviceArrays::Downloaded play(std::size_t round) {
    const GpuTurn turn;
    arena_.upload();
    if (!emulator::present()) raise_clocks();
    const bool student_first = round % 2 == 0;  // alternate who runs after the other
    if (student_first) play_student();
    play_reference();
    if (!student_first) {
      arena_.reference.upload_outputs();  // so that the student's kernel cannot copy a right result
      play_student();
    }
    return arena_.student.download();
  }

  // The reference's results are removed again: the student's kernel must not find them.
  void raise_clocks() {
    double spent = 0;
    for (int i = 0; i < most_launches_of_warm_up && spent < warm_up_of_round; ++i)
      spent += stopwatch_.time([&] { arena_.launch(reference_, arena_.reference); });
    arena_.reference.upload_outputs();
  }

  void play_student() { timing_.student_ms.push_back(launch(student_, arena_.student, "student")); }
  void play_reference() { timing_.reference_ms.push_back(launch(reference_, arena_.reference, "reference")); }

  double launch(const Kernels& kernels, const DeviceArrays& arrays, const char* who) {
    emulator::label(label_ + who);
    flush_.flush(static_cast<int>(arena_.seed));  // no synchronisation: the GPU must not wait for the host
    return stopwatch_.time([&] { arena_.launch(kernels, arrays); });
  }

  const Kernels& student_;
  const Kernels& reference_;
  Arena arena_;
  Stopwatch stopwatch_;
  CacheFlush flush_;
  Timing timing_;
  std::string label_;
};

std::unique_ptr<Kernels> load_reference(const Options& options) {
  try {
    return std::make_unique<Kernels>(options.reference, options.kernels);
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    throw DataError("the reference " + options.reference.string() + " cannot be used: " + error.what());
  }
}

Timing failed_timing(const std::vector<std::int64_t>& size, std::exception_ptr error) {
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

int run_timing(const Options& options, const LabProgram& lab) {
  // Each round allocates and frees arrays of the same size: new pages would take as long as the copies.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  Results results(options.results);
  record_environment(results);
  const std::unique_ptr<Kernels> reference = load_reference(options);
  bool all_good = true;
  for (const std::vector<std::int64_t>& size : options.sizes) {
    Timing timing;
    try {
      // Loaded again, so that no device global can carry data from one size to the next.
      const Kernels student(options.kernel, options.kernels);
      timing = Contest(lab, timed_case(options, size), student, *reference).run();
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
