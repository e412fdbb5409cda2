// Without kernels: nothing is computed, and what is not filled in or of an input is the host's.
#include "remoting/backend/data_flow/output_origin.hpp"

#include <doctest/doctest.h>

#include <string>

using warpgrade::remoting::ArrayForm;
using warpgrade::remoting::OutputOrigin;

namespace {

const ArrayForm kBytes = {"i1", {}};

std::string numbers(unsigned seed, std::size_t count) {
  std::string made;
  for (std::size_t i = 0; i < count; ++i)
    made += static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return made;
}

}  // namespace

TEST_CASE("bytes that no kernel has computed do not come from the device") {
  const std::string bytes = numbers(1, 400);
  OutputOrigin origin;
  CHECK_FALSE(origin.is_from_device(bytes, kBytes));
  origin.came(bytes, nullptr);
  CHECK_FALSE(origin.is_from_device(bytes, kBytes));
}

TEST_CASE("bytes of an input, and those that are filled in, may be left as they are") {
  const std::string input = numbers(1, 400), filled(100, '\0');
  OutputOrigin origin;
  origin.input("head" + input);
  origin.sent(input);
  origin.came(input + filled, nullptr);
  CHECK(origin.is_from_device(input, kBytes));
  CHECK(origin.is_from_device(filled, kBytes));
  CHECK(origin.is_from_device(input + filled, kBytes));
  CHECK_FALSE(origin.is_from_device(input + numbers(2, 40), kBytes));
}

TEST_CASE("an output on the twin is what it has in the place of the output's pieces") {
  const std::string input = numbers(1, 400), other = numbers(2, 400);
  OutputOrigin origin;
  origin.input(input);
  origin.came(std::string_view(input).substr(200), nullptr, std::string_view(other).substr(200));
  origin.came(std::string_view(input).substr(0, 200), nullptr, std::string_view(other).substr(0, 200));
  std::string of_twin;
  CHECK(origin.is_from_device(input, kBytes, &of_twin));
  CHECK(of_twin == other);
}

TEST_CASE("a twin that is lost has zeros in the place of an output") {
  const std::string input = numbers(1, 400);
  OutputOrigin origin;
  origin.input(input);
  origin.came(input, nullptr, {});
  std::string of_twin;
  CHECK(origin.is_from_device(input, kBytes, &of_twin));
  CHECK(of_twin == std::string(400, '\0'));
}

TEST_CASE("what came may be converted, or picked from structs") {
  const ArrayForm floats{"f4", {}};
  std::string input, own, of_twin, wanted, other, structs, structs_of_twin;
  for (int i = 1; i <= 100; ++i) {
    const double number = i * 0.375, twins = i * 0.5;
    const auto narrow = static_cast<float>(number), narrow_of_twin = static_cast<float>(twins);
    own.append(reinterpret_cast<const char*>(&number), sizeof number);
    of_twin.append(reinterpret_cast<const char*>(&twins), sizeof twins);
    wanted.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
    other.append(reinterpret_cast<const char*>(&narrow_of_twin), sizeof narrow_of_twin);
    structs += std::string(8, '\1') + wanted.substr(wanted.size() - 4);
    structs_of_twin += std::string(8, '\1') + other.substr(other.size() - 4);
  }
  for (const bool as_structs : {false, true}) {
    OutputOrigin origin;
    origin.input(wanted);  // without a kernel only what an input holds may be left as it is
    origin.input(own);
    origin.came(as_structs ? structs : own, nullptr, as_structs ? structs_of_twin : of_twin);
    std::string found;
    CHECK(origin.is_from_device(wanted, floats, &found));
    CHECK(found == other);
  }
}
