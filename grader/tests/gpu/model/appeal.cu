// Fifteen kernels of a fourth examination: eight products and seven others. What the model of time said of
// them before any had run on a GPU is in appeal-blind.tsv.
//
//   appeal ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_pipeline.h>

#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ float4& four(float* at) { return *reinterpret_cast<float4*>(at); }

// ---- products of side × side matrices ----

// Tiles of 32 × 32, an output a thread of 1,024, with bounds that are never reached.
__global__ void bounded_tiles(ARGUMENTS) {
  __shared__ float a[32][32], b[32][32];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k = 0; k < side; k += 32) {
    a[y][x] = row < side && k + x < side ? A[row * side + k + x] : 0.0f;
    b[y][x] = k + y < side && column < side ? B[(k + y) * side + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < side && column < side) C[row * side + column] = sum;
}

// 4 × 4 outputs a thread of 256, tiles of 64 × 64 and 16 deep in two buffers, one barrier a tile.
__global__ void __launch_bounds__(256) buffers_in_turns(ARGUMENTS) {
  __shared__ float a[2][16][68], b[2][16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0, now = 0; k < side; k += 16, now ^= 1) {
    const float4 v = four(A + (top + t / 4) * side + k + t % 4 * 4);
    const int depth = t % 4 * 4, row = t / 4;
    a[now][depth][row] = v.x, a[now][depth + 1][row] = v.y;
    a[now][depth + 2][row] = v.z, a[now][depth + 3][row] = v.w;
    four(&b[now][y][x * 4]) = four(B + (k + y) * side + left + x * 4);
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float u[4], w[4];
      four(u) = four(&a[now][i][y * 4]), four(w) = four(&b[now][i][x * 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
    }
  }
  for (int r = 0; r < 4; ++r)
    four(C + (top + y * 4 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// Aᵀ·B, 4 × 8 outputs a thread of 128: tiles of 64 × 64 and 16 deep, none of which has to be turned over.
__global__ void __launch_bounds__(128) columns_of_both(ARGUMENTS) {
  __shared__ float a[16][64], b[16][64];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][8] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 256; i += 128) {
      four(&a[i / 16][i % 16 * 4]) = four(A + (k + i / 16) * side + top + i % 16 * 4);
      four(&b[i / 16][i % 16 * 4]) = four(B + (k + i / 16) * side + left + i % 16 * 4);
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float u[4], w[8];
      four(u) = four(&a[i][y * 4]), four(w) = four(&b[i][x * 4]), four(w + 4) = four(&b[i][32 + x * 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + y * 4 + r) * side + left + c / 4 * 32 + x * 4) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// Sixteen outputs down a column a thread of 256: tiles of 64 × 64 and 16 deep.
__global__ void sixteen_down(ARGUMENTS) {
  __shared__ float a[64][16], b[16][64];
  const int t = threadIdx.x, x = t % 64, y = t / 64 * 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[16] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 1024; i += 256) {
      a[i / 16][i % 16] = A[(top + i / 16) * side + k + i % 16];
      b[i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      const float w = b[i][x];
      for (int r = 0; r < 16; ++r) sum[r] += a[y + r][i] * w;
    }
    __syncthreads();
  }
  for (int r = 0; r < 16; ++r) C[(top + y + r) * side + left + x] = sum[r];
}

// A product of 64 × 64 each block, with both matrices as a whole in shared memory; 8 × 2 outputs a thread.
__global__ void small_products(ARGUMENTS) {
  __shared__ float a[64][64], b[64][64];
  const int t = threadIdx.x, x = t % 32, y = t / 32, first = blockIdx.x * 4096;
  for (int i = t * 4; i < 4096; i += 1024) {
    four(&a[i / 64][i % 64]) = four(A + first + i);
    four(&b[i / 64][i % 64]) = four(B + first + i);
  }
  __syncthreads();
  float sum[8][2] = {};
  for (int i = 0; i < 64; ++i)
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 2; ++c) sum[r][c] += a[y * 8 + r][i] * b[i][x + 32 * c];
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 2; ++c) C[first + (y * 8 + r) * 64 + x + 32 * c] = sum[r][c];
}

// A warp a block: 32 × 32 outputs, 4 × 8 a thread, tiles 8 deep.
__global__ void __launch_bounds__(32) one_warp(ARGUMENTS) {
  __shared__ float a[8][32], b[8][32];
  const int t = threadIdx.x, x = t % 4, y = t / 4, top = blockIdx.y * 32, left = blockIdx.x * 32;
  float sum[4][8] = {};
  for (int k = 0; k < side; k += 8) {
    const float4 v = four(A + (top + t) * side + k), w = four(A + (top + t) * side + k + 4);
    a[0][t] = v.x, a[1][t] = v.y, a[2][t] = v.z, a[3][t] = v.w;
    a[4][t] = w.x, a[5][t] = w.y, a[6][t] = w.z, a[7][t] = w.w;
    for (int i = 0; i < 2; ++i)
      four(&b[i * 4 + t / 8][t % 8 * 4]) = four(B + (k + i * 4 + t / 8) * side + left + t % 8 * 4);
    __syncwarp();
    for (int i = 0; i < 8; ++i) {
      float u[4], p[8];
      four(u) = four(&a[i][y * 4]), four(p) = four(&b[i][x * 4]), four(p + 4) = four(&b[i][16 + x * 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * p[c];
    }
    __syncwarp();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + y * 4 + r) * side + left + c / 4 * 16 + x * 4) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// 8 × 8 outputs a thread of 64, tiles of 64 × 64 and 8 deep, the next ones copied asynchronously; rows of A
// stay as they are.
__global__ void __launch_bounds__(64) two_warps_ahead(ARGUMENTS) {
  __shared__ float a[2][64][12], b[2][8][64];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[8][8] = {};
  const auto fetch = [&](int k, int into) {
    for (int i = t; i < 128; i += 64) {
      __pipeline_memcpy_async(&a[into][i / 2][i % 2 * 4], A + (top + i / 2) * side + k + i % 2 * 4, 16);
      __pipeline_memcpy_async(&b[into][i / 16][i % 16 * 4], B + (k + i / 16) * side + left + i % 16 * 4, 16);
    }
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int k = 0, now = 0; k < side; k += 8, now ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k + 8 < side) fetch(k + 8, now ^ 1);
    for (int i = 0; i < 8; ++i) {
      float w[8];
      four(w) = four(&b[now][i][x * 4]), four(w + 4) = four(&b[now][i][32 + x * 4]);
      for (int r = 0; r < 8; ++r) {
        const float u = a[now][y + 8 * r][i];
        for (int c = 0; c < 8; ++c) sum[r][c] += u * w[c];
      }
    }
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + y + 8 * r) * side + left + c / 4 * 32 + x * 4) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// 4 × 2 outputs a thread of 256 as pairs: tiles of 64 × 32 and 32 deep, the next words wait in registers.
__global__ void __launch_bounds__(256) pairs(ARGUMENTS) {
  __shared__ float a[64][33], b[32][32];
  const int t = threadIdx.x, x = t % 16, y = t / 16, lane = t % 32, warp = t / 32;
  const int top = blockIdx.y * 64, left = blockIdx.x * 32;
  float2 sum[4] = {};
  float own[8], other[4];
  const auto fetch = [&](int k) {
    for (int i = 0; i < 8; ++i) own[i] = A[(top + warp + 8 * i) * side + k + lane];
    for (int i = 0; i < 4; ++i) other[i] = B[(k + warp + 8 * i) * side + left + lane];
  };
  fetch(0);
  for (int k = 0; k < side; k += 32) {
    for (int i = 0; i < 8; ++i) a[warp + 8 * i][lane] = own[i];
    for (int i = 0; i < 4; ++i) b[warp + 8 * i][lane] = other[i];
    __syncthreads();
    if (k + 32 < side) fetch(k + 32);
    for (int i = 0; i < 32; ++i) {
      const float2 w = *reinterpret_cast<const float2*>(&b[i][x * 2]);
      for (int r = 0; r < 4; ++r) {
        const float u = a[y + 16 * r][i];
        sum[r].x += u * w.x, sum[r].y += u * w.y;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    *reinterpret_cast<float2*>(C + (top + y + 16 * r) * side + left + x * 2) = sum[r];
}

// ---- others ----

__global__ void butterflies(ARGUMENTS) {  // a pass of a Fourier transform: four words that lie n/4 apart
  const int i = INDEX, quarter = n / 4;
  const float a = A[i], b = A[i + quarter], c = A[i + 2 * quarter], d = A[i + 3 * quarter];
  float sine, cosine;
  __sincosf(1e-3f * (i & 4095), &sine, &cosine);
  C[i] = a + b + c + d;
  C[i + quarter] = (a - c) * cosine + (b - d) * sine;
  C[i + 2 * quarter] = (a - b + c - d) * (cosine * cosine - sine * sine);
  C[i + 3 * quarter] = (a - c) * sine - (b - d) * cosine;
}

__global__ void small_systems(ARGUMENTS) {  // four equations with four unknowns a thread, by elimination
  const int i = INDEX;
  float m[4][5];
  for (int r = 0; r < 4; ++r) {
    four(m[r]) = four(A + i * 16 + r * 4);
    m[r][r] += 4;
    m[r][4] = B[i * 4 + r];
  }
  for (int p = 0; p < 4; ++p)
    for (int r = 0; r < 4; ++r) {
      if (r == p) continue;
      const float factor = m[r][p] / m[p][p];
      for (int c = p; c < 5; ++c) m[r][c] -= factor * m[p][c];
    }
  four(C + i * 4) = make_float4(m[0][4] / m[0][0], m[1][4] / m[1][1], m[2][4] / m[2][2], m[3][4] / m[3][3]);
}

__global__ void dilated(ARGUMENTS) {  // the largest of 5 × 5 words, from a tile with its rim
  __shared__ float tile[20][36];
  const int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
  for (int i = t; i < 20 * 36; i += 512) {
    const int x = min(max(x0 + i % 36, 0), side - 1), y = min(max(y0 + i / 36, 0), side - 1);
    tile[i / 36][i % 36] = A[y * side + x];
  }
  __syncthreads();
  float largest = tile[threadIdx.y][threadIdx.x];
  for (int dy = 0; dy < 5; ++dy)
    for (int dx = 0; dx < 5; ++dx) largest = fmaxf(largest, tile[threadIdx.y + dy][threadIdx.x + dx]);
  C[(y0 + 2 + threadIdx.y) * side + x0 + 2 + threadIdx.x] = largest;
}

__global__ void band(ARGUMENTS) {  // a sparse matrix by columns: 16 words of each row within 4,096 neighbours
  const int row = INDEX, rows = n / 16;
  float sum = 0;
  for (int i = 0; i < 16; ++i) {
    const unsigned column = row + (static_cast<unsigned>(row) * 2654435761u + i * 40503u) % 4096;
    sum += A[i * rows + row] * B[column];
  }
  C[row] = sum;
}

__global__ void tone_curve(ARGUMENTS) {  // a table of 256 words in shared memory, between two of its words
  __shared__ float table[257];
  for (int i = threadIdx.x; i < 257; i += 256) table[i] = B[i];
  __syncthreads();
  for (int i = blockIdx.x * 1024 + threadIdx.x, last = i + 1024; i < last; i += 256) {
    const float at = (A[i] + 0.5f) * 255.0f;
    const int below = static_cast<int>(at);
    C[i] = table[below] + (at - below) * (table[below + 1] - table[below]);
  }
}

__global__ void turned(ARGUMENTS) {  // an image turned by a sixth of a right angle, between four neighbours
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, middle = side / 2;
  const float u = 0.9659258f * (x - middle) - 0.2588190f * (y - middle) + middle;
  const float v = 0.2588190f * (x - middle) + 0.9659258f * (y - middle) + middle;
  const int left = static_cast<int>(floorf(u)), top = static_cast<int>(floorf(v));
  if (left < 0 || top < 0 || left >= side - 1 || top >= side - 1) return;
  const float* at = A + top * side + left;
  const float upper = at[0] + (u - left) * (at[1] - at[0]);
  const float lower = at[side] + (u - left) * (at[side + 1] - at[side]);
  C[y * side + x] = upper + (v - top) * (lower - upper);
}

__global__ void scan_without_conflicts(ARGUMENTS) {  // sums up to each of 512 words: a tree with padding
  __shared__ float tree[512 + 16];
  const int t = threadIdx.x, first = blockIdx.x * 512;
  const auto at = [](int i) { return i + i / 32; };
  tree[at(t)] = A[first + t], tree[at(t + 256)] = A[first + t + 256];
  int apart = 1;
  for (int d = 256; d > 0; d /= 2, apart *= 2) {
    __syncthreads();
    if (t < d) tree[at(apart * (2 * t + 2) - 1)] += tree[at(apart * (2 * t + 1) - 1)];
  }
  if (t == 0) tree[at(511)] = 0;
  for (int d = 1; d <= 256; d *= 2) {
    apart /= 2;
    __syncthreads();
    if (t < d) {
      float &left = tree[at(apart * (2 * t + 1) - 1)], &right = tree[at(apart * (2 * t + 2) - 1)];
      const float before = left;
      left = right, right += before;
    }
  }
  __syncthreads();
  C[first + t] = tree[at(t)], C[first + t + 256] = tree[at(t + 256)];
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
  run("bounded_tiles", bounded_tiles, dim3(p / 32, p / 32), dim3(32, 32), side / 4);
  run("buffers_in_turns", buffers_in_turns, dim3(p / 64, p / 64), 256, side / 4);
  run("columns_of_both", columns_of_both, dim3(p / 64, p / 64), 128, side / 4);
  run("sixteen_down", sixteen_down, dim3(p / 64, p / 64), 256, side / 4);
  run("small_products", small_products, n / 4096, 256, side / 4);
  run("one_warp", one_warp, dim3(p / 32, p / 32), 32, side / 4);
  run("two_warps_ahead", two_warps_ahead, dim3(p / 64, p / 64), 64, side / 4);
  run("pairs", pairs, dim3(p / 32, p / 64), 256, side / 4);
  run("butterflies", butterflies, n / 4 / 256, 256, side);
  run("small_systems", small_systems, n / 16 / 128, 128, side);
  run("dilated", dilated, dim3(s / 32, s / 16), dim3(32, 16), side);
  run("band", band, n / 16 / 256, 256, side);
  run("tone_curve", tone_curve, n / 1024, 256, side);
  run("turned", turned, dim3(s / 32, s / 8), dim3(32, 8), side);
  run("scan_without_conflicts", scan_without_conflicts, n / 512, 256, side);
  return bench.failed();
}
