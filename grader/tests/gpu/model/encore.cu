// Fifteen kernels of an encore: eight products and seven others. What the model of time said of them before
// any had run on a GPU is in encore-blind.tsv.
//
//   encore ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_pipeline.h>

#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ float4& four(float* at) { return *reinterpret_cast<float4*>(at); }

// ---- products of side × side matrices ----

// 6 × 6 outputs a thread of 256, tiles of 96 × 96 and 8 deep; the last blocks reach beyond the matrices.
__global__ void __launch_bounds__(256) six_by_six(ARGUMENTS) {
  __shared__ float a[96][9], b[8][96];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 96, left = blockIdx.x * 96;
  float sum[6][6] = {};
  for (int k = 0; k < side; k += 8) {
    for (int i = t; i < 768; i += 256) {
      const int row = top + i / 8, column = left + i % 96;
      a[i / 8][i % 8] = row < side ? A[row * side + k + i % 8] : 0.0f;
      b[i / 96][i % 96] = column < side ? B[(k + i / 96) * side + column] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i)
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) sum[r][c] += a[y + 16 * r][i] * b[i][x + 16 * c];
    __syncthreads();
  }
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) {
      const int row = top + y + 16 * r, column = left + x + 16 * c;
      if (row < side && column < side) C[row * side + column] = sum[r][c];
    }
}

