// Twelve ways to multiply matrices, from naive to asynchronous double buffering: C = alpha·A·B + beta·C for
// square row-major matrices whose side is a multiple of 128. The model of time has not been fitted to them.
//
//   products SIDE [REPEATS]     one JSON line a kernel: name, median milliseconds over the repeats
#include <cuda_pipeline.h>

#include "bench.cuh"

namespace {

#define ARGUMENTS int n, float alpha, const float *A, const float *B, float beta, float *C
#define STORE(place, sum) place = alpha * (sum) + beta * (place)

// Neighbouring threads take neighbouring rows: each of their loads from A lies in a line of its own.
__global__ void naive(ARGUMENTS) {
  const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += A[row * n + i] * B[i * n + column];
  STORE(C[row * n + column], sum);
}

__global__ void coalesced(ARGUMENTS) {
  const int row = blockIdx.y * 32 + threadIdx.x / 32, column = blockIdx.x * 32 + threadIdx.x % 32;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += A[row * n + i] * B[i * n + column];
  STORE(C[row * n + column], sum);
}

__global__ void shared_tiles(ARGUMENTS) {
  __shared__ float a[32 * 32], b[32 * 32];
  const int y = threadIdx.x / 32, x = threadIdx.x % 32;
  const int row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    a[y * 32 + x] = A[row * n + k + x];
    b[y * 32 + x] = B[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += a[y * 32 + i] * b[i * 32 + x];
    __syncthreads();
  }
  STORE(C[row * n + column], sum);
}

// 64×64 outputs a block, a column of eight of them a thread.
__global__ void columns(ARGUMENTS) {
  __shared__ float a[64 * 8], b[8 * 64];
  const int t = threadIdx.x, x = t % 64, y = t / 64;
  const float* const from_A = A + (blockIdx.y * 64 + t / 8) * n + t % 8;
  const float* const from_B = B + y * n + blockIdx.x * 64 + x;
  float sum[8] = {};
  for (int k = 0; k < n; k += 8) {
    a[t] = from_A[k];
    b[t] = from_B[k * n];
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const float right = b[i * 64 + x];
      for (int j = 0; j < 8; ++j) sum[j] += a[(y * 8 + j) * 8 + i] * right;
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j) STORE(C[(blockIdx.y * 64 + y * 8 + j) * n + blockIdx.x * 64 + x], sum[j]);
}

// 128×128 outputs a block, 8×8 of them a thread, one word an access.
__global__ void __launch_bounds__(256) squares(ARGUMENTS) {
  __shared__ float a[128 * 8], b[8 * 128];
  const int t = threadIdx.x, x = t % 16 * 8, y = t / 16 * 8;
  float sum[8][8] = {}, left[8], right[8];
  for (int k = 0; k < n; k += 8) {
    for (int part = 0; part < 4; ++part) {
      a[(t / 8 + part * 32) * 8 + t % 8] = A[(blockIdx.y * 128 + t / 8 + part * 32) * n + k + t % 8];
      b[(t / 128 + part * 2) * 128 + t % 128] = B[(k + t / 128 + part * 2) * n + blockIdx.x * 128 + t % 128];
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) left[j] = a[(y + j) * 8 + i];
      for (int j = 0; j < 8; ++j) right[j] = b[i * 128 + x + j];
      for (int j = 0; j < 8; ++j)
        for (int q = 0; q < 8; ++q) sum[j][q] += left[j] * right[q];
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int q = 0; q < 8; ++q) STORE(C[(blockIdx.y * 128 + y + j) * n + blockIdx.x * 128 + x + q], sum[j][q]);
}

__device__ float4& four(float& first) { return *reinterpret_cast<float4*>(&first); }
__device__ float4 four(const float& first) { return *reinterpret_cast<const float4*>(&first); }

__device__ void put(float& place, const float* sum, float alpha, float beta) {
  float4 old = four(place);
  STORE(old.x, sum[0]);
  STORE(old.y, sum[1]);
  STORE(old.z, sum[2]);
  STORE(old.w, sum[3]);
  four(place) = old;
}

// The same with four words an access and the tile of A turned over. LAYOUT 1: the columns of B's tile lie
// apart, so that neighbouring threads meet other banks; 2: its rows are five words longer.
template <int DEPTH, int LAYOUT>
__device__ void vectorised_product(ARGUMENTS) {
  constexpr int WIDTH = LAYOUT == 2 ? 132 : 128;
  __shared__ float a[DEPTH * 128], b[DEPTH * WIDTH];
  constexpr int QUADS = DEPTH / 4;
  const int t = threadIdx.x, x = t % 16, y = t / 16 * 8;
  float sum[8][8] = {}, left[8], right[8];
  for (int k = 0; k < n; k += DEPTH) {
    for (int row = t / QUADS; row < 128; row += 256 / QUADS) {
      const float4 v = four(A[(blockIdx.y * 128 + row) * n + k + t % QUADS * 4]);
      a[(t % QUADS * 4 + 0) * 128 + row] = v.x;
      a[(t % QUADS * 4 + 1) * 128 + row] = v.y;
      a[(t % QUADS * 4 + 2) * 128 + row] = v.z;
      a[(t % QUADS * 4 + 3) * 128 + row] = v.w;
    }
    for (int row = t / 32; row < DEPTH; row += 8) {
      const float4 v = four(B[(k + row) * n + blockIdx.x * 128 + t % 32 * 4]);
      const int c = t % 32 * 4;
      if constexpr (LAYOUT == 1) {
        b[row * 128 + (c % 8 + 0) * 16 + c / 8] = v.x;
        b[row * 128 + (c % 8 + 1) * 16 + c / 8] = v.y;
        b[row * 128 + (c % 8 + 2) * 16 + c / 8] = v.z;
        b[row * 128 + (c % 8 + 3) * 16 + c / 8] = v.w;
      } else {
        four(b[row * WIDTH + c]) = v;
      }
    }
    __syncthreads();
    for (int i = 0; i < DEPTH; ++i) {
      for (int j = 0; j < 8; j += 4) four(left[j]) = four(a[i * 128 + y + j]);
      for (int j = 0; j < 8; ++j) right[j] = LAYOUT == 1 ? b[i * 128 + j * 16 + x] : b[i * WIDTH + x * 8 + j];
      for (int j = 0; j < 8; ++j)
        for (int q = 0; q < 8; ++q) sum[j][q] += left[j] * right[q];
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int q = 0; q < 8; q += 4)
      put(C[(blockIdx.y * 128 + y + j) * n + blockIdx.x * 128 + x * 8 + q], &sum[j][q], alpha, beta);
}
__global__ void __launch_bounds__(256) vectorised(ARGUMENTS) { vectorised_product<8, 0>(n, alpha, A, B, beta, C); }
__global__ void __launch_bounds__(256) apart(ARGUMENTS) { vectorised_product<8, 1>(n, alpha, A, B, beta, C); }
__global__ void __launch_bounds__(256) padded(ARGUMENTS) { vectorised_product<8, 2>(n, alpha, A, B, beta, C); }
__global__ void __launch_bounds__(256) deeper(ARGUMENTS) { vectorised_product<16, 0>(n, alpha, A, B, beta, C); }

// 128×128 outputs a block; a warp has 64 rows and 64 columns of them, a thread 2×2 patches of 8×4 or so.
struct WarpTile {
  float sum[8][16] = {};
  int row, column;
  __device__ WarpTile() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / 2 * 64 + lane / 4 * 8;
    column = warp % 2 * 64 + lane % 4 * 4;
  }
  __device__ void add(const float* a, const float* b) {  // one depth: 128 words of each
    float left[8], right[16];
    for (int j = 0; j < 8; j += 4) four(left[j]) = four(a[row + j]);
    for (int part = 0; part < 4; ++part) four(right[part * 4]) = four(b[column + part * 16]);
    for (int j = 0; j < 8; ++j)
      for (int q = 0; q < 16; ++q) sum[j][q] += left[j] * right[q];
  }
  __device__ void store(int n, float alpha, float beta, float* C) {
    for (int j = 0; j < 8; ++j)
      for (int part = 0; part < 4; ++part)
        put(C[(blockIdx.y * 128 + row + j) * n + blockIdx.x * 128 + column + part * 16], &sum[j][part * 4], alpha, beta);
  }
};

constexpr int DEPTH = 16;

__device__ void turn_over(float* a, int row, int column, float4 v) {
  a[(column + 0) * 128 + row] = v.x;
  a[(column + 1) * 128 + row] = v.y;
  a[(column + 2) * 128 + row] = v.z;
  a[(column + 3) * 128 + row] = v.w;
}

__global__ void __launch_bounds__(128) warp_tiles(ARGUMENTS) {
  __shared__ float a[DEPTH * 128], b[DEPTH * 128];
  WarpTile tile;
  const int t = threadIdx.x;
  for (int k = 0; k < n; k += DEPTH) {
    for (int row = t / 4; row < 128; row += 32)
      turn_over(a, row, t % 4 * 4, four(A[(blockIdx.y * 128 + row) * n + k + t % 4 * 4]));
    for (int row = t / 32; row < DEPTH; row += 4)
      four(b[row * 128 + t % 32 * 4]) = four(B[(k + row) * n + blockIdx.x * 128 + t % 32 * 4]);
    __syncthreads();
    for (int i = 0; i < DEPTH; ++i) tile.add(a + i * 128, b + i * 128);
    __syncthreads();
  }
  tile.store(n, alpha, beta, C);
}

// The next tile waits in registers while this one is used.
__global__ void __launch_bounds__(128) double_buffered(ARGUMENTS) {
  __shared__ float a[2][DEPTH * 128], b[2][DEPTH * 128];
  WarpTile tile;
  const int t = threadIdx.x;
  float4 next_a[4], next_b[4];
  const auto fetch = [&](int k) {
    for (int i = 0; i < 4; ++i) {
      next_a[i] = four(A[(blockIdx.y * 128 + t / 4 + i * 32) * n + k + t % 4 * 4]);
      next_b[i] = four(B[(k + t / 32 + i * 4) * n + blockIdx.x * 128 + t % 32 * 4]);
    }
  };
  const auto keep = [&](int side) {
    for (int i = 0; i < 4; ++i) {
      turn_over(a[side], t / 4 + i * 32, t % 4 * 4, next_a[i]);
      four(b[side][(t / 32 + i * 4) * 128 + t % 32 * 4]) = next_b[i];
    }
  };
  fetch(0);
  keep(0);
  __syncthreads();
  for (int k = 0, side = 0; k < n; k += DEPTH, side ^= 1) {
    const bool more = k + DEPTH < n;
    if (more) fetch(k + DEPTH);
    for (int i = 0; i < DEPTH; ++i) tile.add(a[side] + i * 128, b[side] + i * 128);
    if (more) keep(side ^ 1);
    __syncthreads();
  }
  tile.store(n, alpha, beta, C);
}

// The copies into shared memory run by themselves; those of A word by word, for its tile is turned over.
__global__ void __launch_bounds__(128) asynchronous(ARGUMENTS) {
  __shared__ __align__(16) float a[2][DEPTH * 128], b[2][DEPTH * 128];
  WarpTile tile;
  const int t = threadIdx.x;
  const auto fetch = [&](int k, int side) {
    for (int i = 0; i < 4; ++i) {
      const int row = t / 4 + i * 32;
      for (int j = 0; j < 4; ++j)
        __pipeline_memcpy_async(&a[side][(t % 4 * 4 + j) * 128 + row], &A[(blockIdx.y * 128 + row) * n + k + t % 4 * 4 + j], 4);
      __pipeline_memcpy_async(&b[side][(t / 32 + i * 4) * 128 + t % 32 * 4],
                              &B[(k + t / 32 + i * 4) * n + blockIdx.x * 128 + t % 32 * 4], 16);
    }
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int k = 0, side = 0; k < n; k += DEPTH, side ^= 1) {
    if (k + DEPTH < n) fetch(k + DEPTH, side ^ 1);
    __pipeline_wait_prior(k + DEPTH < n ? 1 : 0);
    __syncthreads();
    for (int i = 0; i < DEPTH; ++i) tile.add(a[side] + i * 128, b[side] + i * 128);
    __syncthreads();
  }
  tile.store(n, alpha, beta, C);
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 4096;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  const std::size_t all = static_cast<std::size_t>(n) * n;
  float *A = bench.values(all), *B = bench.values(all), *C = bench.values(all);
  const auto run = [&](const char* name, auto kernel, int tile, dim3 block) {
    bench.time(name, [&] { kernel<<<dim3(n / tile, n / tile), block>>>(n, 1.5f, A, B, 0.5f, C); });
  };
  run("naive", naive, 32, dim3(32, 32));
  run("coalesced", coalesced, 32, 1024);
  run("shared_tiles", shared_tiles, 32, 1024);
  run("columns", columns, 64, 512);
  run("squares", squares, 128, 256);
  run("vectorised", vectorised, 128, 256);
  run("apart", apart, 128, 256);
  run("padded", padded, 128, 256);
  run("deeper", deeper, 128, 256);
  run("warp_tiles", warp_tiles, 128, 128);
  run("double_buffered", double_buffered, 128, 128);
  run("asynchronous", asynchronous, 128, 128);
  return bench.failed();
}
