// Fifteen kernels of a tutorial: eight products of unlike kinds and seven others. What the model of time said
// of them before any had run on a GPU is in tutorial-blind.tsv.
//
//   tutorial ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_fp16.h>

#include <cstdint>

#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

template <class T>
__device__ const T* as(const float* at) {
  return reinterpret_cast<const T*>(at);
}
template <class T>
__device__ T* as(float* at) {
  return reinterpret_cast<T*>(at);
}
__device__ float4 four(const float* at) { return *as<float4>(at); }
__device__ float4& four(float* at) { return *as<float4>(at); }

// ---- products ----

// Of doubles, half the side: 4 × 4 outputs a thread of 128, tiles of 64 × 32 and 8 deep.
__global__ void __launch_bounds__(128) doubles(ARGUMENTS) {
  __shared__ double a[8][66], b[8][32];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 32;
  const double *of_a = as<double>(A), *of_b = as<double>(B);
  double sum[4][4] = {};
  for (int k = 0; k < side; k += 8) {
    for (int i = t; i < 512; i += 128) a[i % 8][i / 8] = of_a[(top + i / 8) * side + k + i % 8];
    for (int i = t; i < 256; i += 128) b[i / 32][i % 32] = of_b[(k + i / 32) * side + left + i % 32];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[i][y * 4 + r] * b[i][x + 8 * c];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) as<double>(C)[(top + y * 4 + r) * side + left + x + 8 * c] = sum[r][c];
}

// Of halves without tensor cores, two columns an instruction: 4 × 8 outputs a thread of 256, tiles of
// 64 × 128 and 16 deep. B in rows of pairs, A as halves that a lane doubles.
__global__ void __launch_bounds__(256) pairs_of_halves(ARGUMENTS) {
  __shared__ __half a[64][18];
  __shared__ __half2 b[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 128;
  __half2 sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 512; i += 256)
      *reinterpret_cast<__half2*>(&a[i / 8][i % 8 * 2]) =
          *as<__half2>(A + ((top + i / 8) * side + k + i % 8 * 2) / 2);
    for (int i = t; i < 1024; i += 256)
      b[i / 64][i % 64] = *as<__half2>(B + ((k + i / 64) * side + left) / 2 + i % 64);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      __half2 w[4];
      for (int c = 0; c < 4; ++c) w[c] = b[i][x + 16 * c];
      for (int r = 0; r < 4; ++r) {
        const __half2 u = __half2half2(a[y + 16 * r][i]);
        for (int c = 0; c < 4; ++c) sum[r][c] = __hfma2(u, w[c], sum[r][c]);
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c)
      as<__half2>(C)[((top + y + 16 * r) * side + left) / 2 + x + 16 * c] = sum[r][c];
}

// Of bytes, four products an instruction: rows of A with rows of B, both side / 4 words long. 4 × 4 outputs a
// thread of 256, tiles of 64 × 64 and 16 words deep.
__global__ void __launch_bounds__(256) bytes_by_fours(ARGUMENTS) {
  __shared__ int a[16][65], b[16][65];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  const int *of_a = as<int>(A), *of_b = as<int>(B), words = side / 4;
  int sum[4][4] = {};
  for (int k = 0; k < words; k += 16) {
    for (int i = t; i < 1024; i += 256) {
      a[i % 16][i / 16] = of_a[(top + i / 16) * words + k + i % 16];
      b[i % 16][i / 16] = of_b[(left + i / 16) * words + k + i % 16];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] = __dp4a(a[i][y + 16 * r], b[i][x + 16 * c], sum[r][c]);
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) as<int>(C)[(top + y + 16 * r) * side + left + x + 16 * c] = sum[r][c];
}

