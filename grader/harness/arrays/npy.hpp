// Reads and writes arrays as .npy files (version 1.0, little-endian, C order), so that a student can open
// the data of a case: numpy.load("A.npy").
#pragma once
#include <filesystem>

#include "arrays/array.hpp"

namespace warpgrade::harness {

// Throws a DataError that names the file if it cannot be written.
void write_npy(const std::filesystem::path& file, const Array& array);

// Fills array.bytes. Throws a DataError that names the file and the error: missing, not .npy, another type or
// shape than the array has, Fortran order, cut short.
void read_npy(const std::filesystem::path& file, Array& array);

}  // namespace warpgrade::harness
