#include "fatbin/compression.hpp"

#include <doctest/doctest.h>
#include <zstd.h>

#include <string>

#include "fatbin/container.hpp"

using namespace warpgrade::fatbin;

namespace {

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string zstd(const std::string& plain) {
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 19));
  return packed;
}

}  // namespace

TEST_CASE("compression: an LZ4 block by hand") {
  // Token 0x30: three literals, then the end of the block.
  const std::string block =
      "\x30"
      "abc";
  CHECK(expand_lz4(bytes(block), 3) == "abc");
  CHECK_THROWS_AS(expand_lz4(bytes(block), 2), FormatError);
  CHECK_THROWS_AS(expand_lz4(bytes(block), 4), FormatError);
  CHECK_THROWS_AS(expand_lz4(bytes(""), 1), FormatError);
}

TEST_CASE("compression: a size that LZ4 cannot reach is refused before memory is taken") {
  CHECK_THROWS_AS(expand_lz4(bytes("\x30"
                                   "abc"),
                             5000),
                  FormatError);
  CHECK_THROWS_AS(expand_lz4(bytes("\x30"
                                   "abc"),
                             std::uint64_t{1} << 50),
                  FormatError);
}

TEST_CASE("compression: zstd gives exactly the stated size, or is refused") {
  const std::string plain(100000, 'x');
  CHECK(expand_zstd(bytes(zstd(plain)), plain.size()) == plain);
  CHECK_THROWS_AS(expand_zstd(bytes(zstd(plain)), plain.size() - 1), FormatError);
  CHECK_THROWS_AS(expand_zstd(bytes(zstd(plain)), plain.size() + 1), FormatError);
  CHECK_THROWS_AS(expand_zstd(bytes("not zstd"), 8), FormatError);
  CHECK_THROWS_AS(expand_zstd(bytes(zstd(plain)), (std::uint64_t{256} << 20) + 1), FormatError);
}
