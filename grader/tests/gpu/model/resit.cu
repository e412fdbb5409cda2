// Fifteen kernels of a second examination: seven products and eight others. What the model of time said of
// them before any had run on a GPU is in resit-blind.tsv.
//
//   resit ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ float4& four(float* at) { return *reinterpret_cast<float4*>(at); }

// ---- products of side × side matrices ----

// One row and eight neighbouring columns a thread of 256, tiles of 32 × 64 and 32 deep; B as float4.
__global__ void __launch_bounds__(256) row_of_eight(ARGUMENTS) {
  __shared__ float a[32][33], b[32][64];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 32, left = blockIdx.x * 64;
  float sum[8] = {};
  for (int k = 0; k < side; k += 32) {
    for (int i = t; i < 32 * 32; i += 256) a[i / 32][i % 32] = A[(top + i / 32) * side + k + i % 32];
    for (int i = t; i < 32 * 64; i += 256) b[i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    __syncthreads();
    for (int i = 0; i < 32; ++i) {
      const float u = a[y][i];
      const float4 v = four(&b[i][x * 4]), w = four(&b[i][32 + x * 4]);
      sum[0] += u * v.x, sum[1] += u * v.y, sum[2] += u * v.z, sum[3] += u * v.w;
      sum[4] += u * w.x, sum[5] += u * w.y, sum[6] += u * w.z, sum[7] += u * w.w;
    }
    __syncthreads();
  }
  float* out = C + (top + y) * side + left + x * 4;
  four(out) = make_float4(sum[0], sum[1], sum[2], sum[3]);
  four(out + 32) = make_float4(sum[4], sum[5], sum[6], sum[7]);
}

// 8 × 8 outputs a thread of 256, tiles of 128 × 128 and 16 deep, A turned over, everything as float4.
__global__ void __launch_bounds__(256) sixteen_deep(ARGUMENTS) {
  __shared__ float a[16][132], b[16][128];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 128, left = blockIdx.x * 128;
  float sum[8][8] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 512; i += 256) {
      const float4 v = four(A + (top + i / 4) * side + k + i % 4 * 4);
      const int row = i / 4, depth = i % 4 * 4;
      a[depth][row] = v.x, a[depth + 1][row] = v.y, a[depth + 2][row] = v.z, a[depth + 3][row] = v.w;
      four(&b[i / 32][i % 32 * 4]) = four(B + (k + i / 32) * side + left + i % 32 * 4);
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float u[8], w[8];
      four(u) = four(&a[i][y * 4]), four(u + 4) = four(&a[i][64 + y * 4]);
      four(w) = four(&b[i][x * 4]), four(w + 4) = four(&b[i][64 + x * 4]);
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; c += 4)
      four(C + (top + r / 4 * 64 + y * 4 + r % 4) * side + left + c / 4 * 64 + x * 4) =
          make_float4(sum[r][c], sum[r][c + 1], sum[r][c + 2], sum[r][c + 3]);
}

// 4 × 8 outputs a thread of 128, tiles of 64 × 64 and 16 deep, words apart.
__global__ void __launch_bounds__(128) four_by_eight(ARGUMENTS) {
  __shared__ float a[64][17], b[16][64];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][8] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 1024; i += 128) {
      a[i / 16][i % 16] = A[(top + i / 16) * side + k + i % 16];
      b[i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += a[y + 16 * r][i] * b[i][x + 8 * c];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 8; ++c) C[(top + y + 16 * r) * side + left + x + 8 * c] = sum[r][c];
}

