// SGEMM: C = alpha·A·B + beta·C in single precision, as fast as you can
//
// Problem   A is m×k, B is k×n, C is m×n, row-major, of any size and starting at any float. With
//           beta = 0, C is written and never read: there may be anything in it. No tensor cores.
// Options   A line of its own, `// ptxas: -O1`, chooses the assembler's level; -O3 is usual.
//> solution
// ptxas: -O1
//
// Approach  A block computes 128×256 elements of C with 8 warps, a warp 64×64, a lane 8×16: for
//           128 multiply-adds a lane reads 2 float4 of A and 4 of B. While one pair of tiles is
//           multiplied, cp.async brings the next; while one depth is multiplied, the operands of
//           the next are read. What is left between the multiply-adds is 8 % of the instructions.
//           Sizes and pointers that are no multiples of 16 bytes are copied by single floats. The
//           loop is compiled a second time for them: copies of both widths in one loop cost 3.5 %
//           even where only the wide ones are made.
// Steps     steps/ holds a kernel for each row below: each adds one optimisation to the one before.
//> measured
//   TFLOP/s on an NVIDIA H200, with ptxas                    -O3   -O3   -O1   -O1
//                                                          4096³ 8192³ 4096³ 8192³
//   One output a thread, neighbours in a column of C         0.5   0.5   0.5   0.5
//   Neighbours in a row of C                                 5.9   5.5   3.3   3.0
//   Tiles in shared memory                                   8.7   8.8   8.6   8.7
//   Eight outputs a thread, one below the other             16.5  16.3  16.7  16.6
//   Eight by eight outputs a thread                         21.3  21.3  20.5  20.7
//   Operands as float4, A's tile transposed                 34.3  35.1  30.5  30.3
//   Warp tiles: eight by sixteen outputs a thread           31.0  31.2  25.7  26.0
//   Asynchronous copies, two tiles of each matrix           38.6  39.3  39.7  40.4
//   Operands a depth ahead, blocks in groups                45.0  45.2  53.7  54.1
//   cuBLAS, pedantic                                        49.9  51.2  49.9  51.2
//< measured
// -O1       A multiply-add takes three registers from two banks, even and odd. ptxas -O3 regroups
//           the multiply-adds by 4 columns, and then a quarter of them find two operands in one
//           bank, which costs a cycle. -O1 keeps the order of the source: along a row of 16, in
//           alternating direction, with the operand of A reused. Then it is a tenth of them.
// No gain   Three stages instead of two; 16×8 outputs per lane instead of 8×16; multiply-adds by
//           columns or in 4×4 blocks; two copies of A's operands in registers; groups of 1, 4 or
//           16 rows of blocks instead of 8; volatile loads or __syncwarp to fix the order under
//           -O3. Reading the next operands of A for all 8 rows at once, not for two after each
//           second row, costs 8 %; the barrier at the end of a tile's depths or at their
//           beginning is the same.
//< solution
#include "launch_shape.cuh"

//> solution
//> shape
// A block computes BLOCK_ROWS × BLOCK_COLUMNS elements of C from tiles TILE_DEPTH deep, two of each matrix:
// one is being multiplied while the other arrives. They fill 48 KB of shared memory to the last byte.
constexpr int BLOCK_ROWS = 128;
constexpr int BLOCK_COLUMNS = 256;
constexpr int TILE_DEPTH = 16;
constexpr int STAGES = 2;
// A warp computes 64 × 64 of them, with its lanes in 8 rows and 4 columns; a lane 8 × 16.
constexpr int WARP_ROWS = 64;
constexpr int WARP_COLUMNS = 64;
constexpr int LANES_Y = 8;
constexpr int LANES_X = 4;
constexpr int THREAD_ROWS = WARP_ROWS / LANES_Y;
constexpr int THREAD_COLUMNS = WARP_COLUMNS / LANES_X;
// Everything moves in chunks of four neighbours, 16 bytes.
constexpr int CHUNK = 4;
// Rows of blocks that run together, so that they find each other's tiles in L2.
constexpr int BLOCKS_TOGETHER = 8;

constexpr int THREADS = BLOCK_ROWS / WARP_ROWS * (BLOCK_COLUMNS / WARP_COLUMNS) * 32;
LAUNCH_SHAPE(THREADS, 1, BLOCK_COLUMNS, BLOCK_ROWS)
//< shape
//< solution
/*> stub
// How many threads a block has, and how many columns and rows of C it computes: your choice.
constexpr int SIDE = 32;
constexpr int THREADS = SIDE * SIDE;
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)
<*/

