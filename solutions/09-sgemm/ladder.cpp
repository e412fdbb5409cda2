// The ladder of this lab: one product by everything that can compute it, one after the other, in one process.
//
//   ladder --size MxNxK --kernel LABEL=NAME=FATBIN … [--host] --out FILE.jsonl
//
// Kernels take turns launch by launch, so that all meet the same clocks; each result is checked. --host adds
// a plain triple loop, OpenBLAS and cuBLAS. The two libraries are looked for when the program runs, and a row
// that has none says so. One JSON line for each row: label, size, milliseconds (median), spread (half the
// middle half, relative), launches; "rows" where only so many rows of C were computed and the time is scaled;
// flops: operations of the whole product; "missing".
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>

#include "base/cuda_check.hpp"
#include "device/device_arrays.hpp"
#include "launches/kernels.hpp"
#include "matrix_rounds.hpp"

using namespace warpgrade::harness;

namespace {

constexpr std::size_t most_launches = 21;
constexpr std::size_t fewest_launches = 3;
constexpr double enough_ms = 800;  // limit for the launches of one row after the minimum number
constexpr int loop_rows = 2;       // rows of C that the triple loop computes; the others take as long
constexpr std::uint64_t seed = 20260;

struct Problem {
  int m, n, k;
  Dataset data;
  DeviceArrays on_device;
  Matrix<const float> A, B;
  const float *device_A, *device_B;
  float* device_C;

  Problem(int rows, int columns, int depth)
      : m(rows),
        n(columns),
        k(depth),
        data(filled({"ladder", {{"m", m}, {"n", n}, {"k", k}}, "zero-mean", seed, {}})),
        on_device(data),
        A(matrix_of<float>(std::as_const(data).array("A"))),
        B(matrix_of<float>(std::as_const(data).array("B"))),
        device_A(on_device.read<float>("A")),
        device_B(on_device.read<float>("B")),
        device_C(on_device.write<float>("C")) {}

  static Dataset filled(const Case& task) {
    Dataset data(task);
    declare_product(data);
    fill_product(data);
    return data;
  }
};

struct Row {
  std::string label;
  std::function<void(Problem&)> work = nullptr;  // nothing: `missing` says why
  bool on_device = true;
  int rows = 0;  // rows of C that are computed; 0: all
  std::string missing = {};
  std::vector<double> milliseconds = {};
};

double wall_ms(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double device_ms(const std::function<void()>& work) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  check(cudaEventCreate(&start), "making an event");
  check(cudaEventCreate(&stop), "making an event");
  check(cudaEventRecord(start, nullptr), "starting the clock");
  work();
  check(cudaEventRecord(stop, nullptr), "stopping the clock");
  check(cudaDeviceSynchronize(), "running the kernel");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop), "reading the clock");
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return static_cast<double>(milliseconds);
}

double launch(Row& row, Problem& problem) {
  const auto work = [&] { row.work(problem); };
  return row.on_device ? device_ms(work) : wall_ms(work);
}

// ---- rows
// ----------------------------------------------------------------------------------------------------

Row kernel_row(const std::string& word) {
  const std::size_t first = word.find('=');
  const std::size_t second = word.find('=', first + 1);
  if (second == std::string::npos) throw std::runtime_error("--kernel wants LABEL=NAME=FATBIN, not " + word);
  const auto kernels = std::make_shared<Kernels>(word.substr(second + 1),
                                                 std::vector{word.substr(first + 1, second - first - 1)});
  return {word.substr(0, first), [kernels](Problem& p) {
            // A kernel of fewer parameters reads the first ones; C = alpha·A·B + beta·C has two more.
            kernels->only().launch(Extent{p.n, p.m}, p.device_A, p.device_B, p.device_C, p.m, p.n, p.k, 1.0f,
                                   0.0f);
          }};
}

Row loop_row() {
  return {"CPU, triple loop",
          [](Problem& p) {
            const int rows = std::min(loop_rows, p.m);
            std::vector<float> C(static_cast<std::size_t>(rows) * static_cast<std::size_t>(p.n));
            for (int row = 0; row < rows; ++row)
              for (int column = 0; column < p.n; ++column) {
                float sum = 0;
                for (int i = 0; i < p.k; ++i) sum += p.A.at(row, i) * p.B.at(i, column);
                C[static_cast<std::size_t>(row * p.n + column)] = sum;
              }
            volatile float kept = C.back();
            static_cast<void>(kept);
          },
          false, loop_rows};
}

template <class Function>
Function found(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

void* opened(std::initializer_list<const char*> names, Row& row) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  row.missing = dlerror();
  return nullptr;
}

