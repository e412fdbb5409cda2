// Matrix instructions as kernels use them: loads, products, stores, under all configurations.
#include <functional>

#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::Ran;
using stage::RunConfig;

void compare(const char* kernel, int n, std::size_t size, const std::function<int(int)>& expected) {
  stage::Stage stage("exec_matrix_sm90");
  stage::compare(stage, kernel, n, expected, size);
}

int value(int row, int column) { return (row * 7 + column * 3) % 11 - 5; }
int dot(int row, int column, int k) {
  int sum = 0;
  for (int i = 0; i < k; ++i) sum += value(row, i) * value(i, column);
  return sum;
}

// Two neighbours in a row of matrix j of 8·8, as a lane has them.
int pair(int matrix, int lane, bool transposed) {
  const int row = lane / 4, column = lane % 4 * 2;
  const auto at = [&](int r, int c) { return matrix * 64 + (transposed ? c * 8 + r : r * 8 + c); };
  return at(row, column) | at(row, column + 1) << 16;
}

}  // namespace

TEST_CASE("ldmatrix: one, two and four matrices, transposed") {
  compare("load_matrices", 5, 11 * 32, [](int i) {
    const int which = i / 32, lane = i % 32;
    const bool transposed = (which >= 4 && which < 8) || which > 8;
    const int matrix = which < 8 ? which % 4 : which == 8 ? 0 : which - 9;
    return pair(matrix, lane, transposed) + 5;
  });
}

TEST_CASE("stmatrix, movmatrix") {
  compare("store_matrices", 3, 288, [](int i) {
    if (i >= 256) return pair(0, i - 256, true) * 3;
    return 3 * (i < 64 ? i % 8 * 8 + i / 8 : i);
  });
}

TEST_CASE("mma on fragments made by the manual's formulas") {
  compare("product_by_hand", 2, 128, [](int i) { return dot(i / 8, i % 8, 16) + 2; });
}

TEST_CASE("wmma through shared memory, every kind of element") {
  const auto expect = [](int columns, int k) {
    return [=](int i) { return 2 * (dot(i / columns, i % columns, k) + i % 3); };
  };
  compare("wmma_half", 2, 256, expect(16, 16));
  compare("wmma_brain", 2, 256, expect(8, 16));
  compare("wmma_tensor_float", 2, 256, expect(16, 8));
  compare("wmma_bytes", 2, 256, expect(32, 16));
  compare("wmma_double", 2, 64, expect(8, 4));
}

TEST_CASE("a row of ldmatrix beyond the block's shared memory is a fault, and its banks are counted") {
  stage::Stage stage = stage::Stage::of_text(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry banks(.param .u64 out, .param .u32 n) {
  .shared .align 16 .b8 tile[4096];
  .reg .b32 %r<8>;
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [n];
  mul.lo.u32 %r3, %r1, %r2;
  mov.u32 %r4, tile;
  add.u32 %r3, %r3, %r4;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3];
  ret;
}
)");
  RunConfig config{"counted", false, true, true, 1};
  const auto wavefronts = [&](int stride) {
    const Ran ran = stage.run("banks", stride, config);
    REQUIRE(ran.succeeded());
    return ran.result.counters[warpgrade::emulator::Metric::shared_load_wavefronts];
  };
  CHECK(wavefronts(16) == 4);
  CHECK(wavefronts(128) == 32);  // eight rows of each matrix begin in one bank
  CHECK(wavefronts(80) == 4);
  const Ran ran = stage.run("banks", 144, config);
  CHECK_FALSE(ran.succeeded());
  CHECK(ran.found(warpgrade::emulator::FindingKind::out_of_bounds_read) == 1);
}
