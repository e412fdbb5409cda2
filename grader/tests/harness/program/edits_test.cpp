#include "program/edits.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "base/errors.hpp"
#include "cases/dataset_files.hpp"
#include "tests/harness/fake_cudart/fake_cudart.hpp"
#include "tests/harness/sample_data.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

namespace {

Options options_in(const TemporaryFolder& folder, const std::string& tried) {
  std::ofstream(folder / "wanted.json") << R"({"lab": "l", "cases": [
    {"name": "small", "parameters": {"m": 4, "n": 5, "k": 3}, "values": "integers", "seed": "5"}]})";
  make_datasets(folder / "wanted.json", folder / "data", make_product);
  Options options;
  options.kernel = fake_cudart::write_kernel(folder / "kernel", fake_cudart::tiled_kernel("right"));
  options.data = folder / "data";
  options.results = folder / "results";
  options.kernels = {"matmul_tiled"};
  options.edits = {1};
  options.tried = {tried};
  options.steps = {1000};
  return options;
}

}  // namespace

// What the emulator makes of edits is tested with real kernels
// (tests/warpgrade/student/locate/test_search.py).
TEST_CASE("edits are tried on the emulator alone, and on cases that there are") {
  fake_cudart::reset();
  const TemporaryFolder folder;
  const LabProgram lab = {.make = make_product};
  CHECK(contains(message_of<UsageError>([&] { run_edits(options_in(folder, "small"), lab); }),
                 "edits are tried on the emulator alone"));
  CHECK(contains(message_of<UsageError>([&] { run_edits(options_in(folder, "large"), lab); }),
                 "--try names large, which is no case"));
}
