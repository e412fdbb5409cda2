#include "arrays/npy.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "base/errors.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

static Array counting(const Shape& shape) {
  Array array = make_array("A", ElementType::f32, shape, Role::input);
  std::iota(array.data<float>(), array.data<float>() + array.count(), 1.0f);
  return array;
}

static void spoil(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  std::string text = contents_of(file);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  std::ofstream(file, std::ios::binary) << text.replace(at, from.size(), to);
}

TEST_CASE("an array of any rank comes back from its file as it was") {
  const TemporaryFolder folder;
  for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 3, 4}}) {
    const Array written = counting(shape);
    write_npy(folder / "A.npy", written);
    Array read = make_array("A", ElementType::f32, shape, Role::input);
    read_npy(folder / "A.npy", read);
    CHECK(read.bytes == written.bytes);
  }
}

TEST_CASE(
    "the file is NumPy's: magic number, header of a multiple of 64 bytes that ends a line, then the "
    "numbers") {
  const TemporaryFolder folder;
  write_npy(folder / "C.npy", make_array("C", ElementType::f64, {2, 1}, Role::input));
  const std::string bytes = contents_of(folder / "C.npy");
  REQUIRE(bytes.size() == 128 + 2 * sizeof(double));
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(contains(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }"));
  CHECK(bytes[127] == '\n');
}

TEST_CASE("a file that is not the expected array is refused by name and reason") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "A.npy";
  Array wanted = counting({3, 5});
  const auto complaint = [&] { return message_of<DataError>([&] { read_npy(file, wanted); }); };
  CHECK(contains(complaint(), "A.npy: the file is missing"));
  write_npy(file, counting({3, 5}));

  SUBCASE("another kind of file") {
    std::ofstream(file) << "P5 3 5 255 and more";
    CHECK(contains(complaint(), "not an .npy file"));
  }
  SUBCASE("another type") {
    write_npy(file, make_array("A", ElementType::f64, {3, 5}, Role::input));
    CHECK(contains(complaint(), "holds '<f8' where '<f4' is expected"));
  }
  SUBCASE("Fortran order") {
    spoil(file, "False,", "True, ");
    CHECK(contains(complaint(), "in Fortran order"));
  }
  SUBCASE("one dimension") {
    spoil(file, "(3, 5), }", "(15,), } ");
    CHECK(contains(complaint(), "holds 15 numbers, but the case asks for 3×5"));
  }
  SUBCASE("something behind its dictionary") {
    spoil(file, ", }  ", ", }  x");
    CHECK(contains(complaint(), "header does not describe an array"));
  }
  SUBCASE("a dimension without digits") {
    spoil(file, "(3, 5)", "(-, 5)");
    CHECK(contains(complaint(), "header does not describe an array"));
  }
  SUBCASE("a dimension beyond all bounds") {
    spoil(file, "(3, 5), }        ", "(99999999999, 5)}");
    CHECK(contains(complaint(), "holds 99999999999×5 numbers"));
  }
  SUBCASE("cut short") {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    CHECK(contains(complaint(), "size does not fit an array of 3×5"));
  }
  SUBCASE("cut in its header") {
    std::filesystem::resize_file(file, 40);
    CHECK(contains(complaint(), "header is cut short"));
  }
}

TEST_CASE("a file that cannot be written is an error that names it") {
  const TemporaryFolder folder;
  const auto write = [&] { write_npy(folder / "missing/A.npy", counting({1, 1})); };
  CHECK(contains(message_of<DataError>(write), "cannot write"));
}
