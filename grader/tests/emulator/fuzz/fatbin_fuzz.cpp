// Any bytes as a fat binary: entries or a FormatError.
//
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -Igrader/emulator
//     grader/tests/emulator/fuzz/fatbin_fuzz.cpp grader/emulator/fatbin/*.cpp -lzstd -llz4 -o
//     build/fuzz/fatbin
//   build/fuzz/fatbin build/fuzz/corpus-fatbin build/tests/kernels
//
// Without a fuzzer, add replay.cpp and give files or folders to run through.
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
