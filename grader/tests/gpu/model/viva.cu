// Fifteen kernels of a viva, each in the way of somebody else: eight products of unlike kinds and seven
// others. What the model of time said of them before any had run on a GPU is in viva-blind.tsv.
//
//   viva ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include <cuda_bf16.h>

#include <cstdint>

#include "bench.cuh"

namespace {

// ---- products ----

// Weights of a network in bytes, with a scale for each row; 4 × 4 outputs a thread.
__global__ void quantised(const int8_t* W, const float* scales, const float* X, float* Y, int n) {
  __shared__ float ws[64][17], xs[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    const char4 four = *reinterpret_cast<const char4*>(&W[(row0 + t / 4) * n + k0 + t % 4 * 4]);
    ws[t / 4][t % 4 * 4] = four.x, ws[t / 4][t % 4 * 4 + 1] = four.y;
    ws[t / 4][t % 4 * 4 + 2] = four.z, ws[t / 4][t % 4 * 4 + 3] = four.w;
    for (int r = ty; r < 16; r += 16)
      for (int c = tx; c < 64; c += 16) xs[r][c] = X[(k0 + r) * n + col0 + c];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += ws[ty * 4 + i][k] * xs[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      Y[(row0 + ty * 4 + i) * n + col0 + tx + 16 * j] = acc[i][j] * scales[row0 + ty * 4 + i];
}

// A student's tiles of brain floats, made floats where they are multiplied.
__global__ void brain_floats(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int N) {
  __shared__ __nv_bfloat16 sA[32][32];
  __shared__ __nv_bfloat16 sB[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int m = 0; m < N / 32; m++) {
    sA[threadIdx.y][threadIdx.x] = A[row * N + m * 32 + threadIdx.x];
    sB[threadIdx.y][threadIdx.x] = B[(m * 32 + threadIdx.y) * N + col];
    __syncthreads();
    for (int e = 0; e < 32; e++)
      sum += __bfloat162float(sA[threadIdx.y][e]) * __bfloat162float(sB[e][threadIdx.x]);
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// Attention in one pass: a query a thread, keys and values in tiles, the largest score so far kept along.
constexpr int kDim = 32;
__global__ void __launch_bounds__(128)
    attention(const float* Q, const float* K, const float* V, float* O, int length) {
  __shared__ float keys[32][kDim], values[32][kDim];
  const int query = blockIdx.x * 128 + threadIdx.x;
  const size_t head = size_t(blockIdx.y) * length * kDim;
  float q[kDim], out[kDim], largest = -1e30f, total = 0.0f;
#pragma unroll
  for (int d = 0; d < kDim; ++d) q[d] = Q[head + query * kDim + d] * 0.17677669f, out[d] = 0.0f;
  for (int k0 = 0; k0 < length; k0 += 32) {
    for (int e = threadIdx.x; e < 32 * kDim; e += 128) {
      keys[e / kDim][e % kDim] = K[head + k0 * kDim + e];
      values[e / kDim][e % kDim] = V[head + k0 * kDim + e];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      float score = 0.0f;
#pragma unroll
      for (int d = 0; d < kDim; ++d) score += q[d] * keys[k][d];
      const float now = fmaxf(largest, score), shrink = __expf(largest - now), weight = __expf(score - now);
      total = total * shrink + weight;
#pragma unroll
      for (int d = 0; d < kDim; ++d) out[d] = out[d] * shrink + weight * values[k][d];
      largest = now;
    }
    __syncthreads();
  }
#pragma unroll
  for (int d = 0; d < kDim; ++d) O[head + query * kDim + d] = out[d] / total;
}

// A symmetric matrix of which only the lower triangle is stored, row after row.
__global__ void symmetric(const float* S, const float* B, float* C, int n) {
  __shared__ float s[16][17], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    const int k = k0 + x;
    s[y][x] = i >= k ? S[i * (i + 1) / 2 + k] : S[k * (k + 1) / 2 + i];
    b[y][x] = B[(k0 + y) * n + j];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += s[y][k] * b[k][x];
    __syncthreads();
  }
  C[i * n + j] = sum;
}

// Sparse rows times 64 dense columns: a row a warp, two columns a lane.
__global__ void sparse_times_dense(const int* starts, const int* columns, const float* values,
                                   const float2* B, float2* C, int rows) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float2 sum = {0, 0};
  for (int e = starts[row]; e < starts[row + 1]; ++e) {
    const float v = values[e];
    const float2 b = B[columns[e] * 32 + lane];
    sum.x += v * b.x, sum.y += v * b.y;
  }
  C[row * 32 + lane] = sum;
}

// Pairs of polynomials of 64 whole coefficients: a coefficient of the product a thread.
__global__ void polynomials_multiplied(const int* a, const int* b, int* c) {
  __shared__ int f[64], g[64];
  const int k = threadIdx.x;
  if (k < 64)
    f[k] = a[blockIdx.x * 64 + k];
  else
    g[k - 64] = b[blockIdx.x * 64 + k - 64];
  __syncthreads();
  int sum = 0;
  for (int i = max(0, k - 63); i <= min(k, 63); ++i) sum += f[i] * g[k - i];
  c[blockIdx.x * 128 + k] = sum;
}

// Gradients of a layer: sums of outer products over a batch, of which each block takes a part.
__global__ void outer_sums(const float* X, const float* D, float* W, float* bias, int batch, int in,
                           int out) {
  __shared__ float x[16][32], d[16][32];
  const int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  const int part = batch / gridDim.z, first = blockIdx.z * part;
  float w00 = 0, w01 = 0, w10 = 0, w11 = 0, shift = 0;
  for (int b = first; b < first + part; b += 16) {
    x[ty][tx] = X[(b + ty) * in + i0 + tx], x[ty][tx + 16] = X[(b + ty) * in + i0 + tx + 16];
    d[ty][tx] = D[(b + ty) * out + j0 + tx], d[ty][tx + 16] = D[(b + ty) * out + j0 + tx + 16];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      w00 += x[k][ty] * d[k][tx], w01 += x[k][ty] * d[k][tx + 16];
      w10 += x[k][ty + 16] * d[k][tx], w11 += x[k][ty + 16] * d[k][tx + 16];
    }
    if (blockIdx.y == 0 && ty < 2)
      for (int k = 0; k < 16; ++k) shift += d[k][ty * 16 + tx];
    __syncthreads();
  }
  atomicAdd(&W[(i0 + ty) * out + j0 + tx], w00), atomicAdd(&W[(i0 + ty) * out + j0 + tx + 16], w01);
  atomicAdd(&W[(i0 + ty + 16) * out + j0 + tx], w10), atomicAdd(&W[(i0 + ty + 16) * out + j0 + tx + 16], w11);
  if (blockIdx.y == 0 && ty < 2) atomicAdd(&bias[j0 + ty * 16 + tx], shift);
}

// A scene's transforms: each node's matrix of 4 × 4 by that of its parent.
struct Transform {
  float4 row[4];
};
__global__ void transforms(const Transform* parents, const Transform* nodes, Transform* world, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Transform p = parents[i / 8], m = nodes[i];
  Transform r;
  for (int k = 0; k < 4; ++k) {
    const float4 a = p.row[k];
    r.row[k].x = a.x * m.row[0].x + a.y * m.row[1].x + a.z * m.row[2].x + a.w * m.row[3].x;
    r.row[k].y = a.x * m.row[0].y + a.y * m.row[1].y + a.z * m.row[2].y + a.w * m.row[3].y;
    r.row[k].z = a.x * m.row[0].z + a.y * m.row[1].z + a.z * m.row[2].z + a.w * m.row[3].z;
    r.row[k].w = a.x * m.row[0].w + a.y * m.row[1].w + a.z * m.row[2].w + a.w * m.row[3].w;
  }
  world[i] = r;
}

// ---- others ----

// The five nearest of some points, in a list that each thread keeps sorted.
__global__ void neighbours_kept(const float2* points, int count, const float2* queries, int* nearest) {
  __shared__ float2 tile[256];
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 at = queries[q];
  float distance[5];
  int index[5];
  for (int i = 0; i < 5; ++i) distance[i] = 1e30f, index[i] = -1;
  for (int first = 0; first < count; first += 256) {
    tile[threadIdx.x] = points[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      const float dx = tile[j].x - at.x, dy = tile[j].y - at.y, d = dx * dx + dy * dy;
      if (d < distance[4]) {
        int place = 4;
        while (place > 0 && distance[place - 1] > d) {
          distance[place] = distance[place - 1], index[place] = index[place - 1];
          --place;
        }
        distance[place] = d, index[place] = first + j;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 5; ++i) nearest[q * 5 + i] = index[i];
}

// Checksums of lines of 64 bytes, a byte at a time by a table in constant memory.
__constant__ uint32_t crc_table[256];
__global__ void checksums(const uint32_t* text, uint32_t* sums, int lines) {
  const int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  uint32_t crc = ~0u;
  for (int w = 0; w < 16; ++w) {
    uint32_t word = text[line * 16 + w];
    for (int b = 0; b < 4; ++b) crc = crc >> 8 ^ crc_table[(crc ^ word) & 255], word >>= 8;
  }
  sums[line] = ~crc;
}

// Ticks of a clock to dates: years, months, days, hours, minutes.
struct Date {
  int16_t year;
  uint8_t month, day, hour, minute;
};
__global__ void calendar(const uint64_t* ticks, uint64_t ticks_per_second, Date* dates, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint64_t seconds = ticks[i] / ticks_per_second % 4000000000ull;
  const int days = static_cast<int>(seconds / 86400), rest = static_cast<int>(seconds % 86400);
  const int z = days + 719468, era = z / 146097, of_era = z - era * 146097;
  const int year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int mp = (5 * day_of_year + 2) / 153, month = mp < 10 ? mp + 3 : mp - 9;
  Date d;
  d.year = static_cast<int16_t>(year_of_era + era * 400 + (month <= 2));
  d.month = static_cast<uint8_t>(month), d.day = static_cast<uint8_t>(day_of_year - (153 * mp + 2) / 5 + 1);
  d.hour = static_cast<uint8_t>(rest / 3600), d.minute = static_cast<uint8_t>(rest / 60 % 60);
  dates[i] = d;
}

// Means of groups: sums and numbers of each block in shared memory, by atomics on floats.
__global__ void group_means(const float* values, const int* labels, float* sums, int* numbers, int count) {
  __shared__ float sum[32];
  __shared__ int number[32];
  if (threadIdx.x < 32) sum[threadIdx.x] = 0, number[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const int group = labels[i] >> 12 & 31;
    atomicAdd(&sum[group], values[i]);
    atomicAdd(&number[group], 1);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    atomicAdd(&sums[threadIdx.x], sum[threadIdx.x]);
    atomicAdd(&numbers[threadIdx.x], number[threadIdx.x]);
  }
}

// Queens on a board of 12 × 12: the first four rows are the thread's number, the others a stack.
__global__ void queens(int* solutions, int size, int threads) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= threads) return;
  const int full = (1 << size) - 1;
  int columns = 0, left = 0, right = 0, rest = id;
  for (int row = 0; row < 4; ++row) {
    const int bit = 1 << rest % size;
    rest /= size;
    if (bit & (columns | left | right)) return;
    columns |= bit, left = (left | bit) << 1 & full, right = (right | bit) >> 1;
  }
  int free[12], cols[12], lefts[12], rights[12], depth = 0, found = 0;
  free[0] = full & ~(columns | left | right), cols[0] = columns, lefts[0] = left, rights[0] = right;
  while (depth >= 0) {
    if (free[depth] == 0) {
      --depth;
      continue;
    }
    const int bit = free[depth] & -free[depth];
    free[depth] ^= bit;
    const int c = cols[depth] | bit;
    if (c == full) {
      ++found;
      continue;
    }
    const int l = (lefts[depth] | bit) << 1 & full, r = (rights[depth] | bit) >> 1;
    ++depth;
    cols[depth] = c, lefts[depth] = l, rights[depth] = r, free[depth] = full & ~(c | l | r);
  }
  if (found) atomicAdd(solutions, found);
}

// Two sorted lists become one: each thread finds by bisection where its eight words begin.
__global__ void merged(const int* a, int na, const int* b, int nb, int* out) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (first >= na + nb) return;
  int low = max(0, first - nb), high = min(first, na);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[first - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = first - low;
  for (int k = 0; k < 8; ++k) {
    const bool take = j >= nb || (i < na && a[i] <= b[j]);
    out[first + k] = take ? a[i++] : b[j++];
  }
}

// A photo in sixteen colours: the number of the nearest one for each pixel.
__constant__ int3 colours[16];
__global__ void palette(const uchar4* photo, uint8_t* numbers, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const uchar4 p = photo[i];
  int best = 1 << 30, number = 0;
  for (int c = 0; c < 16; ++c) {
    const int r = p.x - colours[c].x, g = p.y - colours[c].y, b = p.z - colours[c].z;
    const int d = r * r + g * g + b * b;
    if (d < best) best = d, number = c;
  }
  numbers[i] = static_cast<uint8_t>(number);
}

void fill_tables() {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int k = 0; k < 8; ++k) table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
  }
  cudaMemcpyToSymbol(crc_table, table, sizeof table);
  int3 wanted[16];
  for (int c = 0; c < 16; ++c) wanted[c] = make_int3(c * 17, c * 67 % 256, c * 131 % 256);
  cudaMemcpyToSymbol(colours, wanted, sizeof wanted);
}

