// Lab 01-basic: this file is yours. Fill in the TODOs, then type: ./warpgrade check 01-basic
// (Course staff: made by `make skeletons` from solutions/01-basic/kernel.cu; edit that one.)

// Basic matrix multiplication: one thread for each element of C
//
// Problem   C = A · B, where A is m×k, B is k×n and C is m×n. All three are row-major:
//           an element's row counts times the length of a row, plus its column.
// Approach  A thread finds the row and the column of its element from its block and its place
//           in the block, then walks along that row of A and down that column of B.
//           The grid covers C with whole blocks. Threads that stand outside C do nothing.
// Cost      A block of 16×16 threads makes 2·256·k multiplications and additions and loads
//           2·256·k floats from global memory: one operation a load, four bytes for each.
//           At 4,800 GB/s, memory alone limits this kernel to 1,200 GFLOP/s. It can be faster only
//           because caches serve some of the loads.
#include "launch_shape.cuh"

constexpr int BLOCK_WIDTH = 16;
// A block has a thread for each element of C that it computes.
LAUNCH_SHAPE(BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  // TODO(1): find out which row and which column of C is yours.

  // TODO(2): the blocks at the border reach over it. Let no thread outside C continue from here.

  // TODO(3): compute the dot product of your row of A and your column of B.

  // TODO(4): leave the result at its place in C.
}