// 4 × 4 outputs a thread of 256; the next tiles wait in registers while the threads work, two pairs in turns.
__global__ void __launch_bounds__(256) in_turns(ARGUMENTS) {
  __shared__ float a[2][16][68], b[2][16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][4] = {};
  float4 next_a = four(A + (top + t / 4) * side + t % 4 * 4), next_b = four(B + y * side + left + x * 4);
  const auto put = [&](int into) {
    const int row = t / 4, depth = t % 4 * 4;
    a[into][depth][row] = next_a.x, a[into][depth + 1][row] = next_a.y;
    a[into][depth + 2][row] = next_a.z, a[into][depth + 3][row] = next_a.w;
    four(&b[into][y][x * 4]) = next_b;
  };
  put(0);
  __syncthreads();
  for (int k = 0, now = 0; k < side; k += 16, now ^= 1) {
    if (k + 16 < side) {
      next_a = four(A + (top + t / 4) * side + k + 16 + t % 4 * 4);
      next_b = four(B + (k + 16 + y) * side + left + x * 4);
    }
    for (int i = 0; i < 16; ++i) {
      float u[4], w[4];
      four(u) = four(&a[now][i][y * 4]), four(w) = four(&b[now][i][x * 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
    }
    if (k + 16 < side) put(now ^ 1);
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    four(C + (top + y * 4 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// 2 × 2 outputs a thread of 256, tiles of 32 × 32 that are 64 deep.
__global__ void __launch_bounds__(256) deep_and_narrow(ARGUMENTS) {
  __shared__ float a[32][65], b[64][32];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 32, left = blockIdx.x * 32;
  float sum[2][2] = {};
  for (int k = 0; k < side; k += 64) {
    for (int i = t; i < 2048; i += 256) {
      a[i / 64][i % 64] = A[(top + i / 64) * side + k + i % 64];
      b[i / 32][i % 32] = B[(k + i / 32) * side + left + i % 32];
    }
    __syncthreads();
    for (int i = 0; i < 64; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) sum[r][c] += a[y + 16 * r][i] * b[i][x + 16 * c];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) C[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// 4 × 4 outputs a thread without shared memory: float4 of B and single words of A come from L1.
__global__ void __launch_bounds__(256) from_l1(ARGUMENTS) {
  const int x = threadIdx.x, y = threadIdx.y, row = (blockIdx.y * 16 + y) * 4,
            column = (blockIdx.x * 16 + x) * 4;
  float sum[4][4] = {};
  for (int k = 0; k < side; ++k) {
    float w[4];
    four(w) = four(B + k * side + column);
    for (int r = 0; r < 4; ++r) {
      const float u = A[(row + r) * side + k];
      for (int c = 0; c < 4; ++c) sum[r][c] += u * w[c];
    }
  }
  for (int r = 0; r < 4; ++r)
    four(C + (row + r) * side + column) = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// Aᵀ·B with 8 × 4 outputs a thread of 128: both tiles, 64 × 64 and 8 deep, are copied as they lie.
__global__ void __launch_bounds__(128) turned_over(ARGUMENTS) {
  __shared__ float a[8][64], b[8][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[8][4] = {};
  for (int k = 0; k < side; k += 8) {
    four(&a[t / 16][x * 4]) = four(A + (k + t / 16) * side + top + x * 4);
    four(&b[t / 16][x * 4]) = four(B + (k + t / 16) * side + left + x * 4);
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float u[8], w[4];
      four(u) = four(&a[i][y * 8]), four(u + 4) = four(&a[i][y * 8 + 4]), four(w) = four(&b[i][x * 4]);
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    four(C + (top + y * 8 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// ---- others ----

__global__ void largest_of_four(ARGUMENTS) {  // 2 × 2 words of an image into one
  const int half = side / 2, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float* at = A + 2 * y * side + 2 * x;
  C[y * half + x] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[side], at[side + 1]));
}

__global__ void prefix_of_rows(ARGUMENTS) {  // a warp a row of 256 words, eight neighbours a lane
  const int lane = threadIdx.x % 32, at = INDEX / 32 * 256 + lane * 8;
  float v[8];
  four(v) = four(A + at), four(v + 4) = four(A + at + 4);
  for (int i = 1; i < 8; ++i) v[i] += v[i - 1];
  float before = v[7];
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(~0u, before, step);
    if (lane >= step) before += other;
  }
  before -= v[7];
  for (int i = 0; i < 8; ++i) v[i] += before;
  four(C + at) = four(v), four(C + at + 4) = four(v + 4);
}

__global__ void layer_norm(ARGUMENTS) {  // a warp a row of 512 words: mean, variance, result
  const int lane = threadIdx.x % 32, at = INDEX / 32 * 512 + lane * 4;
  float4 v[4];
  float sum = 0, squares = 0;
  for (int i = 0; i < 4; ++i) {
    v[i] = four(A + at + 128 * i);
    sum += v[i].x + v[i].y + v[i].z + v[i].w;
    squares += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(~0u, sum, step);
    squares += __shfl_xor_sync(~0u, squares, step);
  }
  const float mean = sum / 512, scale = rsqrtf(squares / 512 - mean * mean + 1e-5f);
  for (int i = 0; i < 4; ++i)
    four(C + at + 128 * i) = make_float4((v[i].x - mean) * scale, (v[i].y - mean) * scale,
                                         (v[i].z - mean) * scale, (v[i].w - mean) * scale);
}

__global__ void search_in_table(ARGUMENTS) {  // twelve steps each in 4,096 words of shared memory
  __shared__ float table[4096];
  for (int i = threadIdx.x; i < 4096; i += 256) table[i] = i * (1.0f / 4096) - 0.5f;
  __syncthreads();
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
    const float wanted = A[i];
    int low = 0;
    for (int step = 2048; step > 0; step /= 2)
      if (table[low + step] <= wanted) low += step;
    C[i] = low;
  }
}

__global__ void polynomials(ARGUMENTS) {  // of degree 48, by Horner's rule
  const float x = A[INDEX];
  float sum = x;
#pragma unroll
  for (int i = 1; i <= 48; ++i) sum = sum * x + 1.0f / i;
  C[INDEX] = sum;
}

__global__ void heat_in_tiles(ARGUMENTS) {  // four steps of five points within tiles of 32 × 32
  __shared__ float tile[2][34][34];
  const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 32 + y) * side + blockIdx.x * 32 + x;
  for (int i = y * 32 + x; i < 2 * 34 * 34; i += 1024) tile[0][0][i] = 0;
  __syncthreads();
  tile[0][y + 1][x + 1] = A[at];
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    const auto& from = tile[step % 2];
    tile[1 - step % 2][y + 1][x + 1] = 0.2f * (from[y + 1][x + 1] + from[y][x + 1] + from[y + 2][x + 1] +
                                               from[y + 1][x] + from[y + 1][x + 2]);
    __syncthreads();
  }
  C[at] = tile[0][y + 1][x + 1];
}

__global__ void crop(ARGUMENTS) {  // an image without its rim of seven words, so that no row is aligned
  const int inner = side - 14, x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  if (x < inner) C[y * inner + x] = A[(y + 7) * side + x + 7];
}

__global__ void sums_by_threads(ARGUMENTS) {  // a thread 32 neighbours, by way of shared memory
  __shared__ float rows[128][33];
  const int t = threadIdx.x, first = blockIdx.x * 128 * 32;
  for (int i = t; i < 128 * 32; i += 128) rows[i / 32][i % 32] = A[first + i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += rows[t][i];
  C[INDEX] = sum;
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
  run("row_of_eight", row_of_eight, dim3(p / 64, p / 32), 256, side / 4);
  run("sixteen_deep", sixteen_deep, dim3(p / 128, p / 128), 256, side / 4);
  run("four_by_eight", four_by_eight, dim3(p / 64, p / 64), 128, side / 4);
  run("in_turns", in_turns, dim3(p / 64, p / 64), 256, side / 4);
  run("deep_and_narrow", deep_and_narrow, dim3(p / 32, p / 32), 256, side / 4);
  run("from_l1", from_l1, dim3(p / 64, p / 64), dim3(16, 16), side / 4);
  run("turned_over", turned_over, dim3(p / 64, p / 64), 128, side / 4);
  run("largest_of_four", largest_of_four, dim3(s / 64, s / 16), dim3(32, 8), side);
  run("prefix_of_rows", prefix_of_rows, n / 256 / 8, 256, side);
  run("layer_norm", layer_norm, n / 512 / 8, 256, side);
  run("search_in_table", search_in_table, 132 * 8, 256, side);
  run("polynomials", polynomials, n / 256, 256, side);
  run("heat_in_tiles", heat_in_tiles, dim3(s / 32, s / 32), dim3(32, 32), side);
  run("crop", crop, dim3((s - 14 + 255) / 256, s - 14), 256, side);
  run("sums_by_threads", sums_by_threads, n / 32 / 128, 128, side);
  return bench.failed();
}