int* uploaded(const std::vector<int>& from) {
  int* to = nullptr;
  if (cudaMalloc(&to, from.size() * sizeof(int)) != cudaSuccess) std::exit(3);
  cudaMemcpy(to, from.data(), from.size() * sizeof(int), cudaMemcpyHostToDevice);
  return to;
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const int p = side / 4, h = side / 8;
  fill_tables();
  const int rows = n / 256, each = 16, half = n / 8;
  std::vector<int> starts(rows + 1), columns(rows * each), even(half), odd(half);
  for (int i = 0; i <= rows; ++i) starts[i] = i * each;
  uint32_t state = 7;
  for (int& column : columns) column = static_cast<int>((state = state * 1664525u + 1013904223u) >> 8) % rows;
  for (int i = 0, a = 0, b = 0; i < half; ++i) {
    state = state * 1664525u + 1013904223u;
    even[i] = a += state >> 28, odd[i] = b += state >> 24 & 15;
  }
  int *S = uploaded(starts), *J = uploaded(columns), *E = uploaded(even), *O = uploaded(odd);
  auto *I = reinterpret_cast<int*>(A), *K = reinterpret_cast<int*>(B), *R = reinterpret_cast<int*>(C);
  const auto run = [&](const char* name, auto launch) { bench.time(name, launch); };
  run("quantised",
      [&] { quantised<<<dim3(p / 64, p / 64), 256>>>(reinterpret_cast<int8_t*>(A), B, B, C, p); });
  run("brain_floats", [&] {
    brain_floats<<<dim3(h / 32, h / 32), dim3(32, 32)>>>(reinterpret_cast<__nv_bfloat16*>(A),
                                                         reinterpret_cast<__nv_bfloat16*>(B), C, h);
  });
  run("attention", [&] { attention<<<dim3(p / 128, 16), 128>>>(A, B, B + n / 2, C, p); });
  run("symmetric", [&] { symmetric<<<dim3(h / 16, h / 16), dim3(16, 16)>>>(A, B, C, h); });
  run("sparse_times_dense", [&] {
    sparse_times_dense<<<rows / 4, 128>>>(S, J, A, reinterpret_cast<float2*>(B), reinterpret_cast<float2*>(C),
                                          rows);
  });
  run("polynomials_multiplied", [&] { polynomials_multiplied<<<n / 512, 128>>>(I, K, R); });
  run("outer_sums",
      [&] { outer_sums<<<dim3(h / 64, h / 64, 8), dim3(16, 16)>>>(A, B, C, C + n / 2, side, h / 2, h / 2); });
  run("transforms", [&] {
    transforms<<<n / 16 / 256, 256>>>(reinterpret_cast<Transform*>(A), reinterpret_cast<Transform*>(B),
                                      reinterpret_cast<Transform*>(C), n / 16);
  });
  run("neighbours_kept", [&] {
    neighbours_kept<<<n / 256 / 256, 256>>>(reinterpret_cast<float2*>(A), 2048, reinterpret_cast<float2*>(B),
                                            R);
  });
  run("checksums", [&] {
    checksums<<<n / 32 / 256, 256>>>(reinterpret_cast<uint32_t*>(A), reinterpret_cast<uint32_t*>(C), n / 32);
  });
  run("calendar", [&] {
    calendar<<<n / 4 / 256, 256>>>(reinterpret_cast<uint64_t*>(A), 10000000, reinterpret_cast<Date*>(C),
                                   n / 4);
  });
  run("group_means", [&] { group_means<<<132 * 8, 256>>>(A, K, C, R + 64, n / 2); });
  run("queens", [&] { queens<<<(12 * 12 * 12 * 12 + 127) / 128, 128>>>(R, 12, 12 * 12 * 12 * 12); });
  run("merged", [&] { merged<<<2 * half / 8 / 256, 256>>>(E, half, O, half, R); });
  run("palette", [&] {
    palette<<<n / 4 / 256, 256>>>(reinterpret_cast<uchar4*>(A), reinterpret_cast<uint8_t*>(C), n / 4);
  });
  return bench.failed();
}
