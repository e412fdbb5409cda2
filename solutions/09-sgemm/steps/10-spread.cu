// Copies between multiply-adds
//
// The copies of the next tiles start one after another between the multiply-adds of twelve depths, instead of
// all at once after the barrier, where they wait for each other. The last ones have four depths to arrive.
#include "launch_shape.cuh"

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

using Tile_A = float[BLOCK_ROWS][TILE_DEPTH];
using Tile_B = float[TILE_DEPTH][BLOCK_COLUMNS];
constexpr int CHUNKS_A = TILE_DEPTH / CHUNK;  // in a row of A's tile

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

// Where chunk `chunk` of a row of A's tile lies in that row. The 8 rows that a warp reads together would have
// their chunks in only 2 groups of 4 banks; exchanged like this, they are in all 8.
__device__ int place_in_row(int row, int chunk) { return (chunk ^ (row / 2 % CHUNKS_A)) * CHUNK; }

// The same number. The compiler does not know that it is the same, so that it computes what depends on it
// again instead of keeping it in registers, of which this kernel has none to spare.
__device__ int again(int number) {
  asm volatile("" : "+r"(number));
  return number;
}

// Copies for the next tiles start in so many parts, one after each depth. After the last part there are four
// more depths, in which the last copies arrive.
constexpr int PARTS_OF_FETCH = 12;

// What one thread copies of each tile, FLOATS neighbours at a time.
template <int FLOATS>
struct Loader {
  static constexpr int ACROSS_A = TILE_DEPTH / FLOATS;  // threads that share a row of A's tile
  static constexpr int ACROSS_B = BLOCK_COLUMNS / FLOATS;
  static constexpr int ROWS_A = THREADS / ACROSS_A;  // between two copies of this thread
  static constexpr int ROWS_B = THREADS / ACROSS_B;
  static constexpr int COPIES_A = BLOCK_ROWS / ROWS_A;  // of this thread, for a tile
  static constexpr int COPIES_B = TILE_DEPTH / ROWS_B;
  const float* a;
  const float* b;
  int to_a, to_b;  // places of the thread's first copies in a tile
  int rows_left;   // of A, from the thread's first copy on
  int depth_left;  // of both matrices, from the next tiles on
  bool has_columns;

  __device__ Loader(const float* A, const float* B, int first_row, int first_column, int depth, int m, int n,
                    int k)
      : rows_left(m - first_row - row_a()), depth_left(k - depth) {
    const int column_b = threadIdx.x % ACROSS_B * FLOATS;
    a = A + static_cast<size_t>(first_row + row_a()) * k + depth + column_a();
    b = B + static_cast<size_t>(depth + row_b()) * n + first_column + column_b;
    to_a = row_a() * TILE_DEPTH + place_in_row(row_a(), column_a() / CHUNK) + column_a() % CHUNK;
    to_b = row_b() * BLOCK_COLUMNS + column_b;
    has_columns = first_column + column_b < n;
  }
  static __device__ int row_a() { return threadIdx.x / ACROSS_A; }
  static __device__ int column_a() { return threadIdx.x % ACROSS_A * FLOATS; }
  static __device__ int row_b() { return threadIdx.x / ACROSS_B; }

  // Starts the copies of a part of the next tiles; behind the last ones they are zero.
  __device__ void fetch(Tile_A& to_A, Tile_B& to_B, int n, int k, int part) {
#pragma unroll
    for (int copy = part * COPIES_A / PARTS_OF_FETCH; copy < (part + 1) * COPIES_A / PARTS_OF_FETCH; ++copy) {
      const int row = copy * ROWS_A;
      copy_async<FLOATS>(&to_A[row][0] + to_a, a, row < again(rows_left) && column_a() < depth_left);
      a += again(ROWS_A * k);
    }
#pragma unroll
    for (int copy = part * COPIES_B / PARTS_OF_FETCH; copy < (part + 1) * COPIES_B / PARTS_OF_FETCH; ++copy) {
      const int row = copy * ROWS_B;
      copy_async<FLOATS>(&to_B[row][0] + to_b, b, has_columns && row + row_b() < depth_left);
      b += again(ROWS_B * n);
    }
    if (part == PARTS_OF_FETCH - 1) {
      a += again(TILE_DEPTH - BLOCK_ROWS * k);
      depth_left -= TILE_DEPTH;
    }
  }
};

__device__ void load(float (&to)[CHUNK], const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  __shared__ alignas(16) Tile_A A_tile[STAGES];
  __shared__ alignas(16) Tile_B B_tile[STAGES];

  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int group = block / (BLOCKS_TOGETHER * gridDim.x) * BLOCKS_TOGETHER;  // its first row of blocks
  const int rows_together = min(BLOCKS_TOGETHER, gridDim.y - group);
  const int within = block - group * gridDim.x;
  const int first_row = (group + within % rows_together) * BLOCK_ROWS;
  const int first_column = within / rows_together * BLOCK_COLUMNS;

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
  // Row i of the outer product for one depth: to and fro, so that b's last element serves twice.
  const auto multiply = [&](int i, int depth) {
#pragma unroll
    for (int step = 0; step < THREAD_COLUMNS; ++step) {
      const int j = i % 2 ? THREAD_COLUMNS - 1 - step : step;
      sum[i][j] += a[i][depth % CHUNK] * b[depth % 2][j / CHUNK][j % CHUNK];
    }
  };

  const int tiles = (k + TILE_DEPTH - 1) / TILE_DEPTH;
  const auto run = [&](auto loader) {
    int stage = 0;
#pragma unroll
    for (int part = 0; part < PARTS_OF_FETCH; ++part) loader.fetch(A_tile[0], B_tile[0], n, k, part);
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      await_copies();   // this tile has arrived,
      __syncthreads();  // and nobody reads the one before it any more
#pragma unroll
      for (int next = 0; next < TILE_DEPTH; ++next) {
        load_b(stage, next);
        if (next < PARTS_OF_FETCH) loader.fetch(A_tile[stage ^ 1], B_tile[stage ^ 1], n, k, next);
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
    run(Loader<CHUNK>(A, B, first_row, first_column, 0, m, n, k));
  else
    run(Loader<1>(A, B, first_row, first_column, 0, m, n, k));

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
        for (int e = 0; e < CHUNK; ++e)
          result[e] = alpha * sum[i][j + e] + (beta != 0 ? beta * result[e] : 0);
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(result);
      } else {
#pragma unroll
        for (int e = 0; e < CHUNK; ++e)
          if (column + e < n) to[e] = alpha * sum[i][j + e] + (beta != 0 ? beta * to[e] : 0);
      }
    }
  }
}