//> solution
using Tile_A = float[BLOCK_ROWS][TILE_DEPTH];
using Tile_B = float[TILE_DEPTH][BLOCK_COLUMNS];
constexpr int CHUNKS_A = TILE_DEPTH / CHUNK;  // in a row of A's tile

//> copy
// Copies FLOATS (4 or 1) to shared memory while the thread continues. What lies outside a matrix is zero.
template <int FLOATS>
__device__ void copy_async(float* to, const float* from, bool inside) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int read = inside ? FLOATS * 4 : 0;
  if constexpr (FLOATS == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(read));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(read));
#else
  for (int i = 0; i < FLOATS; ++i) to[i] = inside ? from[i] : 0.0f;
#endif
}

__device__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
//< copy

//> swizzle
// Where chunk `chunk` of a row of A's tile lies in that row. The 8 rows that a warp reads together would have
// their chunks in only 2 groups of 4 banks; exchanged like this, they are in all 8.
__device__ int place_in_row(int row, int chunk) { return (chunk ^ (row / 2 % CHUNKS_A)) * CHUNK; }
//< swizzle

// The part of each tile that one thread copies, FLOATS neighbours at a time, and the destination.
template <int FLOATS>
struct Loader {
  static constexpr int ACROSS_A = TILE_DEPTH / FLOATS;  // threads that share a row of A's tile
  static constexpr int ACROSS_B = BLOCK_COLUMNS / FLOATS;
  static constexpr int ROWS_A = THREADS / ACROSS_A;  // between two copies of this thread
  static constexpr int ROWS_B = THREADS / ACROSS_B;
  static constexpr int UNROLLED = FLOATS == CHUNK ? BLOCK_ROWS : 4;  // single floats are many: a loop saves registers
  const float* a;
  const float* b;
  int rows_left, columns_left, depth_left;  // extents of the matrices from the thread's first copy on
  int row_a, column_a, row_b, column_b;

  __device__ Loader(const float* A, const float* B, int first_row, int first_column, int m, int n, int k)
      : row_a(threadIdx.x / ACROSS_A),
        column_a(threadIdx.x % ACROSS_A * FLOATS),
        row_b(threadIdx.x / ACROSS_B),
        column_b(threadIdx.x % ACROSS_B * FLOATS) {
    a = A + static_cast<size_t>(first_row + row_a) * k + column_a;
    b = B + static_cast<size_t>(row_b) * n + first_column + column_b;
    rows_left = m - first_row - row_a;
    columns_left = n - first_column - column_b;
    depth_left = k;
  }

  // Starts copying the next tiles; behind the last ones they are zero.
  __device__ void fetch(Tile_A& to_A, Tile_B& to_B, int n, int k) {
#pragma unroll UNROLLED
    for (int row = 0; row < BLOCK_ROWS; row += ROWS_A)
      copy_async<FLOATS>(&to_A[row_a + row][place_in_row(row_a + row, column_a / CHUNK) + column_a % CHUNK],
                         a + static_cast<size_t>(row) * k, row < rows_left && column_a < depth_left);
#pragma unroll UNROLLED
    for (int row = 0; row < TILE_DEPTH; row += ROWS_B)
      copy_async<FLOATS>(&to_B[row_b + row][column_b], b + static_cast<size_t>(row) * n,
                         row_b + row < depth_left && columns_left > 0);
    a += TILE_DEPTH;
    b += static_cast<size_t>(TILE_DEPTH) * n;
    depth_left -= TILE_DEPTH;
  }
};

__device__ void load(float (&to)[CHUNK], const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}
//< solution
/*> stub
// This lab is open: the kernel's name and parameters are given, everything else is yours.
<*/

