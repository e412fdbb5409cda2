// Fifteen kernels of a seminar, each in the way of somebody else: eight products of unlike kinds and seven
// others. What the model of time said of them before any had run on a GPU is in seminar-blind.tsv.
//
//   seminar ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cfloat>
#include <cstdint>

#include "bench.cuh"

namespace {

// ---- products ----

// A student who fears rounding: floats in memory and in the tiles, a sum of doubles.
constexpr int TILE = 32;
__global__ void sum_of_doubles(const float* A, const float* B, float* C, int N) {
  __shared__ float tileA[TILE][TILE];
  __shared__ float tileB[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  double sum = 0.0;
  for (int t = 0; t < N / TILE; t++) {
    tileA[threadIdx.y][threadIdx.x] = A[row * N + t * TILE + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += (double)tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }
  C[row * N + col] = (float)sum;
}

// One of Strassen's seven: (A11 + A22)(B11 + B22), the sums formed while the tiles are filled.
__global__ void sums_of_quarters(const float* a, const float* b, float* m, int whole) {
  __shared__ float left[16][64 + 4], right[16][64];
  const int half = whole / 2, other = half * whole + half;
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
  float c[4][4];
  for (int i = 0; i < 16; i++) c[i / 4][i % 4] = 0;
  for (int k0 = 0; k0 < half; k0 += 16) {
    for (int e = tid; e < 64 * 16; e += 256) {
      const int at = (i0 + e / 16) * whole + k0 + e % 16;
      left[e % 16][e / 16] = a[at] + a[at + other];
    }
    for (int e = tid; e < 16 * 64; e += 256) {
      const int at = (k0 + e / 64) * whole + j0 + e % 64;
      right[e / 64][e % 64] = b[at] + b[at + other];
    }
    __syncthreads();
    for (int k = 0; k < 16; k++) {
      const float4 u = *reinterpret_cast<float4*>(&left[k][ty * 4]);
      const float4 v = *reinterpret_cast<float4*>(&right[k][tx * 4]);
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[i][j] += us[i] * vs[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    *reinterpret_cast<float4*>(&m[(i0 + ty * 4 + i) * half + j0 + tx * 4]) =
        make_float4(c[i][0], c[i][1], c[i][2], c[i][3]);
}

// Few blocks that take tile after tile of C, 32 × 32 by 256 threads, a column of four each.
__global__ void tile_after_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float as[32][32], bs[32][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = N / 32;
  for (int tile = blockIdx.x; tile < across * (M / 32); tile += gridDim.x) {
    const int top = tile / across * 32, left = tile % across * 32;
    float acc[4] = {0.f, 0.f, 0.f, 0.f};
    for (int k = 0; k < K; k += 32) {
      for (int r = warp; r < 32; r += 8) {
        as[r][lane] = A[(top + r) * K + k + lane];
        bs[r][lane] = B[(k + r) * N + left + lane];
      }
      __syncthreads();
#pragma unroll 8
      for (int kk = 0; kk < 32; ++kk)
#pragma unroll
        for (int r = 0; r < 4; ++r) acc[r] = fmaf(as[warp + 8 * r][kk], bs[kk][lane], acc[r]);
      __syncthreads();
    }
    for (int r = 0; r < 4; ++r) C[(top + warp + 8 * r) * N + left + lane] = acc[r];
  }
}

// As a weblog ends: 128 × 128 a block, 8 × 8 a thread in four quarters, vectors, the next tile in registers.
__global__ void __launch_bounds__(256, 2)
    quarters_ahead(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n) {
  __shared__ float As[8][128], Bs[8][128];
  const int t = threadIdx.x, ar = t >> 1, ac = (t & 1) << 2, br = t >> 5, bc = (t & 31) << 2;
  const int ty = (t >> 4) << 2, tx = (t & 15) << 2;
  const float* a = A + (blockIdx.y * 128 + ar) * n + ac;
  const float* b = B + br * n + blockIdx.x * 128 + bc;
  float acc[8][8] = {};
  float4 next_a = *(const float4*)a, next_b = *(const float4*)b;
  for (int k = 0; k < n; k += 8) {
    As[ac][ar] = next_a.x, As[ac + 1][ar] = next_a.y, As[ac + 2][ar] = next_a.z, As[ac + 3][ar] = next_a.w;
    *(float4*)&Bs[br][bc] = next_b;
    __syncthreads();
    if (k + 8 < n) {
      next_a = *(const float4*)(a + k + 8);
      next_b = *(const float4*)(b + (k + 8) * n);
    }
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      float x[8], y[8];
      *(float4*)&x[0] = *(const float4*)&As[kk][ty];
      *(float4*)&x[4] = *(const float4*)&As[kk][ty + 64];
      *(float4*)&y[0] = *(const float4*)&Bs[kk][tx];
      *(float4*)&y[4] = *(const float4*)&Bs[kk][tx + 64];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* c = C + (blockIdx.y * 128 + ty + i % 4 + i / 4 * 64) * n + blockIdx.x * 128 + tx;
    *(float4*)c = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    *(float4*)(c + 64) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
  }
}

// A step of a factorisation: C -= L·U, of which L has 16 columns; a thread an element.
__global__ void rank_sixteen(const float* L, const float* U, float* C, int n) {
  __shared__ float l[16][17], u[16][64];
  const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 64 + x, row = blockIdx.y * 16 + y;
  if (x < 16) l[y][x] = L[row * 16 + x];
  u[y][x] = U[y * n + col];
  __syncthreads();
  float c = C[row * n + col];
  for (int k = 0; k < 16; ++k) c -= l[y][k] * u[k][x];
  C[row * n + col] = c;
}

// Scores of attention: rows of 64 words of Q with those of K, scaled; what lies ahead is masked.
__global__ void masked_scores(const float* Q, const float* K, float* S, int length, float scale) {
  const int i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  if (j0 > i0 + 31) {
    for (int r = ty; r < 32; r += 16)
      for (int c = tx; c < 32; c += 16) S[(i0 + r) * length + j0 + c] = -FLT_MAX;
    return;
  }
  __shared__ float q[32][65], k[32][65];
  for (int e = threadIdx.x; e < 32 * 64; e += 256) {
    q[e >> 6][e & 63] = Q[i0 * 64 + e];
    k[e >> 6][e & 63] = K[j0 * 64 + e];
  }
  __syncthreads();
  float s[2][2] = {{0.f, 0.f}, {0.f, 0.f}};
  for (int d = 0; d < 64; ++d) {
    const float q0 = q[ty][d], q1 = q[ty + 16][d], k0 = k[tx][d], k1 = k[tx + 16][d];
    s[0][0] += q0 * k0, s[0][1] += q0 * k1, s[1][0] += q1 * k0, s[1][1] += q1 * k1;
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      const int i = i0 + ty + 16 * r, j = j0 + tx + 16 * c;
      S[i * length + j] = j <= i ? s[r][c] * scale : -FLT_MAX;
    }
}

// Shortest ways of two steps: the least of sums in place of the sum of products; 4 × 4 a thread.
__global__ void least_sums(const float* D, const float* E, float* F, int n) {
  __shared__ float d[64][33], e[32][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  float best[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) best[i][j] = FLT_MAX;
  for (int via = 0; via < n; via += 32) {
    for (int i = t; i < 2048; i += 256) {
      d[i / 32][i % 32] = D[(blockIdx.y * 64 + i / 32) * n + via + i % 32];
      e[i / 64][i % 64] = E[(via + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
    for (int v = 0; v < 32; ++v) {
      float from[4], to[4];
      for (int i = 0; i < 4; ++i) from[i] = d[ty + 16 * i][v], to[i] = e[v][tx + 16 * i];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) best[i][j] = fminf(best[i][j], from[i] + to[j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      F[(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx + 16 * j] = best[i][j];
}

// How many bits the rows of two matrices of bits have in common: words of 32 bits, 2 × 2 rows a thread.
__global__ void bits_in_common(const uint32_t* X, const uint32_t* Y, int* counts, int rows, int words) {
  __shared__ uint32_t xs[32][33], ys[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  int c00 = 0, c01 = 0, c10 = 0, c11 = 0;
  for (int w = 0; w < words; w += 32) {
    for (int r = ty; r < 32; r += 16)
      for (int c = tx; c < 32; c += 16) {
        xs[r][c] = X[(blockIdx.y * 32 + r) * words + w + c];
        ys[r][c] = Y[(blockIdx.x * 32 + r) * words + w + c];
      }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const uint32_t x0 = xs[ty][k], x1 = xs[ty + 16][k], y0 = ys[tx][k], y1 = ys[tx + 16][k];
      c00 += __popc(x0 & y0), c01 += __popc(x0 & y1), c10 += __popc(x1 & y0), c11 += __popc(x1 & y1);
    }
    __syncthreads();
  }
  int* out = counts + (blockIdx.y * 32 + ty) * rows + blockIdx.x * 32 + tx;
  out[0] = c00, out[16] = c01, out[16 * rows] = c10, out[16 * rows + 16] = c11;
}

// ---- others ----

// Keeps the positive words: a place for each warp by ballots, one for the block by an atomic.
__global__ void kept_by_ballots(const float* in, float* out, unsigned* count, int n) {
  __shared__ unsigned of_warp[8], base;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float x = i < n ? in[i] : 0.f;
  const unsigned mask = __ballot_sync(0xffffffffu, x > 0.f);
  if (lane == 0) of_warp[warp] = __popc(mask);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) {
      const unsigned own = of_warp[w];
      of_warp[w] = sum;
      sum += own;
    }
    base = atomicAdd(count, sum) & (n / 2 - 1);
  }
  __syncthreads();
  if (x > 0.f) out[base + of_warp[warp] + __popc(mask & ((1u << lane) - 1))] = x;
}

// A photo of four bytes a pixel, each the mean of 5 × 5 with weights, borders clamped.
__constant__ float gauss[5][5] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};
__global__ void blurred_photo(const uchar4* photo, uchar4* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float r = 0, g = 0, b = 0;
  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      int xx = min(max(x + dx, 0), width - 1);
      int yy = min(max(y + dy, 0), height - 1);
      uchar4 p = photo[yy * width + xx];
      float w = gauss[dy + 2][dx + 2];
      r += w * p.x;
      g += w * p.y;
      b += w * p.z;
    }
  }
  out[y * width + x] = make_uchar4(r / 256, g / 256, b / 256, 255);
}

// A sparse matrix as a list of row, column and value, in no order: a float atomic for each entry.
__global__ void entries_added(const unsigned* rows, const unsigned* columns, const float* values,
                              const float* x, float* y, int entries, unsigned mask) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < entries; e += gridDim.x * blockDim.x)
    atomicAdd(&y[rows[e] >> 7 & mask], values[e] * x[columns[e] >> 7 & mask]);
}

// Steps until 3n + 1 comes to 1, of neighbouring numbers, at most 200.
__global__ void steps_to_one(unsigned first, unsigned char* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t x = first + i;
  int s = 0;
  while (x != 1 && s < 200) {
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    ++s;
  }
  steps[i] = s;
}

// A picture turned by 30 degrees about its middle: four neighbours, weighted, where they are inside.
__global__ void turned_picture(const float* picture, float* out, int side) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float u = x - 0.5f * side, v = y - 0.5f * side;
  const float from_x = 0.8660254f * u + 0.5f * v + 0.5f * side,
              from_y = -0.5f * u + 0.8660254f * v + 0.5f * side;
  const int left = static_cast<int>(floorf(from_x)), top = static_cast<int>(floorf(from_y));
  float value = 0;
  if (left >= 0 && left + 1 < side && top >= 0 && top + 1 < side) {
    const float* p = picture + top * side + left;
    const float a = from_x - left, b = from_y - top;
    value = (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[side] + a * p[side + 1]);
  }
  out[y * side + x] = value;
}

// A step of two fields, as light moves: each of three arrays read, two written.
__global__ void fields_stepped(float* hx, float* hy, const float* ez, int nx, int ny, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx - 1 || j >= ny - 1) return;
  const int at = j * nx + i;
  hx[at] -= dt * (ez[at + nx] - ez[at]);
  hy[at] += dt * (ez[at + 1] - ez[at]);
}

// A hash of each record of 64 bytes, byte by byte, a record a thread.
__global__ void records_hashed(const unsigned char* records, uint32_t* hashes, int count) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  uint32_t h = 2166136261u;
  for (int b = 0; b < 64; ++b) h = (h ^ records[r * 64 + b]) * 16777619u;
  hashes[r] = h;
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const int p = side / 4, h = side / 8;
  const auto *X = reinterpret_cast<uint32_t*>(A), *Y = reinterpret_cast<uint32_t*>(B);
  const auto run = [&](const char* name, auto launch) { bench.time(name, launch); };
  run("sum_of_doubles", [&] { sum_of_doubles<<<dim3(h / 32, h / 32), dim3(32, 32)>>>(A, B, C, h); });
  run("sums_of_quarters", [&] { sums_of_quarters<<<dim3(p / 64, p / 64), 256>>>(A, B, C, 2 * p); });
  run("tile_after_tile", [&] { tile_after_tile<<<132 * 6, 256>>>(A, B, C, p, p, h); });
  run("quarters_ahead", [&] { quarters_ahead<<<dim3(p / 128, p / 128), 256>>>(A, B, C, p); });
  run("rank_sixteen", [&] { rank_sixteen<<<dim3(side / 64, side / 16), dim3(64, 16)>>>(A, B, C, side); });
  run("masked_scores", [&] { masked_scores<<<dim3(side / 32, side / 32), 256>>>(A, B, C, side, 0.125f); });
  run("least_sums", [&] { least_sums<<<dim3(h / 64, p / 64), dim3(16, 16)>>>(A, B, C, h); });
  run("bits_in_common", [&] {
    bits_in_common<<<dim3(p / 32, p / 32), dim3(16, 16)>>>(X, Y, reinterpret_cast<int*>(C), p, 512);
  });
  run("kept_by_ballots",
      [&] { kept_by_ballots<<<n / 4 / 256, 256>>>(A, C, reinterpret_cast<unsigned*>(B), n / 4); });
  run("blurred_photo", [&] {
    blurred_photo<<<dim3(side / 2 / 32, side / 2 / 8), dim3(32, 8)>>>(
        reinterpret_cast<const uchar4*>(A), reinterpret_cast<uchar4*>(C), side / 2, side / 2);
  });
  run("entries_added",
      [&] { entries_added<<<132 * 8, 256>>>(X, X + n / 8, B, B + n / 8, C, n / 8, n / 64 - 1); });
  run("steps_to_one",
      [&] { steps_to_one<<<n / 8 / 256, 256>>>(1000001, reinterpret_cast<unsigned char*>(C), n / 8); });
  run("turned_picture", [&] { turned_picture<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(A, C, side); });
  run("fields_stepped",
      [&] { fields_stepped<<<dim3(side / 64, side / 4), dim3(64, 4)>>>(A, B, C, side, side, 0.5f); });
  run("records_hashed", [&] {
    records_hashed<<<n / 16 / 128, 128>>>(reinterpret_cast<const unsigned char*>(A),
                                          reinterpret_cast<uint32_t*>(C), n / 16);
  });
  return bench.failed();
}
