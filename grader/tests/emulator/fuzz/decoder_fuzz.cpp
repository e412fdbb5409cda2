// Any bytes as PTX that is placed and decoded: code or a ParseError, for each kernel and each way to run it.
//
//   (cd build/fuzz && clang++ -std=c++20 -O1 -g -fsanitize=fuzzer-no-link,address,undefined
//     -I../../grader/emulator -c ../../grader/emulator/isa/rare/*.cpp)
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -DWARPGRADE_ONLY_V1
//     -DWARPGRADE_LANES=lanes_v1 -Igrader/emulator grader/tests/emulator/fuzz/decoder_fuzz.cpp
//     grader/emulator/{ptx,isa,exec,observe}/{,lanes/}*.cpp build/fuzz/*.o -o build/fuzz/decoder
//   mkdir -p build/fuzz/corpus-decoder && ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0
//     build/fuzz/decoder -entropic=0 -max_len=4096 build/fuzz/corpus-decoder grader/tests/fixtures/ptx
//     build/tests/kernels
//
// -entropic=0: weighing the inputs takes the fuzzer three times as long as running them.
//
// Without a fuzzer, add replay.cpp and give files or folders to run through.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "machine/program_impl.hpp"
#include "ptx/parser.hpp"

using namespace warpgrade;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static emulator::DeviceMemory memory(std::size_t{64} << 20);
  try {
    const auto program =
        emulator::Program::load(ptx::parse({reinterpret_cast<const char*>(data), size}), memory);
    for (const emulator::KernelInfo* kernel : program->kernels())
      for (const bool observed : {false, true}) program->impl().code(*kernel, {observed, observed});
  } catch (const ptx::ParseError&) {
    // The error that a broken text may cause.
  }
  return 0;
}
