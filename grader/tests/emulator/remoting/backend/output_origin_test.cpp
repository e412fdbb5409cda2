// Without kernels: nothing is computed, and what is not filled in or of an input is the host's.
#include "remoting/backend/output_origin.hpp"

#include <doctest/doctest.h>

#include <string>

using warpgrade::remoting::OutputOrigin;

namespace {

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
  CHECK_FALSE(origin.is_from_device(bytes));
  origin.came(bytes, nullptr);
  CHECK_FALSE(origin.is_from_device(bytes));
}

TEST_CASE("bytes of an input, and those that are filled in, may be left as they are") {
  const std::string input = numbers(1, 400), filled(100, '\0');
  OutputOrigin origin;
  origin.input("head" + input);
  origin.sent(input);
  origin.came(input + filled, nullptr);
  CHECK(origin.is_from_device(input));
  CHECK(origin.is_from_device(filled));
  CHECK(origin.is_from_device(input + filled));
  CHECK_FALSE(origin.is_from_device(input + numbers(2, 40)));
}

TEST_CASE("an output on the twin is what it has in the place of the output's pieces") {
  const std::string input = numbers(1, 400), other = numbers(2, 400);
  OutputOrigin origin;
  origin.input(input);
  origin.came(std::string_view(input).substr(200), nullptr, std::string_view(other).substr(200));
  origin.came(std::string_view(input).substr(0, 200), nullptr, std::string_view(other).substr(0, 200));
  std::string of_twin;
  CHECK(origin.is_from_device(input, &of_twin));
  CHECK(of_twin == other);
}

TEST_CASE("a twin that is lost has zeros in the place of an output") {
  const std::string input = numbers(1, 400);
  OutputOrigin origin;
  origin.input(input);
  origin.came(input, nullptr, {});
  std::string of_twin;
  CHECK(origin.is_from_device(input, &of_twin));
  CHECK(of_twin == std::string(400, '\0'));
}
