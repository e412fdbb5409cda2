// Device printf's conversions.
#include "ops/printf.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using warpgrade::emulator::format;

namespace {

// An argument buffer as the compiler packs it.
struct Buffer {
  std::vector<std::byte> bytes;
  template <class T>
  Buffer& add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
    return *this;
  }
  std::string print(const std::string& pattern) const {
    return format(
        pattern,
        [&](std::size_t offset, std::size_t count, void* to) {
          if (offset + count > bytes.size()) return false;
          std::memcpy(to, bytes.data() + offset, count);
          return true;
        },
        [](std::uint64_t address) { return "text at " + std::to_string(address); });
  }
};

}  // namespace

TEST_CASE("plain text and percent signs") { CHECK(Buffer{}.print("100%% sure\n") == "100% sure\n"); }

TEST_CASE("integers of both widths, flags, width and precision") {
  CHECK(Buffer{}.add(-5).print("[%5d]") == "[   -5]");
  CHECK(Buffer{}.add(7u).print("[%-4u]") == "[7   ]");
  CHECK(Buffer{}.add(255).print("%#x %%") == "0xff %");
  CHECK(Buffer{}.add(1).add(-1LL).print("%d %lld") == "1 -1");
  CHECK(Buffer{}.add(1).add(~0ULL).print("%d %lu") == "1 18446744073709551615");
  CHECK(Buffer{}.add(6).add(42).print("[%*d]") == "[    42]");
}

TEST_CASE("floating-point, characters, strings, pointers") {
  CHECK(Buffer{}.add(1).add(2.5).print("%d %.3f") == "1 2.500");
  CHECK(Buffer{}.add(65).print("%c") == "A");
  CHECK(Buffer{}.add(std::uint64_t{77}).print("<%s>") == "<text at 77>");
  CHECK(Buffer{}.add(std::uint64_t{0x1234}).print("%p") == "0x1234");
}

TEST_CASE("missing arguments and unknown conversions do not harm") {
  CHECK(Buffer{}.print("%d|%s") == "<?>|<?>");
  CHECK(Buffer{}.print("50%") == "50%");
  CHECK(Buffer{}.add(1).print("%9999999d").size() <= 4096);
}
