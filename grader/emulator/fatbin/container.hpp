// Reads NVIDIA's fat binary container: the PTX texts and ELF images in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgrade::fatbin {

struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Entry {
  enum class Kind : std::uint8_t { ptx, elf };
  Kind kind = Kind::ptx;
  int architecture = 0;  // 75 for sm_75
  int major = 0, minor = 0;
  std::string name;
  std::string payload;  // uncompressed: the PTX text without its trailing NULs, or the ELF image
};

// `bytes` is a container (magic 0xBA55ED50) or PTX text itself. Plain, LZ4 and zstd payloads.
// Throws FormatError with a remedy; checks each offset and size against `bytes` first.
std::vector<Entry> read(std::span<const std::byte> bytes);

// read() of the in-memory container at `data` whose header says its own size.
// `data` comes from a compiler-made wrapper in the running program.
std::vector<Entry> read_embedded(const void* data);

// The PTX entry to run on a device of this compute capability (90 for 9.0): the one with the
// highest architecture that is not above it. Throws FormatError if there is none.
const Entry& choose_ptx(const std::vector<Entry>& entries, int compute_capability);

// The machine code that such a device would run: the highest architecture of the same generation (the tens)
// that is not above the device's. Null if there is none.
const Entry* find_machine_code(const std::vector<Entry>& entries, int compute_capability);

}  // namespace warpgrade::fatbin