// Products of 256 × 256 matrices that lie one after the other, one for each blockIdx.z: 4 × 8 outputs a
// thread of 128, tiles of 64 × 64 and 8 deep.
__global__ void __launch_bounds__(128) batch(ARGUMENTS) {
  __shared__ float a[8][68], b[8][64];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 64;
  const float *of_a = A + blockIdx.z * 65536, *of_b = B + blockIdx.z * 65536;
  float sum[4][8] = {};
  for (int k = 0; k < 256; k += 8) {
    const float4 v = four(of_a + (top + t / 2) * 256 + k + t % 2 * 4);
    const int depth = t % 2 * 4, row = t / 2;
    a[depth][row] = v.x, a[depth + 1][row] = v.y, a[depth + 2][row] = v.z, a[depth + 3][row] = v.w;
    four(&b[t / 16][t % 16 * 4]) = four(of_b + (k + t / 16) * 256 + left + t % 16 * 4);
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float u[4], w[8];
      four(u) = four(&a[i][y * 4]), four(w) = four(&b[i][x * 4]), four(w + 4) = four(&b[i][32 + x * 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + blockIdx.z * 65536 + (top + y * 4 + r) * 256 + left + c * 8 + x * 4) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// Only B in shared memory, tiles 32 deep; all lanes of a warp read the same words of A from L1, four at a
// time. 4 × 4 outputs a thread of 256.
__global__ void __launch_bounds__(256) other_side_in_shared(ARGUMENTS) {
  __shared__ float b[32][128];
  const int t = threadIdx.x, x = t % 32 * 4, y = t / 32 * 4, top = blockIdx.y * 32, left = blockIdx.x * 128;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 32) {
    for (int i = t; i < 1024; i += 256)
      four(&b[i / 32][i % 32 * 4]) = four(B + (k + i / 32) * side + left + i % 32 * 4);
    __syncthreads();
    for (int i = 0; i < 32; i += 4) {
      float4 u[4];
      for (int r = 0; r < 4; ++r) u[r] = four(A + (top + y + r) * side + k + i);
      for (int d = 0; d < 4; ++d) {
        const float4 w = four(&b[i + d][x]);
        for (int r = 0; r < 4; ++r) {
          const float v = d == 0 ? u[r].x : d == 1 ? u[r].y : d == 2 ? u[r].z : u[r].w;
          sum[r][0] += v * w.x, sum[r][1] += v * w.y, sum[r][2] += v * w.z, sum[r][3] += v * w.w;
        }
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    four(C + (top + y + r) * side + left + x) = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// The two halves of each warp take even and odd depths and add up by shuffles at the end: 4 × 4 outputs a
// lane, 16 × 16 a warp, tiles of 64 × 32 and 16 deep for 256 threads.
__global__ void __launch_bounds__(256) by_half_warps(ARGUMENTS) {
  __shared__ float a[16][68], b[16][32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, half = lane / 16;
  const int row = warp / 2 * 16 + lane % 16 / 4 * 4, column = warp % 2 * 16 + lane % 4 * 4;
  const int top = blockIdx.y * 64, left = blockIdx.x * 32;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 1024; i += 256) a[i % 16][i / 16] = A[(top + i / 16) * side + k + i % 16];
    for (int i = t; i < 512; i += 256) b[i / 32][i % 32] = B[(k + i / 32) * side + left + i % 32];
    __syncthreads();
    for (int i = half; i < 16; i += 2) {
      float u[4], w[4];
      four(u) = four(&a[i][row]), four(w) = four(&b[i][column]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) sum[r][c] += __shfl_xor_sync(~0u, sum[r][c], 16);
  for (int r = 0; r < 4; ++r)
    if (r / 2 == half)
      four(C + (top + row + r) * side + left + column) =
          make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// 8 × 4 outputs a thread of 256, tiles of 128 × 64 and 16 deep in two buffers, the next ones copied
// asynchronously; rows of A stay as they are, four words of padding apart.
__global__ void __launch_bounds__(256) rows_kept(ARGUMENTS) {
  __shared__ __align__(16) float a[2][128][20], b[2][16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 128, left = blockIdx.x * 64;
  float sum[8][4] = {};
  const auto fetch = [&](int k, int into) {
    for (int i = t; i < 512; i += 256)
      __pipeline_memcpy_async(&a[into][i / 4][i % 4 * 4], A + (top + i / 4) * side + k + i % 4 * 4, 16);
    __pipeline_memcpy_async(&b[into][y][x * 4], B + (k + y) * side + left + x * 4, 16);
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int k = 0, now = 0; k < side; k += 16, now ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k + 16 < side) fetch(k + 16, now ^ 1);
    for (int i = 0; i < 16; ++i) {
      const float4 w = four(&b[now][i][x * 4]);
      for (int r = 0; r < 8; ++r) {
        const float u = a[now][y + 16 * r][i];
        sum[r][0] += u * w.x, sum[r][1] += u * w.y, sum[r][2] += u * w.z, sum[r][3] += u * w.w;
      }
    }
  }
  for (int r = 0; r < 8; ++r)
    four(C + (top + y + 16 * r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// 528 blocks, four for each SM, with every 528th tile of 64 × 64 outputs each: 8 × 4 outputs a thread of 128,
// 16 deep.
__global__ void __launch_bounds__(128) blocks_that_stay(ARGUMENTS) {
  __shared__ float a[16][68], b[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, tiles = side / 64;
  for (int tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
    const int top = tile / tiles * 64, left = tile % tiles * 64;
    float sum[8][4] = {};
    for (int k = 0; k < side; k += 16) {
      for (int i = t; i < 256; i += 128) {
        const float4 v = four(A + (top + i / 4) * side + k + i % 4 * 4);
        const int depth = i % 4 * 4, row = i / 4;
        a[depth][row] = v.x, a[depth + 1][row] = v.y, a[depth + 2][row] = v.z, a[depth + 3][row] = v.w;
        four(&b[i / 16][i % 16 * 4]) = four(B + (k + i / 16) * side + left + i % 16 * 4);
      }
      __syncthreads();
      for (int i = 0; i < 16; ++i) {
        float u[8], w[4];
        four(u) = four(&a[i][y * 8]), four(u + 4) = four(&a[i][y * 8 + 4]);
        four(w) = four(&b[i][x * 4]);
        for (int r = 0; r < 8; ++r)
          for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
      }
      __syncthreads();
    }
    for (int r = 0; r < 8; ++r)
      four(C + (top + y * 8 + r) * side + left + x * 4) =
          make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
  }
}

// A product of integers: 4 × 4 outputs a thread of 256, tiles of 64 × 64 and 16 deep, words apart.
__global__ void __launch_bounds__(256) whole_numbers(ARGUMENTS) {
  __shared__ int a[64][17], b[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  const int *of_a = reinterpret_cast<const int*>(A), *of_b = reinterpret_cast<const int*>(B);
  int sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 1024; i += 256) {
      a[i / 16][i % 16] = of_a[(top + i / 16) * side + k + i % 16];
      b[i / 64][i % 64] = of_b[(k + i / 64) * side + left + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[y + 16 * r][i] * b[i][x + 16 * c];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c)
      reinterpret_cast<int*>(C)[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// A product of complex numbers of half the side: 2 × 2 outputs a thread of 256, tiles of 32 × 32 and 16 deep.
__global__ void __launch_bounds__(256) complex_numbers(ARGUMENTS) {
  __shared__ float2 a[32][17], b[16][32];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 32, left = blockIdx.x * 32;
  const float2 *of_a = reinterpret_cast<const float2*>(A), *of_b = reinterpret_cast<const float2*>(B);
  const int width = side / 2;
  float2 sum[2][2] = {};
  for (int k = 0; k < width; k += 16) {
    for (int i = t; i < 512; i += 256) {
      a[i / 16][i % 16] = of_a[(top + i / 16) * width + k + i % 16];
      b[i / 32][i % 32] = of_b[(k + i / 32) * width + left + i % 32];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) {
          const float2 u = a[y + 16 * r][i], w = b[i][x + 16 * c];
          sum[r][c].x += u.x * w.x - u.y * w.y;
          sum[r][c].y += u.x * w.y + u.y * w.x;
        }
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      reinterpret_cast<float2*>(C)[(top + y + 16 * r) * width + left + x + 16 * c] = sum[r][c];
}

// ---- others ----

__global__ void residual(ARGUMENTS) {  // of a five-point stencil, four words of a row a thread
  const int x = (blockIdx.x * 32 + threadIdx.x) * 4, y = blockIdx.y * 8 + threadIdx.y, at = y * side + x;
  if (x == 0 || y == 0 || x >= side - 4 || y >= side - 1) return;
  const float4 up = four(A + at - side), on = four(A + at), down = four(A + at + side), of = four(B + at);
  const float before = A[at - 1], after = A[at + 4];
  four(C + at) = make_float4(
      of.x - 4 * on.x + up.x + down.x + before + on.y, of.y - 4 * on.y + up.y + down.y + on.x + on.z,
      of.z - 4 * on.z + up.z + down.z + on.y + on.w, of.w - 4 * on.w + up.w + down.w + on.z + after);
}

__global__ void pairs_counted(
    ARGUMENTS) {  // a histogram of 16 × 16 bins of pairs of words, one for each block
  __shared__ unsigned count[256];
  const int t = threadIdx.x;
  count[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
    const int x = static_cast<int>((A[i] + 0.5f) * 15.9f), y = static_cast<int>((B[i] + 0.5f) * 15.9f);
    atomicAdd(&count[y * 16 + x], 1u);
  }
  __syncthreads();
  atomicAdd(reinterpret_cast<unsigned*>(C) + t, count[t]);
}

__global__ void scan_by_fours(ARGUMENTS) {  // sums of 1,024 words of a block so far, four a thread
  __shared__ float of_warps[8];
  const int t = threadIdx.x, lane = t % 32, at = blockIdx.x * 1024 + t * 4;
  float4 v = four(A + at);
  v.y += v.x, v.z += v.y, v.w += v.z;
  float sum = v.w;
  for (int apart = 1; apart < 32; apart *= 2) {
    const float before = __shfl_up_sync(~0u, sum, apart);
    if (lane >= apart) sum += before;
  }
  if (lane == 31) of_warps[t / 32] = sum;
  __syncthreads();
  float before = sum - v.w;
  for (int w = 0; w < t / 32; ++w) before += of_warps[w];
  four(C + at) = make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}

__global__ void turned_by_fours(ARGUMENTS) {  // a transposition: tiles of 64 × 64, four words an access
  __shared__ float tile[64][65];
  const int t = threadIdx.x, top = blockIdx.y * 64, left = blockIdx.x * 64;
  for (int i = t; i < 1024; i += 256) {
    const float4 v = four(A + (top + i / 16) * side + left + i % 16 * 4);
    float* const to = &tile[i / 16][i % 16 * 4];
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  }
  __syncthreads();
  for (int i = t; i < 1024; i += 256) {
    const int row = i / 16, column = i % 16 * 4;
    four(C + (left + row) * side + top + column) =
        make_float4(tile[column][row], tile[column + 1][row], tile[column + 2][row], tile[column + 3][row]);
  }
}

__global__ void rows_by_index(ARGUMENTS) {  // rows of 64 words, each one by chance: two words a lane
  const int row = INDEX / 32, lane = threadIdx.x % 32;
  const unsigned from = (static_cast<unsigned>(row) * 2654435761u >> 7) & (n / 64 - 1);
  reinterpret_cast<float2*>(C)[row * 32 + lane] = reinterpret_cast<const float2*>(A)[from * 32u + lane];
}

__global__ void resampled(ARGUMENTS) {  // an image one and a half times as coarse, from four words each
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, width = side / 3 * 2;
  if (x >= width || y >= width) return;
  const float u = x * 1.5f, v = y * 1.5f;
  const int left = static_cast<int>(u), top = static_cast<int>(v);
  const float *upper = A + top * side + left, *lower = upper + side, a = u - left, b = v - top;
  const float above = upper[0] + a * (upper[1] - upper[0]), below = lower[0] + a * (lower[1] - lower[0]);
  C[y * width + x] = above + b * (below - above);
}

__global__ void sort_in_warps(ARGUMENTS) {  // 32 words of each warp, by shuffles
  const int lane = threadIdx.x % 32;
  float mine = A[INDEX];
  for (int size = 2; size <= 32; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      const float other = __shfl_xor_sync(~0u, mine, apart);
      const bool smaller = ((lane & apart) == 0) == ((lane & size) == 0);
      mine = smaller ? fminf(mine, other) : fmaxf(mine, other);
    }
  C[INDEX] = mine;
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
  run("six_by_six", six_by_six, dim3((p + 95) / 96, (p + 95) / 96), 256, side / 4);
  run("batch", batch, dim3(4, 4, p * p / 65536), 128, side / 4);
  run("other_side_in_shared", other_side_in_shared, dim3(p / 128, p / 32), 256, side / 4);
  run("by_half_warps", by_half_warps, dim3(p / 32, p / 64), 256, side / 4);
  run("rows_kept", rows_kept, dim3(p / 64, p / 128), 256, side / 4);
  run("blocks_that_stay", blocks_that_stay, 528, 128, side / 4);
  run("whole_numbers", whole_numbers, dim3(p / 64, p / 64), 256, side / 4);
  run("complex_numbers", complex_numbers, dim3(p / 2 / 32, p / 2 / 32), 256, side / 4);
  run("residual", residual, dim3(s / 128, s / 8), dim3(32, 8), side);
  run("pairs_counted", pairs_counted, 132 * 8, 256, side);
  run("scan_by_fours", scan_by_fours, n / 1024, 256, side);
  run("turned_by_fours", turned_by_fours, dim3(s / 64, s / 64), 256, side);
  run("rows_by_index", rows_by_index, n / 2 / 256, 256, side);
  run("resampled", resampled, dim3(s / 3 * 2 / 32 + 1, s / 3 * 2 / 8 + 1), dim3(32, 8), side);
  run("sort_in_warps", sort_in_warps, n / 256, 256, side);
  return bench.failed();
}
