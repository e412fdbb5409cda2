// The trace: every access of one block, in the order of execution, for drawings and for readers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/program.hpp"
#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {
struct LaunchRequest;
class DeviceMemory;
}  // namespace warpgrade::emulator

namespace warpgrade::emulator {

struct Access;

struct TraceEvent {
  enum class Kind : std::uint8_t { read, write, atomic, barrier };
  std::uint32_t instruction = 0;  // DecodedInstruction::index
  std::uint32_t warp = 0;         // not of a barrier
  ptx::Space space = ptx::Space::none;
  Kind kind = Kind::read;
  std::uint32_t bytes = 0, mask = 0;
  std::uint64_t address[kWarpSize] = {};  // device addresses; offsets in shared and local memory
};

// A named allocation, so that the reader of a trace can tell which array an address is in.
struct TracedArray {
  std::string name;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

// What the host has named in device and managed memory, in the order of allocation.
std::vector<TracedArray> traced_arrays(const DeviceMemory& memory);

class Trace {
 public:
  void access(const Access& access);
  void barrier(std::uint32_t instruction);
  std::vector<TraceEvent> take();

  static constexpr std::size_t kMost = 200'000;  // events of one launch; later ones are left out

 private:
  std::vector<TraceEvent> events_;
};

// Before a launch's events:
// {"label","launch","kernel","kind":"launch","grid","block","parameters","shared","arrays"}. Parameters as
// they lie in memory, "0x…" of each with up to 8 bytes, else null; shared: {"name","offset","bytes"}; arrays:
// {"name","address":"0x…","bytes"}.
std::string to_json(const LaunchRequest& request, const std::vector<TracedArray>& arrays,
                    const std::string& label, std::uint64_t launch);

// {"label","launch","kernel","warp","file","line","kind":"shared load","bytes","addresses":["0x…" or null,
// …]}; a barrier of the block has warp null, bytes 0 and no addresses.
std::string to_json(const TraceEvent& event, const std::string& label, std::uint64_t launch,
                    const KernelInfo& kernel);

}  // namespace warpgrade::emulator
