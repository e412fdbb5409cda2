#include "launch_shape.hpp"

#include <doctest/doctest.h>

#include "errors.hpp"
#include "temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("the grid covers C, columns along x and rows along y") {
  const LaunchShape shape{16, 8, 32, 8};
  const dim3 grid = shape.grid(17, 65);
  CHECK(grid.x == 3);
  CHECK(grid.y == 3);
  CHECK(shape.grid(16, 64).x == 2);
  CHECK(shape.grid(16, 64).y == 2);
  CHECK(shape.grid(1, 1).x == 1);
  CHECK(shape.block().x == 16);
  CHECK(shape.block().y == 8);
}

TEST_CASE("a thread owns one output only where block and tile agree") {
  CHECK(LaunchShape{16, 16, 16, 16}.one_output_each());
  CHECK_FALSE(LaunchShape{16, 16, 16, 32}.one_output_each());
  CHECK_FALSE(LaunchShape{256, 1, 16, 16}.one_output_each());
}

TEST_CASE("shapes that no GPU launches are refused with their numbers") {
  const auto complaint = [](const LaunchShape& shape) {
    return message_of<ImpossibleLaunch>([&] { require_possible(shape); });
  };
  CHECK(contains(complaint({0, 16, 16, 16}), "LAUNCH_SHAPE(0, 16, 16, 16) asks for a block without threads"));
  CHECK(contains(complaint({16, -1, 16, 16}), "without threads"));
  CHECK(contains(complaint({16, 16, 0, 16}), "computes nothing"));
  CHECK(contains(complaint({16, 16, 16, -4}), "computes nothing"));
  CHECK(contains(complaint({33, 32, 33, 32}), "asks for 1056 threads in a block; the most is 1024"));
  CHECK(contains(complaint({65536, 65536, 1, 1}), "4294967296 threads"));
  CHECK(complaint({32, 32, 32, 32}) == "(nothing was thrown)");
  CHECK(complaint({1, 1, 500, 500}) == "(nothing was thrown)");
}
