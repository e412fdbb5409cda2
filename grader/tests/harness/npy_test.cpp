#include "npy.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "errors.hpp"
#include "temporary_folder.hpp"

using namespace warpgrade::harness;

static Matrix<float> counting(int rows, int columns) {
  Matrix<float> matrix(rows, columns);
  std::iota(matrix.values.begin(), matrix.values.end(), 1.0f);
  return matrix;
}

static void spoil(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  std::string text = contents_of(file);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  std::ofstream(file, std::ios::binary) << text.replace(at, from.size(), to);
}

TEST_CASE("a matrix comes back from its file as it was") {
  const TemporaryFolder folder;
  const Matrix<float> written = counting(3, 5);
  write_npy(folder / "A.npy", written);
  const Matrix<float> read = read_npy<float>(folder / "A.npy");
  CHECK(read.rows == 3);
  CHECK(read.columns == 5);
  CHECK(read.values == written.values);
}

TEST_CASE(
    "the file is NumPy's: magic number, header of a multiple of 64 bytes that ends a line, then the "
    "numbers") {
  const TemporaryFolder folder;
  write_npy(folder / "C.npy", Matrix<double>(2, 1));
  const std::string bytes = contents_of(folder / "C.npy");
  REQUIRE(bytes.size() == 128 + 2 * sizeof(double));
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(contains(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }"));
  CHECK(bytes[127] == '\n');
}

TEST_CASE("a file that is not the expected matrix is refused by name and reason") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "A.npy";
  const auto complaint = [&] { return message_of<DataError>([&] { read_npy<float>(file); }); };
  CHECK(contains(complaint(), "A.npy: the file is missing"));
  write_npy(file, counting(3, 5));

  SUBCASE("another kind of file") {
    std::ofstream(file) << "P5 3 5 255 and more";
    CHECK(contains(complaint(), "no .npy file"));
  }
  SUBCASE("another type") {
    write_npy(file, Matrix<double>(3, 5));
    CHECK(contains(complaint(), "holds '<f8' where '<f4' is expected"));
  }
  SUBCASE("Fortran order") {
    spoil(file, "False,", "True, ");
    CHECK(contains(complaint(), "in Fortran order"));
  }
  SUBCASE("one dimension") {
    spoil(file, "(3, 5)", "(15,) ");
    CHECK(contains(complaint(), "header does not describe a matrix"));
  }
  SUBCASE("something behind its dictionary") {
    spoil(file, ", }  ", ", }  x");
    CHECK(contains(complaint(), "header does not describe a matrix"));
  }
  SUBCASE("a dimension without digits") {
    spoil(file, "(3, 5)", "(-, 5)");
    CHECK(contains(complaint(), "header does not describe a matrix"));
  }
  SUBCASE("a dimension beyond all bounds") {
    spoil(file, "(3, 5), }        ", "(99999999999, 5)}");
    CHECK(contains(complaint(), "dimension is too large"));
  }
  SUBCASE("cut short") {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    CHECK(contains(complaint(), "size does not fit a matrix of 3×5"));
  }
  SUBCASE("cut in its header") {
    std::filesystem::resize_file(file, 40);
    CHECK(contains(complaint(), "header is cut short"));
  }
}

TEST_CASE("a file that cannot be written is an error that names it") {
  const TemporaryFolder folder;
  const auto write = [&] { write_npy(folder / "missing/A.npy", counting(1, 1)); };
  CHECK(contains(message_of<DataError>(write), "cannot write"));
}
