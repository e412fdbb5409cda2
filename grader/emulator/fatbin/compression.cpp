#include "fatbin/compression.hpp"

#include <lz4.h>
#include <zstd.h>

#include <limits>

#include "fatbin/container.hpp"

namespace warpgrade::fatbin {
namespace {

// Limit of a size that a header states: a damaged header must not exhaust the machine's memory.
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxLz4Ratio = 255;  // the largest ratio that the format allows

void check_size(std::uint64_t size) {
  if (size > kMaxBytes)
    throw FormatError("an entry of the fat binary states " + std::to_string(size) +
                      " uncompressed bytes, 256 MB is the most: compile with nvcc --no-compress");
}

[[noreturn]] void damaged(const char* compression) {
  throw FormatError(std::string("the ") + compression +
                    " data in the fat binary are damaged: compile the file again with nvcc -fatbin");
}

}  // namespace

std::string expand_lz4(std::span<const std::byte> packed, std::uint64_t size) {
  check_size(size);
  if (packed.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      size > (packed.size() + 1) * kMaxLz4Ratio)
    damaged("LZ4");
  std::string plain(size, '\0');
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), plain.data(),
                                      static_cast<int>(packed.size()), static_cast<int>(size));
  if (got < 0 || static_cast<std::uint64_t>(got) != size) damaged("LZ4");
  return plain;
}

std::string expand_zstd(std::span<const std::byte> packed, std::uint64_t size) {
  check_size(size);
  std::string plain(size, '\0');
  const std::size_t got = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size) damaged("zstd");
  return plain;
}

}  // namespace warpgrade::fatbin
