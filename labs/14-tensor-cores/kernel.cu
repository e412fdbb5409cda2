// Lab 14-tensor-cores: this file is yours. Fill in the TODOs, then type: ./warpgrade check 14-tensor-cores
// (Course staff: made by `make skeletons` from solutions/14-tensor-cores/kernel.cu; edit that one.)

// Tensor cores: C = A·B from half-precision matrices, summed up in single precision
//
// Problem   A is m×k and B is k×n, of halves; C is m×n, of floats; all row-major, of any size. A sum is kept in single
//           precision: half precision holds whole numbers up to 2,048 only, and 11 bits of any other.
// Approach  A tensor core multiplies small matrices that lie in the registers of a whole warp. Part 1 lets the compiler
//           place them: fragments of wmma, 16×16×16, from tiles in shared memory whose rows are padded.
//           Part 2 says itself which lane holds what. ldmatrix brings four 8×8 matrices to the registers of a warp, and
//           mma multiplies 16×16 of A by 16×8 of B. A warp computes 64×64 elements: 8 loads are enough for 32
//           products. Tiles arrive by cp.async, STAGES - 1 ahead, in rows whose chunks are exchanged, so that the eight
//           rows of a matrix lie in different banks without padding. Operands of the next step are loaded while those
//           of this one are multiplied.
//           Rows that are no multiples of 16 bytes cannot be copied like that: they are loaded half by half.
// Cost      2·m·n·k operations. A block of 128×256 loads its rows of A n / 256 times, its columns of B m / 128 times.
#include <cuda_fp16.h>
#include <mma.h>

#include "launch_shape.cuh"

constexpr int SIDE = 64;        // rows and columns of C that a block of part 1 computes
constexpr int WARPS = 4;        // its warps, 2 × 2
constexpr int PART = SIDE / 2;  // rows and columns of C that one of them computes
constexpr int THREADS_OF_1 = WARPS * 32;
LAUNCH_SHAPE_OF(product_wmma, THREADS_OF_1, 1, SIDE, SIDE)

constexpr int ROWS = 128, COLUMNS = 256;  // elements of C that a block of part 2 computes
constexpr int DEPTH = 64;                 // of its tiles
constexpr int STAGES = 4;                 // tiles of each matrix: one is multiplied while the others arrive
constexpr int WARP_SIDE = 64;             // rows and columns of C that a warp computes
constexpr int THREADS = ROWS / WARP_SIDE * (COLUMNS / WARP_SIDE) * 32;
constexpr int STAGE_HALVES = (ROWS + COLUMNS) * DEPTH;
LAUNCH_SHAPE_OF(product_mma, THREADS, 1, COLUMNS, ROWS)
LAUNCH_SHARED_BYTES_OF(product_mma, STAGES * STAGE_HALVES * 2)

extern "C" __global__ void __launch_bounds__(THREADS_OF_1)
    product_wmma(const half* A, const half* B, float* C, int m, int n, int k) {
  // TODO(1): bring tiles of A and B to shared memory, with zeros outside of the matrices, and let each warp multiply
  // fragments of them: wmma::load_matrix_sync, wmma::mma_sync. The accumulators are fragments of floats.

  // TODO(2): wmma::store_matrix_sync knows no border. How do the results come to C where a fragment stands across it?
}

extern "C" __global__ void __launch_bounds__(THREADS)
    product_mma(const half* A, const half* B, float* C, int m, int n, int k) {
  // TODO(3): tiles in shared memory as in part 1, but operands by ldmatrix and products by mma. Which lane gives the
  // address of which row? B lies row by row, and mma wants its columns.

  // TODO(4): a lane has four sums of each 16×8 product. Where do they belong in C, and which of them exist?

  // TODO(5): bring the next tiles by cp.async while these are multiplied. Which rows cannot be copied 16 bytes at once?

  // TODO(6): eight rows of a tile that ldmatrix reads together should lie in different banks, without padding.
}
