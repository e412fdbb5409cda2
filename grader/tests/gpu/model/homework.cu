// Sixteen kernels as homework asks for them: six products and ten others. What the model of time said of them
// before any had run on a GPU is in homework-blind.tsv.
//
//   homework ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_pipeline.h>

#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }

// ---- products of side × side matrices ----

// 2 × 8 outputs a thread of 256, from tiles of 32 × 128 and 32 deep.
__global__ void __launch_bounds__(256) two_by_eight(ARGUMENTS) {
  __shared__ float a[32][33], b[32][128];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 32, left = blockIdx.x * 128;
  float sum[2][8] = {};
  for (int k = 0; k < side; k += 32) {
    for (int i = t; i < 32 * 32; i += 256) a[i / 32][i % 32] = A[(top + i / 32) * side + k + i % 32];
    for (int i = t; i < 32 * 128; i += 256) b[i / 128][i % 128] = B[(k + i / 128) * side + left + i % 128];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += a[y + 16 * r][i] * b[i][x + 16 * c];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 8; ++c) C[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// Only A in shared memory; B comes from L1. Eight rows of one column a thread.
__global__ void rows_in_shared(ARGUMENTS) {
  __shared__ float a[8][64];
  const int t = threadIdx.x, top = blockIdx.y * 8, column = blockIdx.x * 128 + t;
  float sum[8] = {};
  for (int k = 0; k < side; k += 64) {
    for (int i = t; i < 8 * 64; i += 128) a[i / 64][i % 64] = A[(top + i / 64) * side + k + i % 64];
    __syncthreads();
    for (int i = 0; i < 64; ++i) {
      const float v = B[(k + i) * side + column];
      for (int r = 0; r < 8; ++r) sum[r] += a[r][i] * v;
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r) C[(top + r) * side + column] = sum[r];
}

// Tiles of 16 with two outputs a thread, one below the other.
__global__ void two_rows(ARGUMENTS) {
  __shared__ float a[32][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 16 + x;
  float upper = 0, lower = 0;
  for (int k = 0; k < side; k += 16) {
    a[y][x] = A[row * side + k + x], a[y + 16][x] = A[(row + 16) * side + k + x];
    b[y][x] = B[(k + y) * side + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) upper += a[y][i] * b[i][x], lower += a[y + 16][i] * b[i][x];
    __syncthreads();
  }
  C[row * side + column] = upper, C[(row + 16) * side + column] = lower;
}

// 8 × 8 outputs a thread; the next tile waits in registers while this one is multiplied.
__global__ void __launch_bounds__(256) eight_by_eight_ahead(ARGUMENTS) {
  __shared__ float a[2][8][132], b[2][8][128];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 128, left = blockIdx.x * 128;
  const int down = t / 2, along = t % 2 * 4;
  const float *from_a = A + (top + down) * side + along, *from_b = B + t / 32 * side + left + t % 32 * 4;
  float sum[8][8] = {};
  float4 of_a = four(from_a), of_b = four(from_b);
  for (int k = 0, now = 0; k < side; k += 8, now ^= 1) {
    a[now][along][down] = of_a.x, a[now][along + 1][down] = of_a.y;
    a[now][along + 2][down] = of_a.z, a[now][along + 3][down] = of_a.w;
    *reinterpret_cast<float4*>(&b[now][t / 32][t % 32 * 4]) = of_b;
    __syncthreads();
    if (k + 8 < side) of_a = four(from_a + k + 8), of_b = four(from_b + (k + 8) * side);
    for (int i = 0; i < 8; ++i) {
      float u[8], v[8];
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(u + 4 * h) = four(&a[now][i][y * 4 + 64 * h]);
        *reinterpret_cast<float4*>(v + 4 * h) = four(&b[now][i][x * 4 + 64 * h]);
      }
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * v[c];
    }
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      C[(top + y * 4 + r % 4 + r / 4 * 64) * side + left + x * 4 + c % 4 + c / 4 * 64] = sum[r][c];
}

// 4 × 8 outputs a thread of 256 from tiles of 64 × 128, copied three stages ahead.
__global__ void __launch_bounds__(256) three_stages(ARGUMENTS) {
  __shared__ float a[3][64][16], b[3][16][128];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 128;
  const auto copy = [&](int k, int to) {
    if (k < side) {
      __pipeline_memcpy_async(&a[to][t / 4][t % 4 * 4], A + (top + t / 4) * side + k + t % 4 * 4, 16);
      for (int i = t; i < 16 * 32; i += 256)
        __pipeline_memcpy_async(&b[to][i / 32][i % 32 * 4], B + (k + i / 32) * side + left + i % 32 * 4, 16);
    }
    __pipeline_commit();
  };
  float sum[4][8] = {};
  copy(0, 0), copy(16, 1);
  for (int k = 0, now = 0; k < side; k += 16, now = (now + 1) % 3) {
    __pipeline_wait_prior(1);
    __syncthreads();
    copy(k + 32, (now + 2) % 3);
    for (int i = 0; i < 16; ++i) {
      float v[8];
      *reinterpret_cast<float4*>(v) = four(&b[now][i][x * 4]);
      *reinterpret_cast<float4*>(v + 4) = four(&b[now][i][x * 4 + 64]);
      for (int r = 0; r < 4; ++r) {
        const float u = a[now][y * 4 + r][i];
        for (int c = 0; c < 8; ++c) sum[r][c] += u * v[c];
      }
    }
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; ++c) C[(top + y * 4 + r) * side + left + x * 4 + c % 4 + c / 4 * 64] = sum[r][c];
}

// The two halves of a block share out the depth and add up at the end: 4 × 4 outputs a thread.
__global__ void __launch_bounds__(512) two_halves(ARGUMENTS) {
  __shared__ float a[2][16][65], b[2][16][64];
  const int half = threadIdx.x / 256, t = threadIdx.x % 256, x = t % 16, y = t / 16;
  const int top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = half * (side / 2); k < (half + 1) * (side / 2); k += 16) {
    for (int i = t; i < 64 * 16; i += 256) {
      a[half][i % 16][i / 16] = A[(top + i / 16) * side + k + i % 16];
      b[half][i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[half][i][y + 16 * r] * b[half][i][x + 16 * c];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) {
      float& shared = (&a[0][0][0])[t];
      if (half == 1) shared = sum[r][c];
      __syncthreads();
      if (half == 0) C[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c] + shared;
      __syncthreads();
    }
}

// ---- others ----

__global__ void wide_saxpy(ARGUMENTS) {  // four words a turn of a grid-stride loop
  for (int i = INDEX; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 a = four(A + 4 * i), b = four(B + 4 * i);
    reinterpret_cast<float4*>(C)[i] = make_float4(2 * a.x + b.x, 2 * a.y + b.y, 2 * a.z + b.z, 2 * a.w + b.w);
  }
}

__global__ void interleave(ARGUMENTS) {  // two arrays into one, every other word a store
  const int i = INDEX;
  C[2 * i] = A[i], C[2 * i + 1] = B[i];
}

__global__ void maxima_down_columns(ARGUMENTS) {  // the largest so far, 64 rows a thread
  const int column = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * 64;
  float largest = -1;
  for (int row = first; row < first + 64; ++row) {
    largest = fmaxf(largest, A[row * side + column]);
    C[row * side + column] = largest;
  }
}

__global__ void bits_set(int n, const int* A, int* C) {  // a histogram of 33 bins, one copy for each warp
  __shared__ int bins[8][33];
  for (int i = threadIdx.x; i < 8 * 33; i += 256) (&bins[0][0])[i] = 0;
  __syncthreads();
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[threadIdx.x / 32][__popc(A[i])], 1);
  __syncthreads();
  if (threadIdx.x < 33) {
    int sum = 0;
    for (int warp = 0; warp < 8; ++warp) sum += bins[warp][threadIdx.x];
    atomicAdd(&C[threadIdx.x], sum);
  }
}

__global__ void nearest_centre(ARGUMENTS) {  // n/4 points in the plane, 32 centres in shared memory
  __shared__ float2 centres[32];
  if (threadIdx.x < 32) centres[threadIdx.x] = reinterpret_cast<const float2*>(B)[threadIdx.x];
  __syncthreads();
  const float2 own = reinterpret_cast<const float2*>(A)[INDEX];
  float least = 1e30f;
  int best = 0;
  for (int i = 0; i < 32; ++i) {
    const float dx = own.x - centres[i].x, dy = own.y - centres[i].y, far = dx * dx + dy * dy;
    if (far < least) least = far, best = i;
  }
  C[INDEX] = static_cast<float>(best);
}

__global__ void taps_by_shuffles(ARGUMENTS) {  // nine taps; lanes pass their words on, 24 outputs a warp
  const int lane = threadIdx.x % 32, warp = INDEX / 32, i = min(warp * 24 + lane, n - 1);
  const float own = A[i];
  float sum = 0;
  for (int tap = 0; tap < 9; ++tap) sum += B[tap] * __shfl_down_sync(~0u, own, tap);
  if (lane < 24) C[i] = sum;
}

__global__ void pack_positive(int n, const float* A, float* C, int* count) {  // one atomic a warp
  const float own = A[INDEX];
  const unsigned keep = __ballot_sync(~0u, own > 0);
  const int lane = threadIdx.x % 32;
  int first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(keep));
  first = __shfl_sync(~0u, first, 0);
  if (own > 0) C[(first + __popc(keep & ((1u << lane) - 1))) & (n - 1)] = own;
}

__global__ void three_by_three(
    ARGUMENTS) {  // a product of two small matrices a thread, side by side in memory
  const float *a = A + 9 * INDEX, *b = B + 9 * INDEX;
  float* c = C + 9 * INDEX;
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k)
      c[3 * r + k] = a[3 * r] * b[k] + a[3 * r + 1] * b[3 + k] + a[3 * r + 2] * b[6 + k];
}

__global__ void enlarge(ARGUMENTS) {  // an image twice as wide and high, between four neighbours
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, half = side / 2;
  const int left = x / 2, top = y / 2, right = min(left + 1, half - 1), bottom = min(top + 1, half - 1);
  const float u = x % 2 * 0.5f, v = y % 2 * 0.5f;
  const float upper = A[top * half + left] * (1 - u) + A[top * half + right] * u;
  const float lower = A[bottom * half + left] * (1 - u) + A[bottom * half + right] * u;
  C[y * side + x] = upper * (1 - v) + lower * v;
}

__global__ void wave(ARGUMENTS) {  // a step of the wave equation: five points of A, one of B
  __shared__ float tile[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const auto at = [&](int row, int column) {
    return A[min(max(row, 0), side - 1) * side + min(max(column, 0), side - 1)];
  };
  tile[threadIdx.y + 1][threadIdx.x + 1] = at(y, x);
  if (threadIdx.y == 0) tile[0][threadIdx.x + 1] = at(y - 1, x);
  if (threadIdx.y == 7) tile[9][threadIdx.x + 1] = at(y + 1, x);
  if (threadIdx.x == 0) tile[threadIdx.y + 1][0] = at(y, x - 1);
  if (threadIdx.x == 31) tile[threadIdx.y + 1][33] = at(y, x + 1);
  __syncthreads();
  const float(*around)[34] = &tile[threadIdx.y + 1];
  const int i = threadIdx.x + 1;
  const float spread = around[-1][i] + around[1][i] + around[0][i - 1] + around[0][i + 1] - 4 * around[0][i];
  C[y * side + x] = 2 * around[0][i] - B[y * side + x] + 0.25f * spread;
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
  run("two_by_eight", two_by_eight, dim3(p / 128, p / 32), 256, side / 4);
  run("rows_in_shared", rows_in_shared, dim3(p / 128, p / 8), 128, side / 4);
  run("two_rows", two_rows, dim3(p / 16, p / 32), dim3(16, 16), side / 4);
  run("eight_by_eight_ahead", eight_by_eight_ahead, dim3(p / 128, p / 128), 256, side / 4);
  run("three_stages", three_stages, dim3(p / 128, p / 64), 256, side / 4);
  run("two_halves", two_halves, dim3(p / 64, p / 64), 512, side / 4);
  run("wide_saxpy", wide_saxpy, 132 * 16, 256, side);
  run("interleave", interleave, n / 2 / 256, 256, side);
  run("maxima_down_columns", maxima_down_columns, dim3(s / 256, s / 64), 256, side);
  int* words_of_a = reinterpret_cast<int*>(A);
  int* counts = reinterpret_cast<int*>(bench.values(64));
  bench.time("bits_set", [&] { bits_set<<<132 * 8, 256>>>(n, words_of_a, counts); });
  run("nearest_centre", nearest_centre, n / 4 / 256, 256, side);
  run("taps_by_shuffles", taps_by_shuffles, n / 24 / 8, 256, side);
  bench.time("pack_positive", [&] { pack_positive<<<n / 256, 256>>>(n, A, C, counts); });
  run("three_by_three", three_by_three, n / 9 / 256, 256, side);
  run("enlarge", enlarge, dim3(s / 32, s / 8), dim3(32, 8), side);
  run("wave", wave, dim3(s / 32, s / 8), dim3(32, 8), side);
  return bench.failed();
}