// Of integers with sums of 64 bits: 2 × 4 outputs a thread of 256, tiles of 32 × 64 and 16 deep.
__global__ void __launch_bounds__(256) long_sums(ARGUMENTS) {
  __shared__ unsigned a[32][16], b[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 32, left = blockIdx.x * 64;
  const unsigned *of_a = as<unsigned>(A), *of_b = as<unsigned>(B);
  std::uint64_t sum[2][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 512; i += 256) a[i / 16][i % 16] = of_a[(top + i / 16) * side + k + i % 16];
    for (int i = t; i < 1024; i += 256) b[i / 64][i % 64] = of_b[(k + i / 64) * side + left + i % 64];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c)
          sum[r][c] += static_cast<std::uint64_t>(a[y * 2 + r][i]) * b[i][x * 4 + c];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) as<std::uint64_t>(C)[(top + y * 2 + r) * side + left + x * 4 + c] = sum[r][c];
}

// Of complex numbers whose parts are matrices of their own, half the side: real parts in the upper half of
// each array's first rows, imaginary parts after them. 2 × 4 outputs a thread of 128, tiles of 32 × 32.
__global__ void __launch_bounds__(128) parts_apart(ARGUMENTS) {
  __shared__ float a[2][16][33], b[2][16][32];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 32, left = blockIdx.x * 32;
  const int whole = side * side;
  float real[2][4] = {}, imaginary[2][4] = {};
  for (int k = 0; k < side; k += 16) {
    for (int i = t; i < 1024; i += 128) {
      const int part = i / 512, at = i % 512;
      a[part][at % 16][at / 16] = A[part * whole + (top + at / 16) * side + k + at % 16];
      b[part][at / 32][at % 32] = B[part * whole + (k + at / 32) * side + left + at % 32];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      const float4 v = four(&b[0][i][x * 4]), w = four(&b[1][i][x * 4]);
      const float of_v[4] = {v.x, v.y, v.z, v.w}, of_w[4] = {w.x, w.y, w.z, w.w};
      for (int r = 0; r < 2; ++r) {
        const float u = a[0][i][y + 16 * r], s = a[1][i][y + 16 * r];
        for (int c = 0; c < 4; ++c) {
          real[r][c] += u * of_v[c] - s * of_w[c];
          imaginary[r][c] += u * of_w[c] + s * of_v[c];
        }
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r) {
    float* const to = C + (top + y + 16 * r) * side + left + x * 4;
    four(to) = make_float4(real[r][0], real[r][1], real[r][2], real[r][3]);
    four(to + whole) = make_float4(imaginary[r][0], imaginary[r][1], imaginary[r][2], imaginary[r][3]);
  }
}

// Of a flat matrix, side / 2 rows, by a square one: 4 × 4 outputs a thread of 512, tiles of 64 × 128 and 8
// deep, the rows of A in shared memory turned.
__global__ void __launch_bounds__(512) flat(ARGUMENTS) {
  __shared__ float a[8][68], b[8][128];
  const int t = threadIdx.x, x = t % 32, y = t / 32, top = blockIdx.y * 64, left = blockIdx.x * 128;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 8) {
    a[t % 8][t / 8] = A[(top + t / 8) * side + k + t % 8];
    for (int i = t; i < 1024; i += 512) b[i / 128][i % 128] = B[(k + i / 128) * side + left + i % 128];
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const float4 u = four(&a[i][y * 4]);
      const float of_u[4] = {u.x, u.y, u.z, u.w};
      for (int c = 0; c < 4; ++c) {
        const float w = b[i][x + 32 * c];
        for (int r = 0; r < 4; ++r) sum[r][c] += of_u[r] * w;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) C[(top + y * 4 + r) * side + left + x + 32 * c] = sum[r][c];
}

// Products of 32 × 32 matrices, four of them a block of 256, whole in shared memory: 4 × 4 outputs a thread.
__global__ void __launch_bounds__(256) four_small(ARGUMENTS) {
  __shared__ float a[4][32][36], b[4][32][32];
  const int t = threadIdx.x, of = t / 64, l = t % 64, x = l % 8 * 4, y = l / 8 * 4;
  const int first = blockIdx.x * 4096;
  for (int i = t; i < 1024; i += 256) {
    four(&a[i / 256][i % 256 / 8][i % 8 * 4]) = four(A + first + i * 4);
    four(&b[i / 256][i % 256 / 8][i % 8 * 4]) = four(B + first + i * 4);
  }
  __syncthreads();
  float sum[4][4] = {};
  for (int i = 0; i < 32; ++i) {
    const float4 w = four(&b[of][i][x]);
    for (int r = 0; r < 4; ++r) {
      const float u = a[of][y + r][i];
      sum[r][0] += u * w.x, sum[r][1] += u * w.y, sum[r][2] += u * w.z, sum[r][3] += u * w.w;
    }
  }
  for (int r = 0; r < 4; ++r)
    four(C + first + of * 1024 + (y + r) * 32 + x) = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// A times its own transpose, of which only blocks on and below the diagonal compute: 8 × 4 outputs a thread
// of 128, tiles of 64 × 64 and 8 deep.
__global__ void __launch_bounds__(128) lower_triangle(ARGUMENTS) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ float a[8][68], b[8][68];
  const int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 8, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[8][4] = {};
  for (int k = 0; k < side; k += 8) {
    const int row = t / 2, deep = t % 2 * 4;
    const float4 v = four(A + (top + row) * side + k + deep), w = four(A + (left + row) * side + k + deep);
    a[deep][row] = v.x, a[deep + 1][row] = v.y, a[deep + 2][row] = v.z, a[deep + 3][row] = v.w;
    b[deep][row] = w.x, b[deep + 1][row] = w.y, b[deep + 2][row] = w.z, b[deep + 3][row] = w.w;
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const float4 u[2] = {four(&a[i][y]), four(&a[i][y + 4])}, s = four(&b[i][x]);
      for (int r = 0; r < 8; ++r) {
        const float4& of = u[r / 4];
        const float q = r % 4 == 0 ? of.x : r % 4 == 1 ? of.y : r % 4 == 2 ? of.z : of.w;
        sum[r][0] += q * s.x, sum[r][1] += q * s.y, sum[r][2] += q * s.z, sum[r][3] += q * s.w;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    four(C + (top + y + r) * side + left + x) = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// ---- others ----

__global__ void softened(ARGUMENTS) {  // a row of bytes, each with its neighbours, four a thread
  const int at = INDEX;
  const unsigned *of = as<unsigned>(A), before = of[max(at - 1, 0)], on = of[at],
                 after = of[min(at + 1, n - 1)];
  unsigned found = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned left = i ? on >> (8 * i - 8) : before >> 24, right = i < 3 ? on >> (8 * i + 8) : after;
    found |= (((left & 255) + 2 * (on >> 8 * i & 255) + (right & 255)) >> 2) << 8 * i;
  }
  as<unsigned>(C)[at] = found;
}

__global__ void cosines(ARGUMENTS) {  // of the angles between rows of 512 words, a warp each
  const int row = INDEX / 32, lane = threadIdx.x % 32;
  float of_both = 0, of_a = 0, of_b = 0;
  for (int i = lane * 4; i < 512; i += 128) {
    const float4 u = four(A + row * 512 + i), v = four(B + row * 512 + i);
    of_both += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    of_a += u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w;
    of_b += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    of_both += __shfl_xor_sync(~0u, of_both, apart);
    of_a += __shfl_xor_sync(~0u, of_a, apart);
    of_b += __shfl_xor_sync(~0u, of_b, apart);
  }
  if (lane == 0) C[row] = of_both * rsqrtf(of_a * of_b);
}

__global__ void marching_planes(ARGUMENTS) {  // seven points of 256 × 256 words a plane; a plane in shared
  __shared__ float plane[10][34];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1, column = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y, first = blockIdx.z * 32;
  const float* of = A + first * 65536 + row * 256 + column;
  float* to = C + first * 65536 + row * 256 + column;
  const bool above = row > 0, below = row<255, left = column> 0, right = column < 255;
  float before = first ? of[-65536] : 0.0f, on = of[0];
  for (int z = 0; z < 32; ++z, of += 65536, to += 65536) {
    const float after = first + z + 1 < n / 65536 ? of[65536] : 0.0f;
    plane[y][x] = on;
    if (y == 1) plane[0][x] = above ? of[-256] : 0.0f;
    if (y == 8) plane[9][x] = below ? of[256] : 0.0f;
    if (x == 1) plane[y][0] = left ? of[-1] : 0.0f;
    if (x == 32) plane[y][33] = right ? of[1] : 0.0f;
    __syncthreads();
    *to = before + after + plane[y - 1][x] + plane[y + 1][x] + plane[y][x - 1] + plane[y][x + 1] - 6 * on;
    __syncthreads();
    before = on, on = after;
  }
}

__global__ void signs_of_walsh(ARGUMENTS) {  // sums and differences of 512 words a block, nine steps
  __shared__ float words[512];
  const int t = threadIdx.x, first = blockIdx.x * 512;
  words[t] = A[first + t], words[t + 256] = A[first + t + 256];
  __syncthreads();
  for (int apart = 1; apart < 512; apart *= 2) {
    const int at = t / apart * apart * 2 + t % apart;
    const float u = words[at], v = words[at + apart];
    words[at] = u + v, words[at + apart] = u - v;
    __syncthreads();
  }
  C[first + t] = words[t], C[first + t + 256] = words[t + 256];
}

__global__ void votes_of_warps(ARGUMENTS) {  // how many words lie above a bound, counted by ballots
  __shared__ int of_warps[8];
  int found = 0;
  for (int i = INDEX; i < n; i += gridDim.x * 256) found += __popc(__ballot_sync(~0u, A[i] > 0.25f));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = found;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) found += of_warps[w];
    atomicAdd(as<int>(C), found);
  }
}

__global__ void records_sent(ARGUMENTS) {  // 32 bytes a thread, to a place by chance
  const unsigned from = INDEX, to = from * 2654435761u & (n / 8 - 1);
  const float4 u = four(A + from * 8), v = four(A + from * 8 + 4);
  four(C + to * 8) = u, four(C + to * 8 + 4) = v;
}

__global__ void ranks_by_counting(ARGUMENTS) {  // 256 words a block, each to the place that its rank says
  __shared__ float words[256];
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const float mine = A[first + t];
  words[t] = mine;
  __syncthreads();
  int rank = 0;
  for (int i = 0; i < 256; ++i) rank += words[i] < mine || (words[i] == mine && i < t);
  C[first + rank] = mine;
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const unsigned p = side / 4, half = side / 8;  // sides of products
  const auto run = [&](const char* name, auto kernel, dim3 grid, dim3 block, int of) {
    bench.time(name, [&] { kernel<<<grid, block>>>(n, of, A, B, C); });
  };
  run("doubles", doubles, dim3(half / 32, half / 64), 128, side / 8);
  run("pairs_of_halves", pairs_of_halves, dim3(p / 128, p / 64), 256, side / 4);
  run("bytes_by_fours", bytes_by_fours, dim3(p / 64, p / 64), 256, side / 4);
  run("long_sums", long_sums, dim3(half / 64, half / 32), 256, side / 8);
  run("parts_apart", parts_apart, dim3(half / 32, half / 32), 128, side / 8);
  run("flat", flat, dim3(p / 128, p / 2 / 64), 512, side / 4);
  run("four_small", four_small, n / 4096, 256, side);
  run("lower_triangle", lower_triangle, dim3(p / 64, p / 64), 128, side / 4);
  run("softened", softened, n / 256, 256, side);
  run("cosines", cosines, n / 512 / 8, 256, side);
  run("marching_planes", marching_planes, dim3(8, 32, n / 65536 / 32), dim3(32, 8), side);
  run("signs_of_walsh", signs_of_walsh, n / 512, 256, side);
  run("votes_of_warps", votes_of_warps, 132 * 16, 256, side);
  run("records_sent", records_sent, n / 8 / 256, 256, side);
  run("ranks_by_counting", ranks_by_counting, n / 4 / 256, 256, side);
  return bench.failed();
}