Row openblas_row() {
  Row row{"OpenBLAS"};
  row.on_device = false;
  void* library = opened({"libopenblas.so.0"}, row);
  using Sgemm =
      void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  const auto sgemm = library ? found<Sgemm>(library, "cblas_sgemm") : nullptr;
  if (!sgemm) return row;
  row.work = [sgemm](Problem& p) {
    constexpr int row_major = 101;
    constexpr int as_it_is = 111;
    static std::vector<float> C;
    C.resize(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    sgemm(row_major, as_it_is, as_it_is, p.m, p.n, p.k, 1, p.A.values, p.k, p.B.values, p.n, 0, C.data(),
          p.n);
  };
  return row;
}

// Pedantic: single precision all the way, no tensor cores, no reduced inputs.
Row cublas_row() {
  Row row{"cuBLAS"};
  void* library = opened({"libcublas.so.13", "libcublas.so.12"}, row);
  if (!library) return row;
  void* handle = nullptr;
  const auto create = found<int (*)(void**)>(library, "cublasCreate_v2");
  const auto set_mode = found<int (*)(void*, int)>(library, "cublasSetMathMode");
  using Sgemm = int (*)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                        const float*, float*, int);
  const auto sgemm = found<Sgemm>(library, "cublasSgemm_v2");
  constexpr int pedantic = 2;
  if (!create || !set_mode || !sgemm || create(&handle) != 0 || set_mode(handle, pedantic) != 0) {
    row.missing = "cuBLAS does not start";
    return row;
  }
  row.work = [=](Problem& p) {
    // It counts by columns: the transposed product of the transposed matrices.
    const float one = 1;
    const float zero = 0;
    const int status =
        sgemm(handle, 0, 0, p.n, p.m, p.k, &one, p.device_B, p.n, p.device_A, p.k, &zero, p.device_C, p.n);
    if (status != 0) throw std::runtime_error("cuBLAS fails with status " + std::to_string(status));
  };
  return row;
}

// ---- measuring
// -----------------------------------------------------------------------------------------------

// Once, untimed: warms up, and checks what comes out.
void prove(Row& row, Problem& problem) {
  if (row.on_device) problem.on_device.refill(problem.data);
  row.work(problem);
  if (!row.on_device) return;
  check(cudaDeviceSynchronize(), "running " + row.label);
  const DeviceArrays::Downloaded after = problem.on_device.download();
  if (const auto fault = after.first_fault_of_outputs())
    throw std::runtime_error(row.label + ": " + fault->message);
  const HostArrays results = after.results();
  const Outcome outcome = spot_check(problem.A, problem.B, matrix_of<float>(results.at(0)), seed);
  if (outcome.status != Status::pass) throw std::runtime_error(row.label + ": " + outcome.message);
}

void measure(std::vector<Row>& rows, Problem& problem) {
  for (Row& row : rows)
    if (row.work) prove(row, problem);
  for (std::size_t round = 0; round < most_launches; ++round)
    for (Row& row : rows) {
      if (!row.work) continue;
      double spent = 0;
      for (const double milliseconds : row.milliseconds) spent += milliseconds;
      if (spent > (row.milliseconds.size() < fewest_launches ? 2 * enough_ms : enough_ms)) continue;
      row.milliseconds.push_back(launch(row, problem));
    }
}

void write(std::ostream& out, Row& row, const Problem& problem) {
  out << "{\"label\": \"" << row.label << "\", \"size\": [" << problem.m << ", " << problem.n << ", "
      << problem.k << "]";
  if (row.milliseconds.empty()) {
    std::string words = row.missing;
    std::replace(words.begin(), words.end(), '"', '\'');
    out << ", \"missing\": \"" << words << "\"}\n";
    return;
  }
  std::vector<double>& times = row.milliseconds;
  std::sort(times.begin(), times.end());
  const double middle = times[times.size() / 2];
  const double spread = (times[times.size() * 3 / 4] - times[times.size() / 4]) / 2 / middle;
  const int rows = row.rows ? std::min(row.rows, problem.m) : problem.m;
  out << ", \"milliseconds\": " << middle * problem.m / rows << ", \"spread\": " << spread
      << ", \"launches\": " << times.size() << ", \"rows\": " << rows
      << ", \"flops\": " << 2.0 * problem.m * problem.n * problem.k << "}\n";
  times.clear();
}

int run(const std::vector<std::string>& words) {
  std::vector<Row> rows;
  std::vector<std::array<int, 3>> sizes;
  std::string out;
  bool host = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if (words[i] == "--host") {
      host = true;
    } else if (words[i] == "--kernel" && more) {
      rows.push_back(kernel_row(words[++i]));
    } else if (words[i] == "--out" && more) {
      out = words[++i];
    } else if (words[i] == "--size" && more) {
      std::array<int, 3> size{};
      if (std::sscanf(words[++i].c_str(), "%dx%dx%d", &size[0], &size[1], &size[2]) != 3)
        throw std::runtime_error("--size wants MxNxK, not " + words[i]);
      sizes.push_back(size);
    } else {
      throw std::runtime_error("unknown word " + words[i] + "; the head of ladder.cpp lists the options");
    }
  }
  if (host) {
    rows.insert(rows.begin(), {loop_row(), openblas_row()});
    rows.push_back(cublas_row());
  }
  std::ofstream file(out);
  for (const auto& size : sizes) {
    Problem problem(size[0], size[1], size[2]);
    measure(rows, problem);
    for (Row& row : rows) write(file, row, problem);
  }
  file.flush();
  return file.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "ladder: " << error.what() << '\n';
    return 1;
  }
}
