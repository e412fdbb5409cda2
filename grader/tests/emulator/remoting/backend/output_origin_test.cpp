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
