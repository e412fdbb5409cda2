#include "launches/launch_shape.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "tests/harness/sample_data.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

TEST_CASE("the grid covers C, columns along x and rows along y") {
  const LaunchShape shape = shape_of({16, 8, 32, 8});
  const dim3 grid = shape.grid({65, 17});
  CHECK(grid.x == 3);
  CHECK(grid.y == 3);
  CHECK(shape.grid({64, 16}).x == 2);
  CHECK(shape.grid({64, 16}).y == 2);
  CHECK(shape.grid({1, 1}).x == 1);
  CHECK(shape.block().x == 16);
  CHECK(shape.block().y == 8);
}

TEST_CASE("a thread owns one output only where block and tile agree") {
  CHECK(shape_of({16, 16, 16, 16}).one_output_each());
  CHECK_FALSE(shape_of({16, 16, 16, 32}).one_output_each());
  CHECK_FALSE(shape_of({256, 1, 16, 16}).one_output_each());
}

TEST_CASE("shapes that no GPU launches are refused with their numbers") {
  const auto complaint = [](const LaunchShape& shape) {
    return message_of<ImpossibleLaunch>([&] { require_possible(shape); });
  };
  CHECK(contains(complaint(shape_of({0, 16, 16, 16})),
                 "LAUNCH_SHAPE(0, 16, 16, 16) asks for a block without threads"));
  CHECK(contains(complaint(shape_of({16, -1, 16, 16})), "without threads"));
  CHECK(contains(complaint(shape_of({16, 16, 0, 16})), "computes nothing"));
  CHECK(contains(complaint(shape_of({16, 16, 16, -4})), "computes nothing"));
  CHECK(
      contains(complaint(shape_of({33, 32, 33, 32})), "asks for 1056 threads in a block; the most is 1024"));
  CHECK(contains(complaint(shape_of({65536, 65536, 1, 1})), "4294967296 threads"));
  CHECK(complaint(shape_of({32, 32, 32, 32})) == "(nothing was thrown)");
  CHECK(complaint(shape_of({1, 1, 500, 500})) == "(nothing was thrown)");
}

TEST_CASE("one and three dimensions, and a grid that the student chose") {
  CHECK(shape_of({256, 1024}).grid({1025}).x == 2);
  CHECK(shape_of({256, 1024}).rank == 1);
  const dim3 grid = shape_of({8, 4, 2, 8, 4, 2}).grid({9, 8, 5});
  CHECK(grid.x == 2);
  CHECK(grid.y == 2);
  CHECK(grid.z == 3);
  LaunchShape chosen = shape_of({256, 1});
  chosen.blocks = 12;
  CHECK(chosen.grid({1 << 20}).x == 12);
  CHECK(chosen.grid_of(500).x == 12);
  CHECK(shape_of({256, 1}).grid_of(500).x == 500);
  chosen.blocks = 0;
  CHECK(contains(message_of<ImpossibleLaunch>([&] { require_possible(chosen); }), "LAUNCH_BLOCKS(0)"));
  CHECK(contains(message_of<ImpossibleLaunch>([] {
                   require_possible(shape_of({2048, 1}));
                 }),
                 "LAUNCH_SHAPE_1D(2048, 1) asks for 2048 threads"));
}
