// Parses any bytes as PTX: a tree that can be dumped, or a ParseError. libFuzzer can call it; replay.cpp is
// its main() here.
//
//   make build/asan/fuzz/ptx && build/asan/fuzz/ptx grader/tests/fixtures/ptx
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/parser/parser.hpp"
#include "ptx/tree/dump.hpp"

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