//> signature
extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  //< signature
  //> solution
  __shared__ alignas(16) Tile_A A_tile[STAGES];
  __shared__ alignas(16) Tile_B B_tile[STAGES];

  //> order
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int group = block / (BLOCKS_TOGETHER * gridDim.x) * BLOCKS_TOGETHER;  // its first row of blocks
  const int rows_together = min(BLOCKS_TOGETHER, gridDim.y - group);
  const int within = block - group * gridDim.x;
  const int first_row = (group + within % rows_together) * BLOCK_ROWS;
  const int first_column = within / rows_together * BLOCK_COLUMNS;
  //< order

  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / (BLOCK_COLUMNS / WARP_COLUMNS) * WARP_ROWS + lane / LANES_X;
  const int warp_column = warp % (BLOCK_COLUMNS / WARP_COLUMNS) * WARP_COLUMNS + lane % LANES_X * CHUNK;

  const bool aligned =
      (n | k) % CHUNK == 0 &&
      (reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B) | reinterpret_cast<size_t>(C)) % 16 == 0;

  float sum[THREAD_ROWS][THREAD_COLUMNS] = {};
  alignas(16) float a[THREAD_ROWS][CHUNK] = {};                // values of four depths
  alignas(16) float b[2][THREAD_COLUMNS / CHUNK][CHUNK] = {};  // values of this depth and the next

  const auto load_a = [&](int i, int stage, int chunk) {
    load(a[i], &A_tile[stage][warp_row + i * LANES_Y][place_in_row(warp_row, chunk)]);
  };
  const auto load_b = [&](int stage, int depth) {
#pragma unroll
    for (int j = 0; j < THREAD_COLUMNS / CHUNK; ++j)
      load(b[depth % 2][j], &B_tile[stage][depth][warp_column + j * LANES_X * CHUNK]);
  };
  //> multiply
  // Row i of the outer product for one depth: to and fro, so that b's last element serves twice.
  const auto multiply = [&](int i, int depth) {
#pragma unroll
    for (int step = 0; step < THREAD_COLUMNS; ++step) {
      const int j = i % 2 ? THREAD_COLUMNS - 1 - step : step;
      sum[i][j] += a[i][depth % CHUNK] * b[depth % 2][j / CHUNK][j % CHUNK];
    }
  };
  //< multiply

  const int tiles = (k + TILE_DEPTH - 1) / TILE_DEPTH;
  const auto run = [&](auto loader) {
    //> turn
    int stage = 0;
    loader.fetch(A_tile[0], B_tile[0], n, k);
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      await_copies();   // this tile has arrived,
      __syncthreads();  // and nobody reads the one before it any more
      if (tile + 1 < tiles) loader.fetch(A_tile[stage ^ 1], B_tile[stage ^ 1], n, k);
      //< turn
#pragma unroll
      for (int next = 0; next < TILE_DEPTH; ++next) {
        load_b(stage, next);
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; ++i) {
          multiply(i, (next + TILE_DEPTH - 1) % TILE_DEPTH);  // at first: the last depth of the tile before
          if (next % CHUNK == 0 && i % 2 == 1) {              // these two rows need the next four depths
            load_a(i - 1, stage, next / CHUNK);
            load_a(i, stage, next / CHUNK);
          }
        }
      }
      stage ^= 1;
    }
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; ++i) multiply(i, TILE_DEPTH - 1);
  };
  if (aligned)
    run(Loader<CHUNK>(A, B, first_row, first_column, m, n, k));
  else
    run(Loader<1>(A, B, first_row, first_column, m, n, k));

  //> store
#pragma unroll
  for (int i = 0; i < THREAD_ROWS; ++i) {
    const int row = first_row + warp_row + i * LANES_Y;
#pragma unroll
    for (int j = 0; j < THREAD_COLUMNS; j += CHUNK) {
      const int column = first_column + warp_column + j * LANES_X;
      if (row >= m || column >= n) continue;
      float* to = C + static_cast<size_t>(row) * n + column;
      alignas(16) float result[CHUNK];
      if (aligned) {
        if (beta != 0) load(result, to);
#pragma unroll
        for (int e = 0; e < CHUNK; ++e) result[e] = alpha * sum[i][j + e] + (beta != 0 ? beta * result[e] : 0);
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(result);
      } else {
#pragma unroll
        for (int e = 0; e < CHUNK; ++e)
          if (column + e < n) to[e] = alpha * sum[i][j + e] + (beta != 0 ? beta * to[e] : 0);
      }
    }
  }
  //< store
  //< solution
  /*> stub
  // TODO(1): any size, right. C = alpha · A · B + beta · C, and where beta is 0, C is not read at all.

  // TODO(2): tiles in shared memory and many outputs a thread, as in lab 04.

  // TODO(3): bring the next tiles while these are multiplied.

  // TODO(4): find out what the inner loop waits for, and continue from there.
  <*/
}
