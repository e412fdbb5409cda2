// Decodes any bytes as PTX: each kernel becomes code for each way to run it, or a ParseError. libFuzzer can
// call it; replay.cpp is its main() here.
//
//   make build/asan/fuzz/decoder
//   build/asan/fuzz/decoder grader/tests/fixtures/ptx build/tests/kernels
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "machine/program_impl.hpp"
#include "ptx/parser/parser.hpp"

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
