// What may be launched at all.
#include "launch/validate.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::emulator;

namespace {

Kernel kernel() {
  Kernel made;
  made.name = "k";
  made.static_shared = made.dynamic_begin = 1000;
  return made;
}

LaunchRequest request(const Kernel& of, Dim3 block) {
  LaunchRequest made;
  made.kernel = &of;
  made.block = block;
  return made;
}

}  // namespace

TEST_CASE("a block of 1,024 threads may be launched, one of 1,025 not") {
  const Kernel k = kernel();
  CHECK_FALSE(check_request(request(k, {32, 32, 1}), {}));
  const auto refusal = check_request(request(k, {1025, 1, 1}), {});
  REQUIRE(refusal);
  CHECK(refusal->status == Status::invalid_configuration);
  CHECK(refusal->message.find("1025") != std::string::npos);
  CHECK(refusal->message.find("1024") != std::string::npos);
}

TEST_CASE("extents: zero, and more than an axis allows") {
  const Kernel k = kernel();
  CHECK(check_request(request(k, {0, 1, 1}), {})->status == Status::invalid_configuration);
  CHECK(check_request(request(k, {1, 1, 65}), {})->status == Status::invalid_configuration);
  LaunchRequest wide = request(k, {1, 1, 1});
  wide.grid = {1, 65536, 1};
  CHECK(check_request(wide, {})->status == Status::invalid_configuration);
  wide.grid = {65536, 65535, 1};
  CHECK_FALSE(check_request(wide, {}));
}

TEST_CASE("launch bounds are a promise") {
  Kernel k = kernel();
  k.max_threads = 128;
  CHECK_FALSE(check_request(request(k, {128, 1, 1}), {}));
  CHECK(check_request(request(k, {129, 1, 1}), {})->status == Status::launch_out_of_resources);
}

TEST_CASE("shared memory: 48 KB, more after opting in, never more than the block's limit") {
  Kernel k = kernel();
  LaunchRequest r = request(k, {32, 1, 1});
  r.dynamic_shared = 49152 - 1000;
  CHECK_FALSE(check_request(r, {}));
  r.dynamic_shared += 1;
  const auto refusal = check_request(r, {});
  REQUIRE(refusal);
  CHECK(refusal->status == Status::invalid_value);
  CHECK(refusal->message.find("49153") != std::string::npos);
  CHECK(refusal->message.find("cudaFuncSetAttribute") != std::string::npos);
  r.max_dynamic_shared = r.dynamic_shared;
  CHECK_FALSE(check_request(r, {}));
  k.static_shared = 49153;
  CHECK(check_request(request(k, {32, 1, 1}), {})->status == Status::launch_out_of_resources);
}

TEST_CASE("a cooperative grid must fit on the device") {
  const Kernel k = kernel();
  LaunchRequest r = request(k, {1024, 1, 1});
  r.cooperative = true;
  r.grid = {264, 1, 1};
  CHECK_FALSE(check_request(r, {}));
  r.grid = {265, 1, 1};
  CHECK(check_request(r, {})->status == Status::cooperative_launch_too_large);
}
