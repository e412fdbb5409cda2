// Fifteen kernels of a third examination: seven products and eight others. What the model of time said of
// them before any had run on a GPU is in retake-blind.tsv.
//
//   retake ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_pipeline.h>

#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ float4& four(float* at) { return *reinterpret_cast<float4*>(at); }

// ---- products of side × side matrices ----

// 8 × 8 outputs a thread of 256, tiles of 128 × 128 and 8 deep; the next tile of B is copied asynchronously,
// that of A waits in registers.
__global__ void __launch_bounds__(256) copied_ahead(ARGUMENTS) {
  __shared__ float a[2][8][132], b[2][8][128];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 128, left = blockIdx.x * 128;
  float sum[8][8] = {};
  float4 next;
  const auto fetch = [&](int k, int into) {
    next = four(A + (top + t / 2) * side + k + t % 2 * 4);
    __pipeline_memcpy_async(&b[into][t / 32][t % 32 * 4], B + (k + t / 32) * side + left + t % 32 * 4, 16);
    __pipeline_commit();
  };
  const auto put = [&](int into) {
    a[into][t % 2 * 4][t / 2] = next.x, a[into][t % 2 * 4 + 1][t / 2] = next.y;
    a[into][t % 2 * 4 + 2][t / 2] = next.z, a[into][t % 2 * 4 + 3][t / 2] = next.w;
    __pipeline_wait_prior(0);
    __syncthreads();
  };
  fetch(0, 0);
  put(0);
  for (int k = 0, now = 0; k < side; k += 8, now ^= 1) {
    if (k + 8 < side) fetch(k + 8, now ^ 1);
    for (int i = 0; i < 8; ++i) {
      float u[8], w[8];
      four(u) = four(&a[now][i][y * 4]), four(u + 4) = four(&a[now][i][64 + y * 4]);
      four(w) = four(&b[now][i][x * 4]), four(w + 4) = four(&b[now][i][64 + x * 4]);
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * w[c];
    }
    if (k + 8 < side) put(now ^ 1);
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + r / 4 * 64 + y * 4 + r % 4) * side + left + c / 4 * 64 + x * 4) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// 4 × 8 outputs a thread of 256, tiles of 64 × 128 and 16 deep, all as float4, A turned over without padding.
__global__ void __launch_bounds__(256) rectangle(ARGUMENTS) {
  __shared__ float a[16][64], b[16][128];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 128;
  float sum[4][8] = {};
  for (int k = 0; k < side; k += 16) {
    const float4 v = four(A + (top + t / 4) * side + k + t % 4 * 4);
    const int depth = t % 4 * 4, row = t / 4;
    a[depth][row] = v.x, a[depth + 1][row] = v.y, a[depth + 2][row] = v.z, a[depth + 3][row] = v.w;
    for (int i = t; i < 512; i += 256)
      four(&b[i / 32][i % 32 * 4]) = four(B + (k + i / 32) * side + left + i % 32 * 4);
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float u[4], w[8];
      four(u) = four(&a[i][y * 4]);
      four(w) = four(&b[i][x * 8]), four(w + 4) = four(&b[i][x * 8 + 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + y * 4 + r) * side + left + x * 8 + c) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// 2 × 4 outputs a thread of 256, tiles of 32 × 64 and 32 deep, words apart.
__global__ void two_by_four(ARGUMENTS) {
  __shared__ float a[32][32], b[32][64];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x, top = blockIdx.y * 32, left = blockIdx.x * 64;
  float sum[2][4] = {};
  for (int k = 0; k < side; k += 32) {
    for (int i = t; i < 1024; i += 256) a[i / 32][i % 32] = A[(top + i / 32) * side + k + i % 32];
    for (int i = t; i < 2048; i += 256) b[i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[y + 16 * r][i] * b[i][x + 16 * c];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) C[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// Four warps a block, each with a part of 32 × 64 of tiles of 64 × 128 that are 8 deep; 8 × 8 outputs a
// thread.
__global__ void __launch_bounds__(128) parts_of_warps(ARGUMENTS) {
  __shared__ float a[8][68], b[8][128];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, top = blockIdx.y * 64, left = blockIdx.x * 128;
  const int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4;
  float sum[8][8] = {};
  for (int k = 0; k < side; k += 8) {
    const float4 v = four(A + (top + t / 2) * side + k + t % 2 * 4);
    const int depth = t % 2 * 4;
    a[depth][t / 2] = v.x, a[depth + 1][t / 2] = v.y, a[depth + 2][t / 2] = v.z, a[depth + 3][t / 2] = v.w;
    for (int i = t; i < 256; i += 128)
      four(&b[i / 32][i % 32 * 4]) = four(B + (k + i / 32) * side + left + i % 32 * 4);
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float u[8], w[8];
      four(u) = four(&a[i][row]), four(u + 4) = four(&a[i][row + 16]);
      four(w) = four(&b[i][column]), four(w + 4) = four(&b[i][column + 32]);
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + row + r / 4 * 16 + r % 4) * side + left + column + c / 4 * 32) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// Each warp four rows by 32 columns: its lanes hold words of A and pass them on, B lies in shared memory.
__global__ void __launch_bounds__(256) passed_on(ARGUMENTS) {
  __shared__ float b[32][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, left = blockIdx.x * 32;
  const int row = blockIdx.y * 32 + warp * 4;
  float sum[4] = {};
  for (int k = 0; k < side; k += 32) {
    float own[4];
    for (int r = 0; r < 4; ++r) own[r] = A[(row + r) * side + k + lane];
    for (int i = warp; i < 32; i += 8) b[i][lane] = B[(k + i) * side + left + lane];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      for (int r = 0; r < 4; ++r) sum[r] += __shfl_sync(~0u, own[r], i) * b[i][lane];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) C[(row + r) * side + left + lane] = sum[r];
}

// A·Bᵀ with 4 × 4 outputs a thread of 256: tiles of 64 rows and 16 columns of both, with a column of padding.
__global__ void __launch_bounds__(256) rows_by_rows(ARGUMENTS) {
  __shared__ float a[64][17], b[64][17];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 1024; i += 256) {
      a[i / 16][i % 16] = A[(top + i / 16) * side + k + i % 16];
      b[i / 16][i % 16] = B[(left + i / 16) * side + k + i % 16];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[y + 16 * r][i] * b[x + 16 * c][i];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) C[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// Four rows and one column a thread of 64: tiles of 16 × 16, blocks of two warps.
__global__ void two_warps_a_tile(ARGUMENTS) {
  __shared__ float a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * 16, column = blockIdx.x * 16 + x;
  float sum[4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int r = 0; r < 4; ++r) {
      a[y + 4 * r][x] = A[(top + y + 4 * r) * side + k + x];
      b[y + 4 * r][x] = B[(k + y + 4 * r) * side + column];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r) sum[r] += a[y + 4 * r][i] * b[i][x];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) C[(top + y + 4 * r) * side + column] = sum[r];
}

// ---- others ----

__global__ void edges(ARGUMENTS) {  // the length of an image's gradient, 3 × 3 words around each
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x >= side - 1 || y >= side - 1) return;
  const float *up = A + (y - 1) * side + x, *on = up + side, *down = on + side;
  const float across = up[1] + 2 * on[1] + down[1] - up[-1] - 2 * on[-1] - down[-1];
  const float along = down[-1] + 2 * down[0] + down[1] - up[-1] - 2 * up[0] - up[1];
  C[y * side + x] = sqrtf(across * across + along * along);
}

__global__ void half_sums(ARGUMENTS) {  // a step of a wavelet: sums and differences of neighbours
  const float2 v = reinterpret_cast<const float2*>(A)[INDEX];
  C[INDEX] = (v.x + v.y) * 0.5f;
  C[n / 2 + INDEX] = (v.x - v.y) * 0.5f;
}

__global__ void generations(ARGUMENTS) {  // the game of life, from a tile with its rim
  __shared__ int tile[18][34];
  const int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
  for (int i = t; i < 18 * 34; i += 512) {
    const int x = (x0 + i % 34) & (side - 1), y = (y0 + i / 34) & (side - 1);
    tile[i / 34][i % 34] = A[y * side + x] > 0;
  }
  __syncthreads();
  int around = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) around += tile[threadIdx.y + dy][threadIdx.x + dx];
  const int own = tile[threadIdx.y + 1][threadIdx.x + 1];
  C[(y0 + 1 + threadIdx.y) * side + x0 + 1 + threadIdx.x] = around == 3 || (own && around == 4);
}

__global__ void odd_and_even(ARGUMENTS) {  // neighbours exchanged in turns, 64 times over 512 words
  __shared__ float word[512];
  const int t = threadIdx.x, at = blockIdx.x * 512 + t;
  word[t] = A[at], word[t + 256] = A[at + 256];
  for (int step = 0; step < 64; ++step) {
    __syncthreads();
    const int i = 2 * t + step % 2;
    if (i + 1 < 512 && word[i] > word[i + 1]) {
      const float other = word[i];
      word[i] = word[i + 1], word[i + 1] = other;
    }
  }
  __syncthreads();
  C[at] = word[t], C[at + 256] = word[t + 256];
}

__global__ void option_prices(ARGUMENTS) {  // Black and Scholes: calls of a year
  const float price = A[INDEX] + 1.5f, strike = B[INDEX] + 1.5f;
  const float d = (__logf(price / strike) + 0.065f) / 0.3f;
  const auto below = [](float x) {  // the normal distribution, by a polynomial
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    const float tail = 0.39894228f * __expf(-0.5f * x * x) * k *
                       (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * -1.821255978f)));
    return x > 0 ? 1 - tail : tail;
  };
  C[INDEX] = price * below(d) - strike * __expf(-0.02f) * below(d - 0.3f);
}

__global__ void first_largest(ARGUMENTS) {  // where the largest of 1,024 words is: a tree in shared memory
  __shared__ float best[128];
  __shared__ int where[128];
  const int t = threadIdx.x;
  const float* row = A + blockIdx.x * 1024;
  best[t] = row[t], where[t] = t;
  for (int i = t + 128; i < 1024; i += 128)
    if (row[i] > best[t]) best[t] = row[i], where[t] = i;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (t < step && best[t + step] > best[t]) best[t] = best[t + step], where[t] = where[t + step];
    __syncthreads();
  }
  if (t == 0) C[blockIdx.x] = static_cast<float>(where[0]);
}

__global__ void bits_reversed(ARGUMENTS) {  // each 4,096 words in the order that a Fourier transform needs
  const int i = INDEX, within = i & 4095;
  C[(i & ~4095) + (__brev(within) >> 20)] = A[i];
}

__global__ void columns_times_vector(ARGUMENTS) {  // Aᵀ·b: a thread a column of 128 rows, added up by atomics
  const int x = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * 128;
  float sum = 0;
  for (int y = first; y < first + 128; ++y) sum += A[y * side + x] * B[y];
  atomicAdd(&C[x], sum);
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
  run("copied_ahead", copied_ahead, dim3(p / 128, p / 128), 256, side / 4);
  run("rectangle", rectangle, dim3(p / 128, p / 64), 256, side / 4);
  run("two_by_four", two_by_four, dim3(p / 64, p / 32), dim3(16, 16), side / 4);
  run("parts_of_warps", parts_of_warps, dim3(p / 128, p / 64), 128, side / 4);
  run("passed_on", passed_on, dim3(p / 32, p / 32), 256, side / 4);
  run("rows_by_rows", rows_by_rows, dim3(p / 64, p / 64), 256, side / 4);
  run("two_warps_a_tile", two_warps_a_tile, dim3(p / 16, p / 16), dim3(16, 4), side / 4);
  run("edges", edges, dim3(s / 32, s / 8), dim3(32, 8), side);
  run("half_sums", half_sums, n / 2 / 256, 256, side);
  run("generations", generations, dim3(s / 32, s / 16), dim3(32, 16), side);
  run("odd_and_even", odd_and_even, n / 512, 256, side);
  run("option_prices", option_prices, n / 256, 256, side);
  run("first_largest", first_largest, n / 1024, 128, side);
  run("bits_reversed", bits_reversed, n / 256, 256, side);
  run("columns_times_vector", columns_times_vector, dim3(s / 256, s / 128), 256, side);
  return bench.failed();
}
