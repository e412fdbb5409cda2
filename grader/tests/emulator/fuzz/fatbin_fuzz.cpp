// Reads any bytes as a fat binary: entries, or a FormatError. libFuzzer can call it; replay.cpp is its main()
// here.
//
//   make build/asan/fuzz/fatbin && build/asan/fuzz/fatbin build/tests/kernels
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fatbin/container.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::vector<warpgrade::fatbin::Entry> entries =
        warpgrade::fatbin::read(std::as_bytes(std::span(data, size)));
    warpgrade::fatbin::choose_ptx(entries, 90);
  } catch (const warpgrade::fatbin::FormatError&) {
    // The error that a damaged file may cause.
  }
  return 0;
}
