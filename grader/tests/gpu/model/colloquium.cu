// Fifteen kernels of a colloquium, each in the way of somebody else: eight products of unlike kinds and seven
// others. What the model of time said of them before any had run on a GPU is in colloquium-blind.tsv.
//
//   colloquium ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_fp16.h>

#include <cstdint>

#include "bench.cuh"

namespace {

// ---- products ----

// A first attempt at C = AᵀB, bounds and size_t and all.
__global__ void transposed_left(float* C, const float* A, const float* B, size_t rows, size_t cols,
                                size_t depth) {
  size_t j = blockIdx.x * blockDim.x + threadIdx.x;
  size_t i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < cols) {
    float s = 0.0f;
    for (size_t k = 0; k < depth; ++k) {
      s += A[k * rows + i] * B[k * cols + j];
    }
    C[i * cols + j] = s;
  }
}

// A product modulo a prime, as cryptographers want it: the remainder at each step.
constexpr uint64_t kPrime = 998244353;
__global__ void modular(const uint32_t* a, const uint32_t* b, uint32_t* c, int n) {
  __shared__ uint32_t as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  uint64_t acc = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) acc = (acc + uint64_t(as[ty][k]) * bs[k][tx]) % kPrime;
    __syncthreads();
  }
  c[row * n + col] = uint32_t(acc);
}

