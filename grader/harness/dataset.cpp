#include "dataset.hpp"

#include <string>

#include "errors.hpp"
#include "npy.hpp"

namespace warpgrade::harness {
namespace {

template <class T>
Matrix<T> load(const std::filesystem::path& file, int rows, int columns) {
  Matrix<T> matrix = read_npy<T>(file);
  if (matrix.rows != rows || matrix.columns != columns) {
    throw DataError(file.string() + ": holds " + std::to_string(matrix.rows) + "×" +
                    std::to_string(matrix.columns) + " numbers, but the case asks for " +
                    std::to_string(rows) + "×" + std::to_string(columns) +
                    ". Make the data set again with build/datasets/generate.");
  }
  return matrix;
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& folder, const Case& task) {
  return {task, load<float>(folder / "A.npy", task.m, task.k), load<float>(folder / "B.npy", task.k, task.n),
          load<double>(folder / "C.npy", task.m, task.n), load<double>(folder / "bound.npy", task.m, task.n)};
}

void save_dataset(const std::filesystem::path& folder, const Dataset& data) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw DataError("cannot make the folder " + folder.string() + ": " + problem.message());
  write_npy(folder / "A.npy", data.A);
  write_npy(folder / "B.npy", data.B);
  write_npy(folder / "C.npy", data.C);
  write_npy(folder / "bound.npy", data.bound);
}

}  // namespace warpgrade::harness
