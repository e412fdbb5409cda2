#include "order/finding.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

TEST_CASE("of memory that the host frees, the message says whom the host has to wait for") {
  const auto release = std::make_shared<StreamOperation>(), kernel = std::make_shared<StreamOperation>();
  release->kind = StreamOperation::Kind::release;
  release->name = "cudaFree";
  kernel->name = "kernel fill";
  kernel->stream = "stream 1";
  const StreamConflict conflict{release, kernel, true, true, {}};
  const Finding finding = finding_of(conflict, DeviceMemory(1 << 20));
  CHECK(finding.kind == FindingKind::stream_ordered_memory);
  CHECK(finding.message.find("nothing makes the host wait for stream 1") != std::string::npos);
}