// How alike the rows of X are to those of Y: a product and both lengths in one pass, 3 × 3 a thread.
__global__ void cosines_of_rows(const float* X, const float* Y, float* S, int rows, int width) {
  __shared__ float x[16][49], y[16][49];
  const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4, r0 = blockIdx.y * 48, c0 = blockIdx.x * 48;
  float dot[3][3] = {}, xx[3] = {}, yy[3] = {};
  for (int w0 = 0; w0 < width; w0 += 16) {
    for (int r = ty; r < 48; r += 16) {
      x[tx][r] = X[(r0 + r) * width + w0 + tx];
      y[tx][r] = Y[(c0 + r) * width + w0 + tx];
    }
    __syncthreads();
#pragma unroll
    for (int w = 0; w < 16; ++w) {
      float u[3], v[3];
#pragma unroll
      for (int i = 0; i < 3; ++i) u[i] = x[w][ty + 16 * i], v[i] = y[w][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        xx[i] += u[i] * u[i], yy[i] += v[i] * v[i];
#pragma unroll
        for (int j = 0; j < 3; ++j) dot[i][j] += u[i] * v[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      S[(r0 + ty + 16 * i) * rows + c0 + tx + 16 * j] = dot[i][j] / (sqrtf(xx[i]) * sqrtf(yy[j]) + 1e-6f);
}

// A batch of products of 16 × 16, a block each; the third matrix is multiplied in, too.
struct Small {
  float v[16][16];
};
__global__ void three_in_a_row(const Small* A, const Small* B, const Small* C, Small* D) {
  __shared__ Small a, b, ab;
  const int i = threadIdx.y, j = threadIdx.x;
  a.v[i][j] = A[blockIdx.x].v[i][j];
  b.v[i][j] = B[blockIdx.x].v[i][j];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 16; ++k) s += a.v[i][k] * b.v[k][j];
  ab.v[i][j] = s;
  __syncthreads();
  b.v[i][j] = C[blockIdx.x].v[i][j];
  __syncthreads();
  s = 0;
  for (int k = 0; k < 16; ++k) s += ab.v[i][k] * b.v[k][j];
  D[blockIdx.x].v[i][j] = s;
}

// Convolution of 3 × 3 as a product: what a place in the inner dimension means is found by division.
__global__ void implicit(const float* image, const float* weights, float* out, int height, int width,
                         int channels) {
  __shared__ float w_tile[16][32 + 1], i_tile[16][64];
  const int t = threadIdx.x, inner = channels * 9, places = height * width;
  const int filter0 = blockIdx.y * 32, place0 = blockIdx.x * 64, tx = t % 16, ty = t / 16;
  float sum[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  for (int k0 = 0; k0 < inner; k0 += 16) {
    for (int e = t; e < 16 * 32; e += 256)
      w_tile[e % 16][e / 16] = weights[(filter0 + e / 16) * inner + k0 + e % 16];
    for (int e = t; e < 16 * 64; e += 256) {
      const int k = k0 + e / 64, place = place0 + e % 64;
      const int channel = k / 9, tap = k % 9, y = place / width + tap / 3 - 1,
                x = place % width + tap % 3 - 1;
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      i_tile[e / 64][e % 64] = inside ? image[channel * places + y * width + x] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += w_tile[k][ty * 2 + r] * i_tile[k][tx + 16 * c];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) {
      const float value = sum[r][c];
      out[(filter0 + ty * 2 + r) * places + place0 + tx + 16 * c] = value > 0 ? value : 0.1f * value;
    }
}

// Halves in pairs along the columns of C, 16 bytes a load; the sums of each 16 steps go to floats.
__global__ void __launch_bounds__(256) halves_by_columns(const __half* A, const __half* B, float* C, int n) {
  __shared__ __half2 As[16][64];
  __shared__ uint4 Bs[16][16];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const __half* a = A + (blockIdx.y * 64 + t / 4) * n + t % 4 * 4;
  const __half* b = B + t / 16 * n + blockIdx.x * 128 + t % 16 * 8;
  float2 sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    const uint2 raw = *reinterpret_cast<const uint2*>(a + k);
    const __half2 lo = *reinterpret_cast<const __half2*>(&raw.x),
                  hi = *reinterpret_cast<const __half2*>(&raw.y);
    As[t % 4 * 4][t / 4] = __low2half2(lo), As[t % 4 * 4 + 1][t / 4] = __high2half2(lo);
    As[t % 4 * 4 + 2][t / 4] = __low2half2(hi), As[t % 4 * 4 + 3][t / 4] = __high2half2(hi);
    Bs[t / 16][t % 16] = *reinterpret_cast<const uint4*>(b + k * n);
    __syncthreads();
    __half2 part[4][4] = {};
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      const uint4 v = Bs[kk][tx];
      const __half2* vs = reinterpret_cast<const __half2*>(&v);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const __half2 u = As[kk][ty * 4 + i];
#pragma unroll
        for (int j = 0; j < 4; ++j) part[i][j] = __hfma2(u, vs[j], part[i][j]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float2 p = __half22float2(part[i][j]);
        sum[i][j].x += p.x, sum[i][j].y += p.y;
      }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      *reinterpret_cast<float2*>(&C[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 128 + tx * 8 + 2 * j]) =
          sum[i][j];
}

// Four outputs a warp: the lanes go along the rows of A and of Bᵀ, and add up at the end.
__global__ void lanes_along_rows(const float* __restrict__ A, const float* __restrict__ Bt, float* C, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  const int i = warp / (n / 4), j = warp % (n / 4) * 4;
  float sum[4] = {0, 0, 0, 0};
  for (int k = lane; k < n; k += warpSize) {
    const float a = A[i * n + k];
    for (int c = 0; c < 4; ++c) sum[c] += a * Bt[(j + c) * n + k];
  }
  for (int c = 0; c < 4; ++c) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
      sum[c] += __shfl_down_sync(0xffffffff, sum[c], offset);
    if (lane == 0) C[i * n + j + c] = sum[c];
  }
}

// Many rows, 32 columns: B is small enough to stay in shared memory for good; rows of A come through
// registers.
__global__ void narrow(const float4* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                       int rows) {
  extern __shared__ float whole[];  // 256 × 32
  for (int e = threadIdx.x; e < 256 * 32; e += blockDim.x) whole[e] = B[e];
  __syncthreads();
  const int column = threadIdx.x % 32;
  for (int row = blockIdx.x * 8 + threadIdx.x / 32; row < rows; row += gridDim.x * 8) {
    float sum = 0.f;
#pragma unroll 4
    for (int k = 0; k < 64; ++k) {
      const float4 a = A[row * 64 + k];
      sum += a.x * whole[(4 * k) * 32 + column];
      sum += a.y * whole[(4 * k + 1) * 32 + column];
      sum += a.z * whole[(4 * k + 2) * 32 + column];
      sum += a.w * whole[(4 * k + 3) * 32 + column];
    }
    C[row * 32 + column] = sum;
  }
}

// ---- others ----

__device__ uint32_t mixed(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// Noise of a bell curve, two words a thread: logarithm, root, sine and cosine.
__global__ void bell_curve(float2* noise, int pairs, uint32_t seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const float u = (mixed(2 * i + seed) + 1.0f) * 2.3283064e-10f, v = mixed(2 * i + 1 + seed) * 2.3283064e-10f;
  const float r = sqrtf(-2.0f * logf(u));
  float s, c;
  sincospif(2.0f * v, &s, &c);
  noise[i] = make_float2(r * s, r * c);
}

// Least numbers of edits between pairs of words of 32 letters: a warp a pair, a diagonal at a time.
__global__ void edits(const uint8_t* words, int* distances, int pairs) {
  const int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (pair >= pairs) return;
  const int own = words[pair * 64 + lane] & 3, other = words[pair * 64 + 32 + lane] & 3;
  int left = lane + 1, diagonal = lane, result = 0;
  for (int step = 0; step < 63; ++step) {
    const int letter = __shfl_sync(~0u, other, (step - lane) & 31);
    int above = __shfl_up_sync(~0u, left, 1);
    if (lane == 0) above = step + 1;
    if (step >= lane && step < lane + 32) {
      const int now = min(min(above, left) + 1, diagonal + (own != letter));
      diagonal = above, left = now, result = now;
    }
  }
  if (lane == 31) distances[pair] = result;
}

// A filter that keeps edges: weights by distance and by likeness, a division at the end.
__global__ void edges_kept(const float* in, float* out, int width, int height, float sigma) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
  const float centre = in[y * width + x];
  float sum = 0.0f, weights = 0.0f;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const float value = in[(y + dy) * width + x + dx], d = value - centre;
      const float w = expf(-(dx * dx + dy * dy) * 0.125f - d * d / (2 * sigma * sigma));
      sum += w * value, weights += w;
    }
  out[y * width + x] = sum / weights;
}

// Axes of a tensor exchanged, [a][b][c] → [c][a][b], the place found by divisions.
__global__ void axes_exchanged(const float* from, float* to, int a, int b, int c) {
  const int total = a * b * c;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
    const int z = i / (a * b), x = i / b % a, y = i % b;
    to[i] = from[(x * b + y) * c + z];
  }
}

// How often each of 16 digits occurs in each block's words, lanes with the same digit counted together.
__global__ void digits_counted(const uint32_t* keys, uint32_t* counts, int shift) {
  __shared__ uint32_t bins[8][16];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane < 16) bins[warp][lane] = 0;
  __syncwarp();
  for (int r = 0; r < 8; ++r) {
    const uint32_t digit = keys[(blockIdx.x * 8 + r) * 256 + threadIdx.x] >> shift & 15;
    const uint32_t peers = __match_any_sync(~0u, digit);
    if (lane == __ffs(peers) - 1) bins[warp][digit] += __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    uint32_t sum = 0;
    for (int w = 0; w < 8; ++w) sum += bins[w][threadIdx.x];
    counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
  }
}

// Directions of length one: three words each, side by side.
__global__ void directions(const float3* in, float3* out, int count) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < count) {
    float3 v = in[i];
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    if (length > 0) v.x /= length, v.y /= length, v.z /= length;
    out[i] = v;
  }
}

