// Fifteen kernels of a workshop, in the styles of guides, textbooks and students: eight products of unlike
// kinds and seven others. What the model of time said of them before any had run on a GPU is in
// workshop-blind.tsv.
//
//   workshop ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_fp16.h>

#include <cstdint>

#include "bench.cuh"

namespace {

#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

// ---- products ----

// As a programming guide has it: a structure for matrices, functions for their elements and parts.
struct Matrix {
  int width, height, stride;
  float* elements;
};
__device__ float element(const Matrix of, int row, int column) {
  return of.elements[row * of.stride + column];
}
__device__ void set_element(Matrix of, int row, int column, float value) {
  of.elements[row * of.stride + column] = value;
}
__device__ Matrix part(Matrix of, int row, int column) {
  return {16, 16, of.stride, &of.elements[of.stride * 16 * row + 16 * column]};
}
__global__ void parts_of_matrices(Matrix a, Matrix b, Matrix c) {
  const int block_row = blockIdx.y, block_column = blockIdx.x;
  Matrix of_c = part(c, block_row, block_column);
  float value = 0;
  const int row = threadIdx.y, column = threadIdx.x;
  for (int m = 0; m < (a.width / 16); ++m) {
    const Matrix of_a = part(a, block_row, m), of_b = part(b, m, block_column);
    __shared__ float in_a[16][16];
    __shared__ float in_b[16][16];
    in_a[row][column] = element(of_a, row, column);
    in_b[row][column] = element(of_b, row, column);
    __syncthreads();
    for (int e = 0; e < 16; ++e) value += in_a[row][e] * in_b[e][column];
    __syncthreads();
  }
  set_element(of_c, row, column, value);
}

// As a textbook has it: any number of rows and columns, each access with its bounds.
__global__ void uneven_sides(const float* M, const float* N, float* P, int j, int k, int l) {
  __shared__ float Mds[16][16];
  __shared__ float Nds[16][16];
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int Row = by * 16 + ty, Col = bx * 16 + tx;
  float Pvalue = 0;
  for (int ph = 0; ph < (k + 15) / 16; ++ph) {
    if (Row < j && ph * 16 + tx < k)
      Mds[ty][tx] = M[Row * k + ph * 16 + tx];
    else
      Mds[ty][tx] = 0.0f;
    if (ph * 16 + ty < k && Col < l)
      Nds[ty][tx] = N[(ph * 16 + ty) * l + Col];
    else
      Nds[ty][tx] = 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; i++) Pvalue += Mds[ty][i] * Nds[i][tx];
    __syncthreads();
  }
  if (Row < j && Col < l) P[Row * l + Col] = Pvalue;
}

// Halves in memory, sums of floats: a thread converts what it loads; 4 × 4 outputs, tiles of 64 × 64.
__global__ void halves_to_floats(ARGUMENTS) {
  const __half *a = reinterpret_cast<const __half*>(A), *b = reinterpret_cast<const __half*>(B);
  __shared__ float as[64][17], bs[16][64];
  const int t = threadIdx.y * 16 + threadIdx.x;
  float acc[4][4] = {{0}};
  for (int k0 = 0; k0 < side; k0 += 16) {
    for (int l = 0; l < 4; ++l) {
      const int i = t + l * 256;
      as[i / 16][i % 16] = __half2float(a[(blockIdx.y * 64 + i / 16) * side + k0 + i % 16]);
      bs[i / 64][i % 64] = __half2float(b[(k0 + i / 64) * side + blockIdx.x * 64 + i % 64]);
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) acc[r][c] += as[threadIdx.y * 4 + r][k] * bs[k][threadIdx.x * 4 + c];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c)
      C[(blockIdx.y * 64 + threadIdx.y * 4 + r) * side + blockIdx.x * 64 + threadIdx.x * 4 + c] = acc[r][c];
}

// A small matrix in constant memory by many vectors: column i of each 16 × n matrix.
__constant__ float weights[16][16];
__global__ void constant_matrix(int n, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float in[16];
  for (int k = 0; k < 16; ++k) in[k] = x[k * n + i];
  for (int row = 0; row < 16; ++row) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += weights[row][k] * in[k];
    y[row * n + i] = sum;
  }
}

