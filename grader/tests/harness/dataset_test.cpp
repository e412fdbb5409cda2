#include "dataset.hpp"

#include <doctest/doctest.h>

#include "errors.hpp"
#include "npy.hpp"
#include "sample_data.hpp"
#include "temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("a data set comes back from its folder as it was") {
  const TemporaryFolder folder;
  const Dataset written = sample_data(2, 3, 4);
  save_dataset(folder / "deep/sample", written);
  const Dataset read = load_dataset(folder / "deep/sample", written.task);
  CHECK(read.sizes() == std::array<int, 3>{2, 3, 4});
  CHECK(read.A.values == written.A.values);
  CHECK(read.B.values == written.B.values);
  CHECK(read.C.values == written.C.values);
  CHECK(read.bound.values == written.bound.values);
}

TEST_CASE("a matrix of another size than the case says is refused by name") {
  const TemporaryFolder folder;
  const Dataset data = sample_data(2, 3, 4);
  save_dataset(folder.path(), data);
  write_npy(folder / "B.npy", Matrix<float>(3, 4));
  const std::string said = message_of<DataError>([&] { load_dataset(folder.path(), data.task); });
  CHECK(contains(said, "B.npy: holds 3×4 numbers, but the case asks for 4×3"));
}
