#include "program/outputs.hpp"

#include "arrays/npy.hpp"
#include "base/emulator.hpp"
#include "cases/dataset_files.hpp"
#include "results/results.hpp"

namespace warpgrade::harness {
namespace {

HostArrays outputs_of(const Dataset& data, const std::filesystem::path& folder) {
  HostArrays outputs;
  for (const Array& array : data.arrays()) {
    if (array.role != Role::output && array.role != Role::inout) continue;
    outputs.push_back(make_array(array.name, array.type, array.shape, array.role));
    read_npy(folder / (array.name + ".npy"), outputs.back());
  }
  return outputs;
}

}  // namespace

void judge_outputs(const Options& options, const LabProgram& lab) {
  Results results(options.results);
  const Kernels none;
  for (const Case& task : read_cases(options.data / "cases.json").cases) {
    const std::filesystem::path folder = options.outputs / task.name;
    if (!std::filesystem::exists(folder)) continue;
    Dataset data = load_dataset(options.data / task.name, task);
    data.unwritten = emulator::unwritten_byte();
    results.outcome(task.name, judge_results(lab, data, outputs_of(data, folder), none));
  }
  results.end();
}

}  // namespace warpgrade::harness