// AᵀA of a tall matrix of 64 columns: each block sums up over 1,024 rows and adds to the result by atomics.
__global__ void gram(int rows, const float* A, float* C) {
  __shared__ float s[32][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  const int first = blockIdx.x * 1024;
  float acc[4][4] = {};
  for (int r0 = first; r0 < first + 1024 && r0 < rows; r0 += 32) {
    for (int i = t; i < 32 * 64; i += blockDim.x) s[i / 64][i % 64] = A[r0 * 64 + i];
    __syncthreads();
#pragma unroll 4
    for (int r = 0; r < 32; ++r)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] += s[r][y + 16 * i] * s[r][x + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) atomicAdd(&C[(y + 16 * i) * 64 + x + 16 * j], acc[i][j]);
}

// Squared distances of all pairs of points of 64 coordinates: 2 × 2 a thread, tiles of 32 points.
__global__ void distances(int points, const float* P, const float* Q, float* D) {
  __shared__ float p[32][33], q[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float d00 = 0, d01 = 0, d10 = 0, d11 = 0;
  for (int k = 0; k < 64; k += 32) {
    for (int i = ty * 16 + tx; i < 1024; i += 256) {
      p[i / 32][i % 32] = P[(blockIdx.y * 32 + i / 32) * 64 + k + i % 32];
      q[i / 32][i % 32] = Q[(blockIdx.x * 32 + i / 32) * 64 + k + i % 32];
    }
    __syncthreads();
    for (int i = 0; i < 32; ++i) {
      const float p0 = p[ty][i], p1 = p[ty + 16][i], q0 = q[tx][i], q1 = q[tx + 16][i];
      d00 += (p0 - q0) * (p0 - q0);
      d01 += (p0 - q1) * (p0 - q1);
      d10 += (p1 - q0) * (p1 - q0);
      d11 += (p1 - q1) * (p1 - q1);
    }
    __syncthreads();
  }
  float* d = D + (blockIdx.y * 32 + ty) * points + blockIdx.x * 32 + tx;
  d[0] = d00, d[16] = d01, d[16 * points] = d10, d[16 * points + 16] = d11;
}

// As a blog has it: sizes as parameters of a template, registers for a row and a column, strided loads.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void block_tiling(ARGUMENTS) {
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  constexpr int THREADS = BM * BN / (TM * TN);
  const int thread_column = threadIdx.x % (BN / TN), thread_row = threadIdx.x / (BN / TN);
  const int row_a = threadIdx.x / BK, column_a = threadIdx.x % BK;
  const int row_b = threadIdx.x / BN, column_b = threadIdx.x % BN;
  A += blockIdx.y * BM * side;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * side + blockIdx.x * BN;
  float results[TM * TN] = {0.0f}, reg_m[TM] = {0.0f}, reg_n[TN] = {0.0f};
  for (int block = 0; block < side; block += BK) {
    for (int o = 0; o < BM; o += THREADS / BK)
      As[(row_a + o) * BK + column_a] = A[(row_a + o) * side + column_a];
    for (int o = 0; o < BK; o += THREADS / BN)
      Bs[(row_b + o) * BN + column_b] = B[(row_b + o) * side + column_b];
    __syncthreads();
    A += BK;
    B += BK * side;
    for (int dot = 0; dot < BK; ++dot) {
      for (int i = 0; i < TM; ++i) reg_m[i] = As[(thread_row * TM + i) * BK + dot];
      for (int i = 0; i < TN; ++i) reg_n[i] = Bs[dot * BN + thread_column * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int k = 0; k < TN; ++k) results[m * TN + k] += reg_m[m] * reg_n[k];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int k = 0; k < TN; ++k)
      C[(thread_row * TM + m) * side + thread_column * TN + k] = results[m * TN + k];
}

// A layer of a network: 3 × 3 weights for each of 32 channels in and 32 out, images of side × side; a block
// computes 16 × 16 pixels of eight channels, a thread one pixel of them.
__global__ void layer(int side, const float* image, const float* weights_, float* out) {
  __shared__ float tile[18][18], w[8][9];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  const int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y, first = blockIdx.z * 8;
  float sum[8] = {};
  for (int channel = 0; channel < 32; ++channel) {
    for (int i = t; i < 18 * 18; i += 256) {
      const int r = blockIdx.y * 16 + i / 18 - 1, c = blockIdx.x * 16 + i % 18 - 1;
      const bool inside = r >= 0 && r < side && c >= 0 && c < side;
      tile[i / 18][i % 18] = inside ? image[(channel * side + r) * side + c] : 0.0f;
    }
    if (t < 72) w[t / 9][t % 9] = weights_[((first + t / 9) * 32 + channel) * 9 + t % 9];
    __syncthreads();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const float pixel = tile[y + r][x + c];
        for (int o = 0; o < 8; ++o) sum[o] += pixel * w[o][r * 3 + c];
      }
    __syncthreads();
  }
  for (int o = 0; o < 8; ++o) out[((first + o) * side + row) * side + column] = sum[o];
}

// ---- others ----

__global__ void sums_by_remainders(const float* in,
                                   float* out) {  // the first step of a lecture on reductions
  __shared__ float s[512];
  const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  s[tid] = in[i];
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) s[tid] += s[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// One step of shortest paths: an edge a thread, nodes by chance among 2^22.
__global__ void edges_relaxed(int edges, const unsigned* ends, int* length) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const unsigned from = ends[2 * e] >> 5 & 0x3fffff, to = ends[2 * e + 1] >> 5 & 0x3fffff;
  const int through = length[from] + static_cast<int>(ends[2 * e] & 31);
  atomicMin(&length[to], through);
}

// A sparse matrix of 24 words a row, column by column, so that neighbouring threads read neighbouring words.
__global__ void ellpack(int rows, const unsigned* columns, const float* values, const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 24; ++k) {
    const unsigned column = (row + (columns[k * rows + row] >> 8) % 4096) & (rows - 1);
    sum += values[k * rows + row] * x[column];
  }
  y[row] = sum;
}

