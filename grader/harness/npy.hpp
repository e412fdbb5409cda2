// Reads and writes matrices as .npy files (version 1.0, little-endian, C order), so that a student can open
// the data of a case: numpy.load("A.npy").
#pragma once
#include <filesystem>

#include "matrix.hpp"

namespace warpgrade::harness {

// T is float or double. Throws a DataError that names the file if it cannot be written.
template <class T>
void write_npy(const std::filesystem::path& file, const Matrix<T>& matrix);

// Throws a DataError that names the file and the error: missing, not .npy, another type,
// Fortran order, not two-dimensional, cut short.
template <class T>
Matrix<T> read_npy(const std::filesystem::path& file);

}  // namespace warpgrade::harness
