#include "cudart/memory/host_access.hpp"

#include <doctest/doctest.h>

using namespace warpgrade;
using Kind = emulator::Allocation::Kind;

TEST_CASE("an access by the host is reported with its allocation, direction and place") {
  emulator::DeviceMemory memory(std::size_t{64} << 20);
  const emulator::Allocation* a = memory.allocate(400, Kind::device, "weights");
  const emulator::Finding inside = cudart::host_access(memory, a->base + 16, false, nullptr);
  CHECK(inside.message == "the host reads device memory: at byte 16 of weights (400 bytes)");
  CHECK(std::string(emulator::code(inside.kind)) == "WG116");
  CHECK(check_of(inside.kind) == emulator::Check::memory);
  CHECK_FALSE(inside.on_device);
  CHECK(inside.memory.allocation_bytes == 400);
  const emulator::Finding past = cudart::host_access(memory, a->base + 404, true, nullptr);
  CHECK(past.message == "the host writes device memory: 4 bytes past the end of weights (400 bytes)");
  const emulator::Finding before = cudart::host_access(memory, a->base - 8, false, nullptr);
  CHECK(before.message == "the host reads device memory: 8 bytes before the start of weights (400 bytes)");
}

TEST_CASE("a range that holds no allocation has no report") {
  emulator::DeviceMemory memory(std::size_t{64} << 20);
  const emulator::Finding finding = cudart::host_access(memory, 0x1000, true, nullptr);
  CHECK(finding.message == "the host writes device memory");
}
