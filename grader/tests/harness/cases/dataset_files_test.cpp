#include "cases/dataset_files.hpp"

#include <doctest/doctest.h>

#include "arrays/npy.hpp"
#include "base/errors.hpp"
#include "tests/harness/sample_data.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

// The case as cases.json would list it, with its arrays.
static Case listed(const Dataset& data) {
  Case task = data.task;
  task.arrays = data.arrays();
  return task;
}

TEST_CASE("a data set comes back from its folder as it was") {
  const TemporaryFolder folder;
  const Dataset written = sample_data(2, 3, 4, "zero-mean");
  save_dataset(folder / "deep/sample", written);
  const Dataset read = load_dataset(folder / "deep/sample", listed(written));
  CHECK(read["m"] == 2);
  CHECK(read.array("A").bytes == written.array("A").bytes);
  CHECK(read.array("B").bytes == written.array("B").bytes);
  CHECK(read.expected("C").values.bytes == written.expected("C").values.bytes);
  CHECK(read.expected("C").tolerance == written.expected("C").tolerance);
  CHECK(read.expected("C").tolerance.size() == 6);
}

TEST_CASE("an array that kernels change has its values before and after") {
  const TemporaryFolder folder;
  Dataset written(Case{"c", {}, "", 5, {}});
  const View before = written.inout<std::uint8_t>("image", {2, 3});
  const View after = written.expected_of("image");
  after(1, 2) = 255 - before(1, 2);
  save_dataset(folder.path(), written);
  const Dataset read = load_dataset(folder.path(), listed(written));
  CHECK(read.array("image").bytes == written.array("image").bytes);
  CHECK(read.expected("image").values.bytes == written.expected("image").values.bytes);
  CHECK(read.array("image").bytes[5] != read.expected("image").values.bytes[5]);
  CHECK(read.expected("image").tolerance.empty());
}

TEST_CASE("an array of another shape than the case says is refused by name") {
  const TemporaryFolder folder;
  const Dataset data = sample_data(2, 3, 4);
  save_dataset(folder.path(), data);
  write_npy(folder / "B.npy", make_array("B", ElementType::f32, {3, 4}, Role::input));
  const std::string said = message_of<DataError>([&] { load_dataset(folder.path(), listed(data)); });
  CHECK(contains(said, "B.npy: it holds 3×4 numbers, but the case asks for 4×3"));
}

TEST_CASE("made data sets list their arrays, and cases come back with all 64 bits of the seed") {
  const TemporaryFolder folder;
  std::ofstream(folder / "wanted.json") << R"({"lab": "02-tiled", "cases": [{"name": "a", "parameters":
    {"m": 2, "n": 3, "k": 4}, "values": "integers", "seed": "18446744073709551615"}]})";
  make_datasets(folder / "wanted.json", folder / "out", make_product);
  const CaseList read = read_cases(folder / "out/cases.json");
  CHECK(read.lab == "02-tiled");
  REQUIRE(read.cases.size() == 1);
  CHECK(read.cases[0].seed == 18446744073709551615u);
  CHECK(read.cases[0].values == "integers");
  REQUIRE(read.cases[0].arrays.size() == 3);
  CHECK(read.cases[0].arrays[1].shape == Shape{4, 3});
  CHECK(load_dataset(folder / "out/a", read.cases[0]).expected("C").tolerance.empty());
}
