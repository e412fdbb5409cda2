// Any bytes as PTX: a tree or a ParseError, and the tree can be dumped.
//
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -Igrader/emulator
//     grader/tests/emulator/fuzz/ptx_fuzz.cpp grader/emulator/ptx/*.cpp -o build/fuzz/ptx
//   build/fuzz/ptx build/fuzz/corpus-ptx grader/tests/fixtures/ptx
//
// Without a fuzzer, add replay.cpp and give files or folders to run through.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/dump.hpp"
#include "ptx/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const warpgrade::ptx::Module module = warpgrade::ptx::parse({reinterpret_cast<const char*>(data), size});
    warpgrade::ptx::dump(module);
    for (std::size_t i = 0; i < module.locations.size(); ++i)
      if (module.locations[i].inlined_at >= static_cast<std::int32_t>(i))
        __builtin_trap();  // a chain must end
  } catch (const warpgrade::ptx::ParseError&) {
    // The error that a broken text may cause.
  }
  return 0;
}
