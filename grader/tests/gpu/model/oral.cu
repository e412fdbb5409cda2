// Fifteen kernels of an oral examination, each in the way of somebody else: eight products of unlike kinds
// and seven others. What the model of time said of them before any had run on a GPU is in oral-blind.tsv.
//
//   oral ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_fp16.h>

#include <cstdint>

#include "bench.cuh"

namespace {

// ---- products ----

// A textbook's tiles with a template for their side, rows of B read as the transposed matrix that they are.
template <int Side>
__global__ void by_transposed_right(const float* __restrict__ M, const float* __restrict__ Nt,
                                    float* __restrict__ P, int width) {
  __shared__ float Ms[Side][Side], Ns[Side][Side + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * Side + ty, col = blockIdx.x * Side + tx;
  float value = 0;
  for (int ph = 0; ph < width / Side; ++ph) {
    Ms[ty][tx] = M[row * width + ph * Side + tx];
    Ns[ty][tx] = Nt[(blockIdx.x * Side + ty) * width + ph * Side + tx];
    __syncthreads();
    for (int k = 0; k < Side; ++k) value += Ms[ty][k] * Ns[tx][k];
    __syncthreads();
  }
  P[row * width + col] = value;
}

// Eight results down a column for each thread, a tile of B in shared memory, A from memory by broadcasts.
__global__ void column_of_eight(const float* A, const float* B, float* C, int n) {
  __shared__ float b[32][64];
  const int col = blockIdx.x * 64 + threadIdx.x, row = (blockIdx.y * 4 + threadIdx.y) * 8;
  float c[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int r = threadIdx.y; r < 32; r += 4) b[r][threadIdx.x] = B[(k0 + r) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const float value = b[k][threadIdx.x];
#pragma unroll
      for (int i = 0; i < 8; ++i) c[i] += A[(row + i) * n + k0 + k] * value;
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) C[(row + i) * n + col] = c[i];
}

// A student's 128 × 64 outputs a block, registers by hand, the next tile fetched while this one is used.
__global__ void __launch_bounds__(256) big_and_early(const float* A, const float* B, float* C, int n) {
  __shared__ float as[2][8][128], bs[2][8][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
  const int ar = t / 2, ak = t % 2 * 4, bk = t / 32, bc = t % 32 * 2;
  float acc[8][4] = {};
  float4 a = *reinterpret_cast<const float4*>(&A[(row0 + ar) * n + ak]);
  float2 b = *reinterpret_cast<const float2*>(&B[bk * n + col0 + bc]);
  int now = 0;
  for (int k0 = 0; k0 < n; k0 += 8) {
    as[now][ak][ar] = a.x, as[now][ak + 1][ar] = a.y, as[now][ak + 2][ar] = a.z, as[now][ak + 3][ar] = a.w;
    *reinterpret_cast<float2*>(&bs[now][bk][bc]) = b;
    __syncthreads();
    if (k0 + 8 < n) {
      a = *reinterpret_cast<const float4*>(&A[(row0 + ar) * n + k0 + 8 + ak]);
      b = *reinterpret_cast<const float2*>(&B[(k0 + 8 + bk) * n + col0 + bc]);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float left[8], right[4];
#pragma unroll
      for (int i = 0; i < 8; ++i) left[i] = as[now][k][ty * 8 + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) right[j] = bs[now][k][tx * 4 + j];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += left[i] * right[j];
    }
    now ^= 1;
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j) C[(row0 + ty * 8 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}

// Paths in a graph: which can be reached in one more step, 32 goals in a word.
__global__ void reached(const uint32_t* rows, const uint32_t* steps, uint32_t* out, int n) {
  __shared__ uint32_t from[8][32], to[32][32];
  const int words = n / 32, word = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  uint32_t found = 0;
  for (int w0 = 0; w0 < words; w0 += 32) {
    from[threadIdx.y][threadIdx.x] = rows[row * words + w0 + threadIdx.x];
    for (int w = 0; w < 32; ++w) {
      __syncthreads();
      for (int r = threadIdx.y; r < 32; r += 8)
        to[r][threadIdx.x] = steps[((w0 + w) * 32 + r) * words + word];
      __syncthreads();
      const uint32_t mine = from[threadIdx.y][w];
#pragma unroll
      for (int bit = 0; bit < 32; ++bit)
        if (mine >> bit & 1) found |= to[bit][threadIdx.x];
    }
  }
  out[row * words + word] = found;
}

// Weighted products of rows, AᵀDA: a diagonal between, the sum in fixed point of 64 bits.
__global__ void weighted(const int* A, const int* weights, long long* out, int n, int depth) {
  __shared__ int left[16][17], right[16][17], w[16];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  long long sum = 0;
  for (int k0 = 0; k0 < depth; k0 += 16) {
    left[y][x] = A[(k0 + y) * n + blockIdx.y * 16 + x];
    right[y][x] = A[(k0 + y) * n + j];
    if (y == 0) w[x] = weights[k0 + x] & 255;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += static_cast<long long>(left[k][y]) * (right[k][x] * w[k] >> 8);
    __syncthreads();
  }
  out[i * n + j] = sum;
}

// Chosen rows of a table times a small matrix that the block keeps: an embedding and its layer.
__global__ void embedded(const int* chosen, const float* table, const float* W, float* out) {
  __shared__ float w[64][32], rows[8][64];
  const int lane = threadIdx.x, y = threadIdx.y;
  for (int e = y * 32 + lane; e < 64 * 32; e += 256) w[e / 32][e % 32] = W[e];
  for (int step = 0; step < 8; ++step) {
    const int at = (blockIdx.x * 8 + step) * 8 + y;
    const float* from = &table[static_cast<size_t>(chosen[at]) * 64];
    rows[y][lane] = from[lane], rows[y][lane + 32] = from[lane + 32];
    __syncthreads();
    float sum = 0;
#pragma unroll 16
    for (int k = 0; k < 64; ++k) sum += rows[y][k] * w[k][lane];
    out[at * 32 + lane] = fmaxf(sum, 0);
    __syncthreads();
  }
}

// Halves, two rows and four columns a thread, eight products at a time by __hfma2, sums kept as floats.
__global__ void halves_in_pieces(const __half2* A, const __half2* B, float2* C, int n) {
  __shared__ __half a[32][34];
  __shared__ __half2 b[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, half = n / 2;
  float2 sum[2] = {{0, 0}, {0, 0}};
  for (int k0 = 0; k0 < n; k0 += 32) {
    const int e = ty * 32 + tx, r = e / 16, c = e % 16;
    const __half2 two = A[(blockIdx.y * 32 + r) * half + k0 / 2 + c];
    a[r][2 * c] = __low2half(two), a[r][2 * c + 1] = __high2half(two);
    b[ty][tx] = B[(k0 + ty) * half + blockIdx.x * 32 + tx];
    b[ty + 16][tx] = B[(k0 + ty + 16) * half + blockIdx.x * 32 + tx];
    __syncthreads();
    for (int k = 0; k < 32; k += 8) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        __half2 part = __float2half2_rn(0.0f);
#pragma unroll
        for (int d = 0; d < 8; ++d) part = __hfma2(__half2half2(a[ty * 2 + i][k + d]), b[k + d][tx], part);
        const float2 more = __half22float2(part);
        sum[i].x += more.x, sum[i].y += more.y;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) C[(blockIdx.y * 32 + ty * 2 + i) * half + blockIdx.x * 32 + tx] = sum[i];
}

// Many systems' matrices of 16 × 16, squared four times in shared memory, a block each.
__global__ void powers(const float* in, float* out) {
  __shared__ float m[2][16][16];
  const int x = threadIdx.x, y = threadIdx.y, e = y * 16 + x;
  m[0][y][x] = in[blockIdx.x * 256 + e] * 0.25f;
  __syncthreads();
  for (int power = 0; power < 4; ++power) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += m[power % 2][y][k] * m[power % 2][k][x];
    m[1 - power % 2][y][x] = sum;
    __syncthreads();
  }
  out[blockIdx.x * 256 + e] = m[0][y][x];
}

// ---- others ----

// Grey levels of a picture of bytes, by the eye's weights, four pixels a thread.
__global__ void grey(const uchar4* picture, uchar4* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i >= count) return;
  const auto level = [](uchar4 p) {
    return static_cast<unsigned char>(0.299f * p.x + 0.587f * p.y + 0.114f * p.z + 0.5f);
  };
  out[i] = make_uchar4(level(picture[4 * i]), level(picture[4 * i + 1]), level(picture[4 * i + 2]),
                       level(picture[4 * i + 3]));
}

// Moving averages of 32 values: a running sum a thread, each along a piece of its own.
__global__ void moving_averages(const float* in, float* out, int count) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
  float sum = 0;
  for (int i = first; i < first + 32; ++i) sum += in[min(i, count - 1)];
  for (int i = first; i < first + 16; ++i) {
    out[i] = sum / 32;
    sum += in[min(i + 32, count - 1)] - in[i];
  }
}

// Sources of light on a grid: the sum of inverse squares from 64 lamps in shared memory.
__global__ void lamps(const float4* lamp, float* light, int width) {
  __shared__ float4 at[64];
  const int t = threadIdx.y * 32 + threadIdx.x;
  if (t < 64) at[t] = lamp[t];
  __syncthreads();
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    const float dx = x * 0.001f - at[k].x, dy = y * 0.001f - at[k].y;
    sum += at[k].w / (dx * dx + dy * dy + at[k].z * at[k].z + 0.01f);
  }
  light[y * width + x] = sum;
}

// Runs of equal words: each thread looks for the first other one to its right.
__global__ void run_lengths(const int* words, int* lengths, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int end = i + 1;
  while (end < count && words[end] == words[i]) ++end;
  lengths[i] = end - i;
}

// A table of open addresses: keys are looked up, the next place if another one is there.
__global__ void looked_up(const uint32_t* keys, const uint2* table, uint32_t mask, uint32_t* found,
                          int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint32_t key = keys[i];
  uint32_t at = key * 2654435761u >> 8 & mask, value = ~0u;
  for (int tries = 0; tries < 16; ++tries, at = (at + 1) & mask) {
    const uint2 entry = table[at];
    if (entry.x == key) value = entry.y;
    if (entry.x == key || entry.x == 0) break;
  }
  found[i] = value;
}

// Shares' volatility: the deviation of each row of 256 days, a warp a row, in two passes over registers.
__global__ void deviations(const float* prices, float* out, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float day[8], sum = 0, squares = 0;
  for (int i = 0; i < 8; ++i) sum += day[i] = __logf(fabsf(prices[row * 256 + i * 32 + lane]) + 1);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const float mean = sum / 256;
  for (int i = 0; i < 8; ++i) squares += (day[i] - mean) * (day[i] - mean);
  for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(~0u, squares, d);
  if (lane == 0) out[row] = sqrtf(squares / 255);
}

// Lakes on a map: a step of flooding, each block until nothing changes in its tile of 32 × 32.
__global__ void flooded(const float* height, float* water, int width) {
  __shared__ float level[34][34];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 32 - 1;
  for (int e = threadIdx.y * 32 + threadIdx.x; e < 34 * 34; e += 256) {
    const int x = min(max(x0 + e % 34, 0), width - 1), y = min(max(y0 + e / 34, 0), width - 1);
    level[e / 34][e % 34] = height[y * width + x];
  }
  __syncthreads();
  for (int step = 0; step < 12; ++step) {
    float next[4];
    for (int i = 0; i < 4; ++i) {
      const int x = threadIdx.x + 1, y = threadIdx.y + 8 * i + 1;
      const float around =
          fminf(fminf(level[y - 1][x], level[y + 1][x]), fminf(level[y][x - 1], level[y][x + 1]));
      next[i] = fmaxf(level[y][x], around - 0.125f);
    }
    __syncthreads();
    for (int i = 0; i < 4; ++i) level[threadIdx.y + 8 * i + 1][threadIdx.x + 1] = next[i];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    water[(blockIdx.y * 32 + threadIdx.y + 8 * i) * width + blockIdx.x * 32 + threadIdx.x] =
        level[threadIdx.y + 8 * i + 1][threadIdx.x + 1];
}

template <class Word>
Word* uploaded(const std::vector<Word>& from) {
  Word* to = nullptr;
  if (cudaMalloc(&to, from.size() * sizeof(Word)) != cudaSuccess) std::exit(3);
  cudaMemcpy(to, from.data(), from.size() * sizeof(Word), cudaMemcpyHostToDevice);
  return to;
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const int p = side / 4, h = side / 8, some = n / 8;
  uint32_t state = 11;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  std::vector<int> chosen(n / 32), runs(n / 4);
  for (int& row : chosen) row = static_cast<int>(next() % static_cast<uint32_t>(n / 64));
  for (size_t i = 0; i < runs.size(); ++i) runs[i] = i % 8 == 0 || next() % 4 == 0 ? int(i) : runs[i - 1];
  std::vector<uint32_t> keys(some);
  std::vector<uint2> table(n / 16, make_uint2(0, 0));
  const uint32_t mask = static_cast<uint32_t>(table.size()) - 1;
  for (uint32_t& key : keys) key = next() % (mask + 1) + 1;
  for (uint32_t key = 1; key <= mask / 2; ++key) {
    uint32_t at = key * 2654435761u >> 8 & mask;
    while (table[at].x != 0) at = (at + 1) & mask;
    table[at] = make_uint2(key, key ^ 99);
  }
  const int *I = uploaded(chosen), *R = uploaded(runs);
  const uint32_t* K = uploaded(keys);
  const uint2* T = uploaded(table);
  const auto *U = reinterpret_cast<uint32_t*>(A), *V = reinterpret_cast<uint32_t*>(B);
  const auto *J = reinterpret_cast<int*>(A), *L = reinterpret_cast<int*>(B);
  const auto run = [&](const char* name, auto launch) { bench.time(name, launch); };
  run("by_transposed_right",
      [&] { by_transposed_right<32><<<dim3(p / 32, p / 32), dim3(32, 32)>>>(A, B, C, p); });
  run("column_of_eight", [&] { column_of_eight<<<dim3(p / 64, p / 32), dim3(64, 4)>>>(A, B, C, p); });
  run("big_and_early", [&] { big_and_early<<<dim3(p / 64, p / 128), 256>>>(A, B, C, p); });
  run("reached", [&] {
    reached<<<dim3(side / 1024, side / 8), dim3(32, 8)>>>(U, V, reinterpret_cast<uint32_t*>(C), side);
  });
  run("weighted",
      [&] { weighted<<<dim3(h / 16, h / 16), dim3(16, 16)>>>(J, L, reinterpret_cast<long long*>(C), h, h); });
  run("embedded", [&] { embedded<<<n / 32 / 64, dim3(32, 8)>>>(I, A, B, C); });
  run("halves_in_pieces", [&] {
    halves_in_pieces<<<dim3(p / 64, p / 32), dim3(32, 16)>>>(
        reinterpret_cast<__half2*>(A), reinterpret_cast<__half2*>(B), reinterpret_cast<float2*>(C), p);
  });
  run("powers", [&] { powers<<<n / 256 / 2, dim3(16, 16)>>>(A, C); });
  run("grey",
      [&] { grey<<<n / 4 / 256, 256>>>(reinterpret_cast<uchar4*>(A), reinterpret_cast<uchar4*>(C), n); });
  run("moving_averages", [&] { moving_averages<<<n / 16 / 256, 256>>>(A, C, n); });
  run("lamps",
      [&] { lamps<<<dim3(side / 32, side / 8 / 2), dim3(32, 8)>>>(reinterpret_cast<float4*>(A), C, side); });
  run("run_lengths", [&] { run_lengths<<<n / 4 / 256, 256>>>(R, reinterpret_cast<int*>(C), n / 4); });
  run("looked_up", [&] { looked_up<<<some / 256, 256>>>(K, T, mask, reinterpret_cast<uint32_t*>(C), some); });
  run("deviations", [&] { deviations<<<n / 256 / 8, 256>>>(A, C, n / 256); });
  run("flooded", [&] { flooded<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(A, C, side); });
  return bench.failed();
}
