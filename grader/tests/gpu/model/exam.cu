// Sixteen kernels of examinations: six products and ten others. What the model of time said of them before
// any had run on a GPU is in exam-blind.tsv.
//
//   exam ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^22; one JSON line a kernel
#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ float4& four(float* at) { return *reinterpret_cast<float4*>(at); }

// ---- products of side × side matrices ----

// One row and eight columns a thread: two float4 of B for each word of A, which is in shared memory.
__global__ void eight_along_a_row(ARGUMENTS) {
  __shared__ float a[8][33];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = (blockIdx.x * 32 + x) * 8;
  float4 left = {}, right = {};
  for (int k = 0; k < side; k += 32) {
    a[y][x] = A[row * side + k + x];
    __syncthreads();
    for (int i = 0; i < 32; ++i) {
      const float u = a[y][i];
      const float4 v = four(B + (k + i) * side + column), w = four(B + (k + i) * side + column + 4);
      left.x += u * v.x, left.y += u * v.y, left.z += u * v.z, left.w += u * v.w;
      right.x += u * w.x, right.y += u * w.y, right.z += u * w.z, right.w += u * w.w;
    }
    __syncthreads();
  }
  four(C + row * side + column) = left, four(C + row * side + column + 4) = right;
}

// 2 × 2 outputs of each of 1,024 threads, from tiles of 64 × 64 that are 32 deep.
__global__ void __launch_bounds__(1024) two_by_two(ARGUMENTS) {
  __shared__ float a[64][33], b[32][64];
  const int t = threadIdx.x, x = t % 32, y = t / 32, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[2][2] = {};
  for (int k = 0; k < side; k += 32) {
    for (int i = t; i < 64 * 32; i += 1024) {
      a[i / 32][i % 32] = A[(top + i / 32) * side + k + i % 32];
      b[i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) sum[r][c] += a[y + 32 * r][i] * b[i][x + 32 * c];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) C[(top + y + 32 * r) * side + left + x + 32 * c] = sum[r][c];
}

// 4 × 4 outputs a thread of 256; A is stored turned over, and both operands are read as float4.
__global__ void __launch_bounds__(256) vectors_of_both(ARGUMENTS) {
  __shared__ float a[16][68], b[16][64];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    const float4 v = four(A + (top + t / 4) * side + k + t % 4 * 4);
    a[t % 4 * 4][t / 4] = v.x, a[t % 4 * 4 + 1][t / 4] = v.y;
    a[t % 4 * 4 + 2][t / 4] = v.z, a[t % 4 * 4 + 3][t / 4] = v.w;
    four(&b[y][x * 4]) = four(B + (k + y) * side + left + x * 4);
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float u[4], w[4];
      four(u) = four(&a[i][y * 4]), four(w) = four(&b[i][x * 4]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    four(C + (top + y * 4 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// 8 × 8 outputs of each of only 64 threads, words apart, tiles of 64 × 64.
__global__ void __launch_bounds__(64) small_block(ARGUMENTS) {
  __shared__ float a[8][65], b[8][64];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[8][8] = {};
  for (int k = 0; k < side; k += 8) {
    for (int i = t; i < 64 * 8; i += 64) {
      a[i % 8][i / 8] = A[(top + i / 8) * side + k + i % 8];
      b[i / 64][i % 64] = B[(k + i / 64) * side + left + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i)
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 8; ++c) sum[r][c] += a[i][y + 8 * r] * b[i][x + 8 * c];
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) C[(top + y + 8 * r) * side + left + x + 8 * c] = sum[r][c];
}

// 4 × 16 outputs of each of 128 threads, tiles of 64 × 128.
__global__ void __launch_bounds__(128) four_by_sixteen(ARGUMENTS) {
  __shared__ float a[8][68], b[8][128];
  const int t = threadIdx.x, x = t % 8, y = t / 8, top = blockIdx.y * 64, left = blockIdx.x * 128;
  float sum[4][16] = {};
  for (int k = 0; k < side; k += 8) {
    const float4 v = four(A + (top + t / 2) * side + k + t % 2 * 4);
    a[t % 2 * 4][t / 2] = v.x, a[t % 2 * 4 + 1][t / 2] = v.y;
    a[t % 2 * 4 + 2][t / 2] = v.z, a[t % 2 * 4 + 3][t / 2] = v.w;
    for (int i = t; i < 8 * 32; i += 128)
      four(&b[i / 32][i % 32 * 4]) = four(B + (k + i / 32) * side + left + i % 32 * 4);
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float u[4], w[16];
      four(u) = four(&a[i][y * 4]);
      for (int c = 0; c < 4; ++c) four(w + 4 * c) = four(&b[i][x * 4 + 32 * c]);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 16; ++c) sum[r][c] += u[r] * w[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c)
      four(C + (top + y * 4 + r) * side + left + x * 4 + 32 * c) =
          make_float4(sum[r][4 * c], sum[r][4 * c + 1], sum[r][4 * c + 2], sum[r][4 * c + 3]);
}

// A row of 16 outputs a thread; all lanes of a warp read the same words of B.
__global__ void __launch_bounds__(128) a_row_a_thread(ARGUMENTS) {
  __shared__ float a[128][33], b[32][16];
  const int t = threadIdx.x, top = blockIdx.y * 128, left = blockIdx.x * 16;
  float sum[16] = {};
  for (int k = 0; k < side; k += 32) {
    for (int i = t; i < 128 * 32; i += 128) a[i / 32][i % 32] = A[(top + i / 32) * side + k + i % 32];
    for (int i = t; i < 32 * 16; i += 128) b[i / 16][i % 16] = B[(k + i / 16) * side + left + i % 16];
    __syncthreads();
    for (int i = 0; i < 32; ++i) {
      const float u = a[t][i];
      for (int c = 0; c < 16; ++c) sum[c] += u * b[i][c];
    }
    __syncthreads();
  }
  for (int c = 0; c < 16; ++c) C[(top + t) * side + left + c] = sum[c];
}

// ---- others ----

__global__ void every_second(ARGUMENTS) {  // one of two words of three arrays
  const int i = 2 * INDEX;
  C[i] = 3 * A[i] + B[i];
}

__global__ void gather_structs(ARGUMENTS) {  // four planes into one array of four words an element
  const int i = INDEX, plane = n / 4;
  four(C + 4 * i) = make_float4(A[i], A[i + plane], A[i + 2 * plane], A[i + 3 * plane]);
}

__global__ void rotate(ARGUMENTS) {  // an image by a quarter turn, tiles of 32 × 32
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = A[(y + j) * side + x];
  __syncthreads();
  const int u = side - 1 - (blockIdx.y * 32 + threadIdx.x), v = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) C[(v + j) * side + u] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void median_of_five(ARGUMENTS) {  // of neighbours in a row
  const int i = INDEX;
  if (i >= n - 4) return;
  float a = A[i], b = A[i + 1], c = A[i + 2], d = A[i + 3], e = A[i + 4];
  const auto order = [](float& low, float& high) {
    const float least = fminf(low, high);
    high = fmaxf(low, high), low = least;
  };
  order(a, b), order(c, d), order(a, c), order(b, d), order(b, c), order(c, e), order(b, c);
  C[i] = c;
}

__global__ void sums_of_powers(ARGUMENTS) {  // e to the power of 256 words a warp, added up
  const int warp = INDEX / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int j = 0; j < 2; ++j) {
    const float4 v = four(A + warp * 256 + j * 128 + lane * 4);
    sum += expf(v.x) + expf(v.y) + expf(v.z) + expf(v.w);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) C[warp] = sum;
}

__global__ void one_of_two(int n, const int* A, const float* B, float* C) {  // neighbours, as a bit says
  const int i = INDEX;
  C[i] = B[2 * i + (A[i] & 1)];
}

__global__ void bytes_counted(int n, const unsigned* A, int* C) {  // 256 bins, four bytes a word
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x)
    for (int byte = 0; byte < 4; ++byte) atomicAdd(&bins[A[i] >> 8 * byte & 255], 1);
  __syncthreads();
  atomicAdd(&C[threadIdx.x], bins[threadIdx.x]);
}

__global__ void nine_points(ARGUMENTS) {  // each thread down 16 rows, three rows in registers
  const int x = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * 16;
  if (x == 0 || x == side - 1) return;
  const auto sum_of = [&](int row) {
    const float* at = A + min(max(row, 0), side - 1) * side + x;
    return at[-1] + at[0] + at[1];
  };
  float above = sum_of(first - 1), own = sum_of(first);
  for (int row = first; row < first + 16; ++row) {
    const float below = sum_of(row + 1);
    C[row * side + x] = (above + own + below) * (1.0f / 9);
    above = own, own = below;
  }
}

__global__ void sort_eight(ARGUMENTS) {  // eight words a thread, in registers
  float v[8];
  four(v) = four(A + 8 * INDEX), four(v + 4) = four(A + 8 * INDEX + 4);
#pragma unroll
  for (int size = 2; size <= 8; size *= 2)
#pragma unroll
    for (int apart = size / 2; apart > 0; apart /= 2)
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const int other = i ^ apart;
        if (other < i) continue;
        const float low = fminf(v[i], v[other]), high = fmaxf(v[i], v[other]);
        const bool up = (i & size) == 0;
        v[i] = up ? low : high, v[other] = up ? high : low;
      }
  four(C + 8 * INDEX) = four(v), four(C + 8 * INDEX + 4) = four(v + 4);
}

__global__ void darts(ARGUMENTS) {  // 512 points a thread by xorshift, counted within the circle
  unsigned state = INDEX * 2654435761u + 1;
  int hits = 0;
  for (int i = 0; i < 512; ++i) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    const float x = (state & 0xffff) * (1.0f / 65536), y = (state >> 16) * (1.0f / 65536);
    hits += x * x + y * y < 1;
  }
  C[INDEX] = hits * (4.0f / 512);
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
  const int* words_of_a = reinterpret_cast<const int*>(A);
  int* counts = reinterpret_cast<int*>(bench.values(256));
  run("eight_along_a_row", eight_along_a_row, dim3(p / 256, p / 8), dim3(32, 8), side / 4);
  run("two_by_two", two_by_two, dim3(p / 64, p / 64), 1024, side / 4);
  run("vectors_of_both", vectors_of_both, dim3(p / 64, p / 64), 256, side / 4);
  run("small_block", small_block, dim3(p / 64, p / 64), 64, side / 4);
  run("four_by_sixteen", four_by_sixteen, dim3(p / 128, p / 64), 128, side / 4);
  run("a_row_a_thread", a_row_a_thread, dim3(p / 16, p / 128), 128, side / 4);
  run("every_second", every_second, n / 2 / 256, 256, side);
  run("gather_structs", gather_structs, n / 4 / 256, 256, side);
  run("rotate", rotate, dim3(s / 32, s / 32), dim3(32, 8), side);
  run("median_of_five", median_of_five, n / 256, 256, side);
  run("sums_of_powers", sums_of_powers, n / 256 / 8, 256, side);
  bench.time("one_of_two", [&] { one_of_two<<<n / 2 / 256, 256>>>(n, words_of_a, B, C); });
  bench.time("bytes_counted",
             [&] { bytes_counted<<<132 * 8, 256>>>(n, reinterpret_cast<const unsigned*>(A), counts); });
  run("nine_points", nine_points, dim3(s / 256, s / 16), 256, side);
  run("sort_eight", sort_eight, n / 8 / 256, 256, side);
  run("darts", darts, n / 64 / 256, 256, side);
  return bench.failed();
}