// A fluid on a lattice: nine streams come from the neighbours, and relax towards their balance.
__global__ void fluid(const float* __restrict__ f, float* __restrict__ g, int nx, int ny, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, plane = nx * ny;
  const int east = (x + 1) & (nx - 1), west = (x - 1) & (nx - 1), north = (y + 1) & (ny - 1),
            south = (y - 1) & (ny - 1);
  const float f0 = f[y * nx + x], f1 = f[plane + y * nx + west], f2 = f[2 * plane + south * nx + x],
              f3 = f[3 * plane + y * nx + east], f4 = f[4 * plane + north * nx + x],
              f5 = f[5 * plane + south * nx + west], f6 = f[6 * plane + south * nx + east],
              f7 = f[7 * plane + north * nx + east], f8 = f[8 * plane + north * nx + west];
  const float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + 8.0f;
  const float u = (f1 - f3 + f5 - f6 - f7 + f8) / rho, v = (f2 - f4 + f5 + f6 - f7 - f8) / rho;
  const float speeds = 1.5f * (u * u + v * v);
  const auto relaxed = [&](int k, float own, float weight, float cu) {
    const float balance = weight * rho * (1.0f + 3.0f * cu + 4.5f * cu * cu - speeds);
    g[k * plane + y * nx + x] = own + omega * (balance - own);
  };
  relaxed(0, f0, 4.0f / 9, 0);
  relaxed(1, f1, 1.0f / 9, u), relaxed(2, f2, 1.0f / 9, v), relaxed(3, f3, 1.0f / 9, -u),
      relaxed(4, f4, 1.0f / 9, -v);
  relaxed(5, f5, 1.0f / 36, u + v), relaxed(6, f6, 1.0f / 36, v - u), relaxed(7, f7, 1.0f / 36, -u - v),
      relaxed(8, f8, 1.0f / 36, u - v);
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const int p = side / 4, h = side / 8;
  auto *X = reinterpret_cast<uint32_t*>(A), *Y = reinterpret_cast<uint32_t*>(B),
       *Z = reinterpret_cast<uint32_t*>(C);
  const auto run = [&](const char* name, auto launch) { bench.time(name, launch); };
  run("transposed_left", [&] { transposed_left<<<dim3(p / 64, h / 4), dim3(64, 4)>>>(C, A, B, h, p, h); });
  run("modular", [&] { modular<<<dim3(h / 16, h / 16), dim3(16, 16)>>>(X, Y, Z, h); });
  run("cosines_of_rows", [&] { cosines_of_rows<<<dim3(p / 48, p / 48), 256>>>(A, B, C, p, h); });
  run("three_in_a_row", [&] {
    three_in_a_row<<<n / 256, dim3(16, 16)>>>(reinterpret_cast<Small*>(A), reinterpret_cast<Small*>(B),
                                              reinterpret_cast<Small*>(B), reinterpret_cast<Small*>(C));
  });
  run("implicit", [&] { implicit<<<dim3(n / 256 / 64, 4), 256>>>(A, B, C, side / 16, side / 16, 128); });
  run("halves_by_columns", [&] {
    halves_by_columns<<<dim3(p / 128, p / 64), 256>>>(reinterpret_cast<__half*>(A),
                                                      reinterpret_cast<__half*>(B), C, p);
  });
  run("lanes_along_rows", [&] { lanes_along_rows<<<h * h / 4 / 8, 256>>>(A, B, C, h); });
  run("narrow", [&] {
    narrow<<<132 * 4, 256, 256 * 32 * sizeof(float)>>>(reinterpret_cast<const float4*>(A), B, C, n / 256);
  });
  run("bell_curve", [&] { bell_curve<<<n / 2 / 256, 256>>>(reinterpret_cast<float2*>(C), n / 2, 12345); });
  run("edits", [&] {
    edits<<<n / 512 / 4, 128>>>(reinterpret_cast<const uint8_t*>(A), reinterpret_cast<int*>(C), n / 512);
  });
  run("edges_kept", [&] {
    edges_kept<<<dim3(side / 2 / 16, side / 2 / 16), dim3(16, 16)>>>(A, C, side / 2, side / 2, 0.3f);
  });
  run("axes_exchanged",
      [&] { axes_exchanged<<<132 * 16, 256>>>(A, C, side / 64, side / 16, n / (side / 64) / (side / 16)); });
  run("digits_counted", [&] { digits_counted<<<n / 2048, 256>>>(X, Z, 12); });
  run("directions", [&] {
    directions<<<n / 4 / 192 + 1, 192>>>(reinterpret_cast<const float3*>(A), reinterpret_cast<float3*>(C),
                                         n / 4);
  });
  run("fluid", [&] { fluid<<<dim3(side / 4 / 128, side / 4), 128>>>(A, C, side / 4, side / 4, 0.6f); });
  return bench.failed();
}