__global__ void wavelets(const float* in, float* out) {  // 1,024 words a block of 512, ten levels in place
  __shared__ float s[1024];
  const int t = threadIdx.x;
  const float* from = in + blockIdx.x * 1024;
  s[t] = from[t];
  s[t + 512] = from[t + 512];
  __syncthreads();
  for (int half = 512; half > 0; half >>= 1) {
    float mean = 0, detail = 0;
    if (t < half) {
      mean = (s[2 * t] + s[2 * t + 1]) * 0.70710678f;
      detail = (s[2 * t] - s[2 * t + 1]) * 0.70710678f;
    }
    __syncthreads();
    if (t < half) s[t] = mean, s[t + half] = detail;
    __syncthreads();
  }
  out[blockIdx.x * 1024 + t] = s[t];
  out[blockIdx.x * 1024 + t + 512] = s[t + 512];
}

__global__ void random_numbers(unsigned seed, int count, float* out) {  // xorshift, a stream a thread
  const int threads = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seed ^ (id + 1) * 747796405u;
  for (int i = id; i < count; i += threads) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    out[i] = x * 2.3283064e-10f;
  }
}

__constant__ char pattern[8] = {'a', 'b', 'r', 'a', 'c', 'a', 'd', 'a'};
__global__ void places_of_a_word(int length, const char* text, unsigned char* found) {  // a place a thread
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 8 > length) return;
  int same = 0;
  for (int k = 0; k < 8; ++k) same += text[i + k] == pattern[k];
  found[i] = same >= 7;
}

struct Particles {
  float *x, *y, *z, *vx, *vy, *vz;
};
__global__ void particles_moved(Particles p, int count, float dt) {  // towards the origin, arrays apart
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const float x = p.x[i], y = p.y[i], z = p.z[i];
    const float r2 = x * x + y * y + z * z + 0.01f;
    const float f = -dt / (r2 * sqrtf(r2));
    const float vx = p.vx[i] + f * x, vy = p.vy[i] + f * y, vz = p.vz[i] + f * z;
    p.vx[i] = vx, p.vy[i] = vy, p.vz[i] = vz;
    p.x[i] = x + vx * dt, p.y[i] = y + vy * dt, p.z[i] = z + vz * dt;
  }
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const int p = side / 4, uneven = side / 4 - 55, deep = side / 8 + 9, few = side / 8;
  const unsigned tiles = p / 64, q = n / 16, eighth = n / 8;
  const Matrix a{p, p, p, A}, b{p, p, p, B}, c{p, p, p, C};
  const Particles moving{A, A + eighth, A + 2 * eighth, B, B + eighth, B + 2 * eighth};
  const unsigned* bits = reinterpret_cast<const unsigned*>(A);
  const auto run = [&](const char* name, auto launch) { bench.time(name, launch); };
  const dim3 square(16, 16), uneven_blocks((uneven + 15) / 16, (uneven + 15) / 16);
  run("parts_of_matrices", [&] { parts_of_matrices<<<dim3(p / 16, p / 16), square>>>(a, b, c); });
  run("uneven_sides", [&] { uneven_sides<<<uneven_blocks, square>>>(A, B, C, uneven, deep, uneven); });
  run("halves_to_floats", [&] { halves_to_floats<<<dim3(tiles, tiles), square>>>(n, p, A, B, C); });
  run("constant_matrix", [&] { constant_matrix<<<q / 128, 128>>>(q, A, C); });
  run("gram", [&] { gram<<<q / 4 / 1024, 256>>>(q / 4, A, C); });
  run("distances", [&] { distances<<<dim3(side / 32, side / 32), square>>>(side, A, B, C); });
  run("block_tiling", [&] { block_tiling<128, 64, 8, 8, 8><<<dim3(tiles, p / 128), 128>>>(n, p, A, B, C); });
  run("layer", [&] { layer<<<dim3(few / 32, few / 32, 4), square>>>(few / 2, A, B, C); });
  run("sums_by_remainders", [&] { sums_by_remainders<<<n / 512, 512>>>(A, C); });
  run("edges_relaxed", [&] { edges_relaxed<<<q / 256, 256>>>(q, bits, reinterpret_cast<int*>(C)); });
  run("ellpack", [&] { ellpack<<<q / 8 / 256, 256>>>(q / 8, bits, B, C, C + eighth); });
  run("wavelets", [&] { wavelets<<<n / 1024, 512>>>(A, C); });
  run("random_numbers", [&] { random_numbers<<<1024, 256>>>(5, n, C); });
  run("places_of_a_word", [&] {
    places_of_a_word<<<n / 256, 256>>>(n, reinterpret_cast<const char*>(A),
                                       reinterpret_cast<unsigned char*>(C));
  });
  run("particles_moved", [&] { particles_moved<<<eighth / 192 + 1, 192>>>(moving, eighth, 0.01f); });
  return bench.failed();
}
