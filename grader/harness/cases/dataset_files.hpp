// The files of a data set: DIR/cases.json and, for each case, DIR/<case>/<array>.npy.
//
// For an input or inout array, <array>.npy holds the values before the launch; for an output, the expected
// values. The expected values of an inout array are in <array>.expected.npy. <array>.tolerance.npy holds the
// largest error of each element that counts as right; without it every element must be exact.
#pragma once
#include <filesystem>

#include "cases/dataset.hpp"

namespace warpgrade::harness {

void save_dataset(const std::filesystem::path& folder, const Dataset& data);

// Fills a data set whose arrays are those of DIR/cases.json. Throws DataError if a file is missing, damaged
// or of another type or shape.
Dataset load_dataset(const std::filesystem::path& folder, const Case& task);

// Writes DIR/cases.json and the arrays of all cases. cases.json is written last: its presence says that the
// set is complete.
void make_datasets(const std::filesystem::path& cases, const std::filesystem::path& folder,
                   void (*make)(Dataset&));

}  // namespace warpgrade::harness
