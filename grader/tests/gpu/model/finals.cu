// Fifteen kernels of the finals: nine products and six others. What the model of time said of them before any
// had run on a GPU is in finals-blind.tsv.
//
//   finals ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_pipeline.h>

#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ float4& four(float* at) { return *reinterpret_cast<float4*>(at); }

// ---- products of side × side matrices ----

// Tiles of 16 × 16; each block computes four of them beside each other, an output of each a thread.
__global__ void coarsened(ARGUMENTS) {
  __shared__ float a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 64 + x;
  float sum[4] = {};
  for (int k = 0; k < side; k += 16) {
    a[y][x] = A[row * side + k + x];
    for (int c = 0; c < 4; ++c) {
      b[y][x] = B[(k + y) * side + column + c * 16];
      __syncthreads();
      for (int i = 0; i < 16; ++i) sum[c] += a[y][i] * b[i][x];
      __syncthreads();
    }
  }
  for (int c = 0; c < 4; ++c) C[row * side + column + c * 16] = sum[c];
}

// 8 × 8 outputs a thread of 256, tiles of 128 × 128 and 8 deep; A is turned over, its columns exchanged so
// that the stores have fewer conflicts.
__global__ void __launch_bounds__(256) exchanged_columns(ARGUMENTS) {
  __shared__ float a[8][128], b[8][128];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 128, left = blockIdx.x * 128;
  float sum[8][8] = {};
  for (int k = 0; k < side; k += 8) {
    const int depth = t % 2 * 4, row = (t / 2) ^ (depth * 4);
    const float4 v = four(A + (top + t / 2) * side + k + depth);
    a[depth][row] = v.x, a[depth + 1][row] = v.y, a[depth + 2][row] = v.z, a[depth + 3][row] = v.w;
    four(&b[t / 32][t % 32 * 4]) = four(B + (k + t / 32) * side + left + t % 32 * 4);
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const int other = i / 4 * 16;
      float u[8], w[8];
      four(u) = four(&a[i][(y * 8) ^ other]), four(u + 4) = four(&a[i][(y * 8 + 4) ^ other]);
      four(w) = four(&b[i][x * 4]), four(w + 4) = four(&b[i][64 + x * 4]);
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + y * 8 + r) * side + left + c / 4 * 64 + x * 4) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// A·Bᵀ: tiles of 32 rows of both and 32 deep, 2 × 2 outputs a thread of 256, four steps of the depth at once.
__global__ void vectors_along_rows(ARGUMENTS) {
  __shared__ float a[32][36], b[32][36];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x, top = blockIdx.y * 32, left = blockIdx.x * 32;
  float sum[2][2] = {};
  for (int k = 0; k < side; k += 32) {
    four(&a[t / 8][t % 8 * 4]) = four(A + (top + t / 8) * side + k + t % 8 * 4);
    four(&b[t / 8][t % 8 * 4]) = four(B + (left + t / 8) * side + k + t % 8 * 4);
    __syncthreads();
    for (int i = 0; i < 32; i += 4)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) {
          const float4 u = four(&a[y + 16 * r][i]), w = four(&b[x + 16 * c][i]);
          sum[r][c] += u.x * w.x + u.y * w.y + u.z * w.z + u.w * w.w;
        }
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) C[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// 4 × 4 outputs a thread of 256, tiles of 64 × 64 and 16 deep in two buffers; the next words wait in
// registers.
__global__ void __launch_bounds__(256) fetched_ahead(ARGUMENTS) {
  __shared__ float a[2][16][68], b[2][16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  const int depth = t % 4 * 4, row = t / 4;
  float sum[4][4] = {};
  float4 v, p;
  const auto fetch = [&](int k) {
    v = four(A + (top + row) * side + k + depth);
    p = four(B + (k + y) * side + left + x * 4);
  };
  const auto put = [&](int into) {
    a[into][depth][row] = v.x, a[into][depth + 1][row] = v.y;
    a[into][depth + 2][row] = v.z, a[into][depth + 3][row] = v.w;
    four(&b[into][y][x * 4]) = p;
    __syncthreads();
  };
  fetch(0);
  put(0);
  for (int k = 0, now = 0; k < side; k += 16, now ^= 1) {
    if (k + 16 < side) fetch(k + 16);
    for (int i = 0; i < 16; ++i) {
      float u[4], w[4];
      four(u) = four(&a[now][i][y * 4]), four(w) = four(&b[now][i][x * 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
    }
    if (k + 16 < side) put(now ^ 1);
  }
  for (int r = 0; r < 4; ++r)
    four(C + (top + y * 4 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// Two groups of 128 threads share a tile of 64 × 32 outputs: each takes half of the depth of 16, and they add
// up what they have at the end. 4 × 4 outputs a thread.
__global__ void __launch_bounds__(256) halves_of_the_depth(ARGUMENTS) {
  __shared__ float a[16][65], b[16][32], other[64][33];
  const int t = threadIdx.x, group = t / 128, x = t % 8, y = t % 128 / 8;
  const int top = blockIdx.y * 64, left = blockIdx.x * 32;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 1024; i += 256) a[i % 16][i / 16] = A[(top + i / 16) * side + k + i % 16];
    for (int i = t; i < 512; i += 256) b[i / 32][i % 32] = B[(k + i / 32) * side + left + i % 32];
    __syncthreads();
    for (int i = group * 8; i < group * 8 + 8; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[i][y + 16 * r] * b[i][x + 8 * c];
    __syncthreads();
  }
  for (int r = 0; r < 4 && group == 1; ++r)
    for (int c = 0; c < 4; ++c) other[y + 16 * r][x + 8 * c] = sum[r][c];
  __syncthreads();
  for (int r = 0; r < 4 && group == 0; ++r)
    for (int c = 0; c < 4; ++c)
      C[(top + y + 16 * r) * side + left + x + 8 * c] = sum[r][c] + other[y + 16 * r][x + 8 * c];
}

// Eight rows a thread of 128: A lies in shared memory, the words of B come from global memory when they are
// used.
__global__ void one_side_in_shared(ARGUMENTS) {
  __shared__ float a[8][64];
  const int t = threadIdx.x, top = blockIdx.y * 8, column = blockIdx.x * 128 + t;
  float sum[8] = {};
  for (int k = 0; k < side; k += 64) {
    for (int i = t; i < 512; i += 128) a[i / 64][i % 64] = A[(top + i / 64) * side + k + i % 64];
    __syncthreads();
    for (int i = 0; i < 64; ++i) {
      const float w = B[(k + i) * side + column];
      for (int r = 0; r < 8; ++r) sum[r] += a[r][i] * w;
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r) C[(top + r) * side + column] = sum[r];
}

// 2 × 2 outputs a thread of 256, tiles of 32 × 32 in two buffers, the next ones copied word by word.
__global__ void copied_by_words(ARGUMENTS) {
  __shared__ float a[2][32][33], b[2][32][32];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x, top = blockIdx.y * 32, left = blockIdx.x * 32;
  float sum[2][2] = {};
  const auto fetch = [&](int k, int into) {
    for (int i = t; i < 1024; i += 256) {
      __pipeline_memcpy_async(&a[into][i / 32][i % 32], A + (top + i / 32) * side + k + i % 32, 4);
      __pipeline_memcpy_async(&b[into][i / 32][i % 32], B + (k + i / 32) * side + left + i % 32, 4);
    }
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int k = 0, now = 0; k < side; k += 32, now ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k + 32 < side) fetch(k + 32, now ^ 1);
    for (int i = 0; i < 32; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) sum[r][c] += a[now][y + 16 * r][i] * b[now][i][x + 16 * c];
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) C[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// Aᵀ·B with 8 × 4 outputs a thread of 128: tiles of 64 × 64 and 8 deep, four of them under way.
__global__ void __launch_bounds__(128) four_stages(ARGUMENTS) {
  __shared__ float a[4][8][64], b[4][8][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[8][4] = {};
  const auto fetch = [&](int k) {
    const int into = k / 8 % 4, row = t / 16, at = t % 16 * 4;
    if (k < side) {
      __pipeline_memcpy_async(&a[into][row][at], A + (k + row) * side + top + at, 16);
      __pipeline_memcpy_async(&b[into][row][at], B + (k + row) * side + left + at, 16);
    }
    __pipeline_commit();
  };
  for (int k = 0; k < 24; k += 8) fetch(k);
  for (int k = 0; k < side; k += 8) {
    __pipeline_wait_prior(2);
    __syncthreads();
    fetch(k + 24);
    const int now = k / 8 % 4;
    for (int i = 0; i < 8; ++i) {
      float u[8], w[4];
      four(u) = four(&a[now][i][y * 8]), four(u + 4) = four(&a[now][i][y * 8 + 4]);
      four(w) = four(&b[now][i][x * 4]);
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
    }
  }
  for (int r = 0; r < 8; ++r)
    four(C + (top + y * 8 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// A quarter of the columns of B: 4 × 4 outputs a thread of 64, tiles of 32 × 32 and 16 deep, words apart.
__global__ void tall(ARGUMENTS) {
  __shared__ float a[32][17], b[16][32];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 32, left = blockIdx.x * 32;
  const int width = side / 4;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 512; i += 64) {
      a[i / 16][i % 16] = A[(top + i / 16) * side + k + i % 16];
      b[i / 32][i % 32] = B[(k + i / 32) * width + left + i % 32];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[y + 8 * r][i] * b[i][x + 8 * c];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) C[(top + y + 8 * r) * width + left + x + 8 * c] = sum[r][c];
}

// ---- others ----

__global__ void pooled(ARGUMENTS) {  // the largest of each 2 × 2 words of an image
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float2 upper = *reinterpret_cast<const float2*>(A + 2 * y * side + 2 * x);
  const float2 lower = *reinterpret_cast<const float2*>(A + (2 * y + 1) * side + 2 * x);
  C[y * (side / 2) + x] = fmaxf(fmaxf(upper.x, upper.y), fmaxf(lower.x, lower.y));
}

__global__ void channels_last(ARGUMENTS) {  // 32 planes: the words of a place come to lie side by side
  __shared__ float tile[32][33];
  const int x = threadIdx.x, plane = n / 32, first = blockIdx.x * 32;
  for (int c = threadIdx.y; c < 32; c += 8) tile[c][x] = A[c * plane + first + x];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) C[(first + i) * 32 + x] = tile[x][i];
}

__global__ void tridiagonal(ARGUMENTS) {  // 64 equations a thread, each with its neighbours: there and back
  const int i = INDEX, apart = n / 64;
  float factor[64], value[64];
  factor[0] = 0.25f, value[0] = A[i] * 0.25f;
#pragma unroll
  for (int k = 1; k < 64; ++k) {
    const float scale = 1.0f / (4.0f - factor[k - 1]);
    factor[k] = scale;
    value[k] = (A[k * apart + i] + value[k - 1]) * scale;
  }
  float next = 0;
#pragma unroll
  for (int k = 63; k >= 0; --k) {
    next = value[k] + factor[k] * next;
    C[k * apart + i] = next;
  }
}

__global__ void smoothed(ARGUMENTS) {  // 3 × 3 words, each the less the more it differs from the middle
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x >= side - 1 || y >= side - 1) return;
  const float middle = A[y * side + x];
  float sum = 0, weights = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const float v = A[(y + dy) * side + x + dx], weight = __expf(-8.0f * (v - middle) * (v - middle));
      sum += weight * v, weights += weight;
    }
  C[y * side + x] = sum / weights;
}

__global__ void sums_of_segments(
    ARGUMENTS) {  // of a warp's words, up to each one where a positive one begins
  const unsigned lane = threadIdx.x % 32;
  float sum = A[INDEX];
  const unsigned heads = __ballot_sync(~0u, B[INDEX] > 0) | 1u;
  const unsigned first = 31 - __clz(heads & (~0u >> (31 - lane)));
  for (unsigned apart = 1; apart < 32; apart *= 2) {
    const float before = __shfl_up_sync(~0u, sum, apart);
    if (lane >= first + apart) sum += before;
  }
  C[INDEX] = sum;
}

__global__ void counts_of_warps(ARGUMENTS) {  // 64 bins in shared memory for each warp, added up at the end
  __shared__ unsigned count[8][64];
  const int t = threadIdx.x, warp = t / 32;
  for (int i = t; i < 512; i += 256) count[i / 64][i % 64] = 0;
  __syncthreads();
  for (int i = 0; i < 32; ++i) {
    const float v = A[(blockIdx.x * 32 + i) * 256 + t];
    atomicAdd(&count[warp][static_cast<int>((v + 0.5f) * 63.9f)], 1u);
  }
  __syncthreads();
  if (t >= 64) return;
  unsigned sum = 0;
  for (int w = 0; w < 8; ++w) sum += count[w][t];
  atomicAdd(reinterpret_cast<unsigned*>(C) + t, sum);
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const unsigned s = side, p = side / 4;  // sides of matrices and of products
  const auto run = [&](const char* name, auto kernel, dim3 grid, dim3 block, int of) {
    bench.time(name, [&] { kernel<<<grid, block>>>(n, of, A, B, C); });
  };
  run("coarsened", coarsened, dim3(p / 64, p / 16), dim3(16, 16), side / 4);
  run("exchanged_columns", exchanged_columns, dim3(p / 128, p / 128), 256, side / 4);
  run("vectors_along_rows", vectors_along_rows, dim3(p / 32, p / 32), dim3(16, 16), side / 4);
  run("fetched_ahead", fetched_ahead, dim3(p / 64, p / 64), 256, side / 4);
  run("halves_of_the_depth", halves_of_the_depth, dim3(p / 32, p / 64), 256, side / 4);
  run("one_side_in_shared", one_side_in_shared, dim3(p / 128, p / 8), 128, side / 4);
  run("copied_by_words", copied_by_words, dim3(p / 32, p / 32), dim3(16, 16), side / 4);
  run("four_stages", four_stages, dim3(p / 64, p / 64), 128, side / 4);
  run("tall", tall, dim3(p / 4 / 32, p / 32), 64, side / 4);
  run("pooled", pooled, dim3(s / 2 / 32, s / 2 / 8), dim3(32, 8), side);
  run("channels_last", channels_last, n / 32 / 32, dim3(32, 8), side);
  run("tridiagonal", tridiagonal, n / 64 / 128, 128, side);
  run("smoothed", smoothed, dim3(s / 32, s / 8), dim3(32, 8), side);
  run("sums_of_segments", sums_of_segments, n / 256, 256, side);
  run("counts_of_warps", counts_of_warps, n / 32 / 256, 256, side);
  return bench.failed();
}
