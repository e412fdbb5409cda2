// Which launches are possible.
#include "launch/validate.hpp"

#include <doctest/doctest.h>

#include "launch/occupancy.hpp"
#include "tests/emulator/support/gpu_limits.hpp"

using namespace warpgrade::emulator;

namespace {

KernelInfo kernel() {
  KernelInfo made;
  made.name = "k";
  made.static_shared = made.dynamic_begin = 1000;
  return made;
}

LaunchRequest request(const KernelInfo& of, Dim3 block) {
  LaunchRequest made;
  made.kernel = &of;
  made.block = block;
  return made;
}

}  // namespace

TEST_CASE("a block of 1,024 threads may be launched, one of 1,025 not") {
  const KernelInfo k = kernel();
  CHECK_FALSE(check_request(request(k, {32, 32, 1}), stage::h200()));
  const auto refusal = check_request(request(k, {1025, 1, 1}), stage::h200());
  REQUIRE(refusal);
  CHECK(refusal->status == LaunchStatus::invalid_value);
  CHECK(refusal->message.find("1025") != std::string::npos);
  CHECK(refusal->message.find("1024") != std::string::npos);
}

TEST_CASE("extents: zero, and more than an axis allows") {
  const KernelInfo k = kernel();
  CHECK(check_request(request(k, {0, 1, 1}), stage::h200())->status == LaunchStatus::invalid_value);
  CHECK(check_request(request(k, {1, 1, 65}), stage::h200())->status == LaunchStatus::invalid_value);
  LaunchRequest wide = request(k, {1, 1, 1});
  wide.grid = {1, 65536, 1};
  CHECK(check_request(wide, stage::h200())->status == LaunchStatus::invalid_value);
  wide.grid = {65536, 65535, 1};
  CHECK_FALSE(check_request(wide, stage::h200()));
}

TEST_CASE("a kernel is called as its author calls it") {
  KernelInfo k = kernel();
  k.name = "_ZN5tools4scanIiEEvPi";
  const auto refusal = check_request(request(k, {1025, 1, 1}), stage::h200());
  REQUIRE(refusal);
  CHECK(refusal->message.starts_with("tools::scan<int>: "));
}

TEST_CASE("launch bounds are a promise") {
  KernelInfo k = kernel();
  k.max_threads = 128;
  CHECK_FALSE(check_request(request(k, {128, 1, 1}), stage::h200()));
  CHECK(check_request(request(k, {129, 1, 1}), stage::h200())->status == LaunchStatus::invalid_value);
}

TEST_CASE("shared memory: 48 KB, more after opting in, never more than the block's limit") {
  KernelInfo k = kernel();
  LaunchRequest r = request(k, {32, 1, 1});
  r.dynamic_shared = 49152 - 1000;
  CHECK_FALSE(check_request(r, stage::h200()));
  r.dynamic_shared += 1;
  const auto refusal = check_request(r, stage::h200());
  REQUIRE(refusal);
  CHECK(refusal->status == LaunchStatus::invalid_value);
  CHECK(refusal->message.find("48153") != std::string::npos);
  CHECK(refusal->message.find("cudaFuncSetAttribute") != std::string::npos);
  r.max_dynamic_shared = r.dynamic_shared;
  CHECK_FALSE(check_request(r, stage::h200()));
  k.static_shared = 49153;
  CHECK(check_request(request(k, {32, 1, 1}), stage::h200())->status == LaunchStatus::invalid_kernel_image);
}

TEST_CASE("a cooperative grid must fit on the device") {
  const KernelInfo k = kernel();
  LaunchRequest r = request(k, {1024, 1, 1});
  r.cooperative = true;
  r.grid = {264, 1, 1};
  CHECK_FALSE(check_request(r, stage::h200()));
  r.grid = {265, 1, 1};
  CHECK(check_request(r, stage::h200())->status == LaunchStatus::cooperative_launch_too_large);
}

TEST_CASE("a cooperative grid must fit on the GPU that is emulated, with its registers and shared memory") {
  KernelInfo k = kernel();
  k.static_shared = k.dynamic_begin = 0;
  for (const warpgrade::cudart::Gpu& gpu : warpgrade::cudart::gpus()) {
    CAPTURE(gpu.name);
    const DeviceLimits limits = warpgrade::cudart::limits(gpu);
    for (const int registers : {16, 64})
      for (const std::uint32_t bytes : {0u, 16384u}) {
        k.registers = registers;
        LaunchRequest r = request(k, {256, 1, 1});
        r.cooperative = true;
        r.dynamic_shared = bytes;
        const auto most =
            static_cast<std::uint32_t>(blocks_per_sm(limits.sm, {256, registers, bytes}) * limits.sm_count);
        r.grid = {most, 1, 1};
        if (most > 0) CHECK_FALSE(check_request(r, limits));
        r.grid = {most + 1, 1, 1};
        const auto refusal = check_request(r, limits);
        REQUIRE(refusal);
        CHECK(refusal->status == LaunchStatus::cooperative_launch_too_large);
      }
  }
}
