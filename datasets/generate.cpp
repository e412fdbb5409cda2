// Makes the data sets of a lab: for each case A and B, and what a kernel must come to, in double.
//
//   generate --cases CASES.json --out DIR
//
// CASES.json = {"lab": "02-tiled", "cases": [{"name", "m", "n", "k", "values", "seed"}, …]}
// DIR gets cases.json and <case>/{A,B,C,bound}.npy, the same bytes on every machine.
// Exit codes: 0 made, 2 bad usage or bad data (a message on standard error).
#include <cblas.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "case.hpp"
#include "dataset.hpp"
#include "errors.hpp"

namespace {

using namespace warpgrade::harness;

struct Options {
  std::filesystem::path cases;
  std::filesystem::path out;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (name != "--cases" && name != "--out") throw UsageError("unknown option " + name);
    if (i + 1 == argc) throw UsageError(name + " needs a value");
    (name == "--cases" ? options.cases : options.out) = argv[i + 1];
  }
  if (options.cases.empty() || options.out.empty()) throw UsageError("both --cases and --out are needed");
  return options;
}

// OpenBLAS chooses its kernel by the processor and splits work by its cores, and reads these variables
// once, while it is loaded. So the program starts itself again with them set: one kernel that every
// x86-64 processor has, one thread.
void pin_openblas(char** argv) {
  const auto is = [](const char* name, const char* value) {
    const char* now = std::getenv(name);
    return now != nullptr && std::strcmp(now, value) == 0;
  };
  if (is("OPENBLAS_CORETYPE", "Prescott") && is("OPENBLAS_NUM_THREADS", "1")) return;
  setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
  throw DataError("cannot start again with OpenBLAS pinned: /proc/self/exe does not run");
}

Matrix<double> in_double(const Matrix<float>& matrix, double (*f)(double)) {
  Matrix<double> result(matrix.rows, matrix.columns);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) result.values[i] = f(matrix.values[i]);
  return result;
}

Matrix<double> product(const Matrix<double>& A, const Matrix<double>& B) {
  Matrix<double> C(A.rows, B.columns);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, A.rows, B.columns, A.columns, 1.0, A.values.data(),
              A.columns, B.values.data(), B.columns, 0.0, C.values.data(), C.columns);
  return C;
}

Dataset make(const Case& task) {
  Dataset data;
  data.task = task;
  data.A = random_matrix(task.m, task.k, task.values, task.seed, InputMatrix::A);
  data.B = random_matrix(task.k, task.n, task.values, task.seed, InputMatrix::B);
  const auto same = [](double x) { return x; };
  const auto magnitude = [](double x) { return std::fabs(x); };
  data.C = product(in_double(data.A, same), in_double(data.B, same));
  data.bound = product(in_double(data.A, magnitude), in_double(data.B, magnitude));
  return data;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    pin_openblas(argv);
    const CaseList list = read_cases(options.cases);
    for (const Case& task : list.cases) save_dataset(options.out / task.name, make(task));
    std::filesystem::create_directories(options.out);
    write_cases(options.out / "cases.json", list);  // last: its presence says that the set is complete
    return 0;
  } catch (const UsageError& error) {
    std::cerr << "generate: " << error.what() << ". Usage: generate --cases CASES.json --out DIR\n";
  } catch (const std::exception& error) {
    std::cerr << "generate: " << error.what() << '\n';
  }
  return 2;
}
