// Asynchronous copies, two tiles of each matrix
//
// cp.async brings 16 bytes to shared memory without passing through registers, and fills with zeros what lies
// outside a matrix. With two tiles of each matrix there is one barrier a phase, and nobody waits for memory.
// Where rows or pointers are no multiples of 16 bytes, four copies of 4 bytes take its place.
#include "launch_shape.cuh"

constexpr int ROWS = 128, COLUMNS = 256, DEPTH = 16;
constexpr int WARP = 64;             // rows and columns of a warp
constexpr int DOWN = 8, ACROSS = 4;  // its lanes
constexpr int OUT_Y = WARP / DOWN, OUT_X = WARP / ACROSS;
constexpr int CHUNK = 4;
constexpr int CHUNKS_A = DEPTH / CHUNK, CHUNKS_B = COLUMNS / CHUNK;
constexpr int THREADS = ROWS / WARP * (COLUMNS / WARP) * 32;
LAUNCH_SHAPE(THREADS, 1, COLUMNS, ROWS)
using Tile_A = float[ROWS][DEPTH];
using Tile_B = float[DEPTH][COLUMNS];

template <int BYTES>
__device__ void copy_async(float* to, const float* from, bool inside) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int read = inside ? BYTES : 0;
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(read));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(read));
#else
  for (int i = 0; i < BYTES / 4; ++i) to[i] = inside ? from[i] : 0.0f;
#endif
}

__device__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

__device__ void copy_chunk(float* to, const float* from, int inside, bool aligned) {
  if (aligned)
    copy_async<16>(to, from, inside > 0);
  else
    for (int i = 0; i < CHUNK; ++i) copy_async<4>(to + i, from + i, i < inside);
}

// The rows that a warp reads together have their chunks in different banks: no padding.
__device__ int place_in_row(int row, int chunk) { return (chunk ^ (row / 2 % CHUNKS_A)) * CHUNK; }

__device__ void load(float (&to)[CHUNK], const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta) {
  __shared__ alignas(16) Tile_A A_tile[2];
  __shared__ alignas(16) Tile_B B_tile[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_row = blockIdx.y * ROWS, first_column = blockIdx.x * COLUMNS;
  const int warp_row = warp / (COLUMNS / WARP) * WARP + lane / ACROSS;
  const int warp_column = warp % (COLUMNS / WARP) * WARP + lane % ACROSS * CHUNK;
  const bool aligned = (n | k) % CHUNK == 0 && (reinterpret_cast<size_t>(A) | reinterpret_cast<size_t>(B)) % 16 == 0;

  const auto fetch = [&](int stage, int first) {
#pragma unroll
    for (int e = threadIdx.x; e < ROWS * CHUNKS_A; e += THREADS) {
      const int y = e / CHUNKS_A, chunk = e % CHUNKS_A;
      const int row = first_row + y, depth = first + chunk * CHUNK;
      copy_chunk(&A_tile[stage][y][place_in_row(y, chunk)], A + static_cast<size_t>(row) * k + depth,
                 row < m ? k - depth : 0, aligned);
    }
#pragma unroll
    for (int e = threadIdx.x; e < DEPTH * CHUNKS_B; e += THREADS) {
      const int y = e / CHUNKS_B, x = e % CHUNKS_B * CHUNK;
      const int depth = first + y, column = first_column + x;
      copy_chunk(&B_tile[stage][y][x], B + static_cast<size_t>(depth) * n + column, depth < k ? n - column : 0, aligned);
    }
  };

  float sum[OUT_Y][OUT_X] = {};
  fetch(0, 0);
  int stage = 0;
  for (int first = 0; first < k; first += DEPTH, stage ^= 1) {
    await_copies();   // this tile has arrived,
    __syncthreads();  // and nobody reads the one before any more
    if (first + DEPTH < k) fetch(stage ^ 1, first + DEPTH);
#pragma unroll
    for (int four = 0; four < DEPTH; four += CHUNK) {
      alignas(16) float a[OUT_Y][CHUNK];
#pragma unroll
      for (int i = 0; i < OUT_Y; ++i)
        load(a[i], &A_tile[stage][warp_row + i * DOWN][place_in_row(warp_row, four / CHUNK)]);
#pragma unroll
      for (int d = 0; d < CHUNK; ++d) {
        alignas(16) float b[OUT_X / CHUNK][CHUNK];
#pragma unroll
        for (int j = 0; j < OUT_X / CHUNK; ++j)
          load(b[j], &B_tile[stage][four + d][warp_column + j * ACROSS * CHUNK]);
#pragma unroll
        for (int i = 0; i < OUT_Y; ++i)
#pragma unroll
          for (int j = 0; j < OUT_X; ++j) sum[i][j] += a[i][d] * b[j / CHUNK][j % CHUNK];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < OUT_Y; ++i)
#pragma unroll
    for (int j = 0; j < OUT_X; ++j) {
      const int row = first_row + warp_row + i * DOWN;
      const int column = first_column + warp_column + j / CHUNK * ACROSS * CHUNK + j % CHUNK;
      if (row >= m || column >= n) continue;
      float& to = C[static_cast<size_t>(row) * n + column];
      to = alpha * sum[i][j] + (beta != 0 ? beta * to : 0);
    }
}
