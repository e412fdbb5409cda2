#include "checks/uninitialised/first_writers.hpp"

#include <doctest/doctest.h>

#include "tests/emulator/support/observer_stage.hpp"

using namespace warpgrade;
using namespace warpgrade::emulator;

TEST_CASE("shared memory: what of an array has been stored, without what atomics have updated") {
  Stage stage(32);
  FirstWriters writers;
  writers.block_begin(1024);
  const auto note = [&](Access::Kind kind, std::uint64_t step) {
    stage.perform({.kind = kind,
                   .address = [=](std::uint32_t lane) { return 512 + step * lane; },
                   .mask = 0xff,
                   .instruction = 3},
                  [&](const Access& access) { writers.note(access); });
  };
  CHECK(writers.written({512, 1024})->empty());
  note(Access::Kind::write, 4);
  note(Access::Kind::atomic, 64);
  const auto first = writers.written({512, 1024});
  REQUIRE(first->size() == 1);
  CHECK(first->front().offset == 0);
  CHECK(first->front().bytes == 32);
  CHECK(writers.written({256, 1024})->front().offset == 256);
  CHECK(writers.written({516, 528})->front().bytes == 12);
}

TEST_CASE("shared memory: an array in many pieces is not told") {
  Stage stage(32);
  FirstWriters writers;
  writers.block_begin(4096);
  for (std::uint64_t from : {0, 256, 512})
    stage.perform({.kind = Access::Kind::write,
                   .address = [=](std::uint32_t lane) { return from + 8 * lane; },
                   .instruction = 3},
                  [&](const Access& access) { writers.note(access); });
  CHECK_FALSE(writers.written({0, 4096}));
  CHECK(writers.written({0, 256})->size() == 32);
}
