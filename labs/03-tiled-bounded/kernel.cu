// Lab 03-tiled-bounded: this file is yours. Fill in the TODOs, then type: ./warpgrade check 03-tiled-bounded
// (Course staff: made by `make skeletons` from solutions/03-tiled-bounded/kernel.cu; edit that one.)

// Tiled matrix multiplication for any size: tiles that reach over the border
//
// Problem   C = A · B, where A is m×k, B is k×n and C is m×n, row-major, of any size. The last
//           tiles along m, n and k stand partly outside.
// Approach  Round the number of phases up. A thread whose element lies outside A or B stores
//           a zero in the tile instead: it adds nothing to any dot product, so the inner loop
//           needs no condition. Every thread takes part in loading and in both barriers, also one
//           that has no element of C; only the final store is guarded.
// Cost      As without borders: tile 16 makes 8,192 operations for 512 loads in a phase, 16 a
//           load, and takes 2 KB; tile 32 makes 32 a load and takes 8 KB. At the border some
//           of the operations are spent on zeros: for m = n = k = 1000 and tile 16,
//           63 tiles span 1,008, which costs 2.4 % more multiplications.
#include "launch_shape.cuh"

constexpr int TILE_WIDTH = 16;
// A block has a thread for each element of its tile of C.
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n,
                                                int k) {
  __shared__ float A_tile[TILE_WIDTH][TILE_WIDTH];
  __shared__ float B_tile[TILE_WIDTH][TILE_WIDTH];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int column = blockIdx.x * TILE_WIDTH + tx;

  float sum = 0.0f;
  // TODO(1): how many phases cover all of k, also when the last tile is not full?

  // For each phase:
  //   TODO(2): fill your place in both tiles, with zero where it lies outside the matrix.

  //   TODO(3): make sure that both tiles are complete, and that each thread of the block gets here.

  //   TODO(4): add what this phase contributes to your dot product, and protect the tiles until
  //            every thread has done so.

  // TODO(5): leave the result at its place in C, if it has one.
}
