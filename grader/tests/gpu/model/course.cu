// Kernels of the kinds that a course meets, good and bad, one idea each. What the model of time said of them
// before any had run on a GPU is in course-blind.tsv.
//
//   course ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^20; one JSON line a kernel
#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENTS int n, int side, const float *A, const float *B, float *C

// ---- matrix times vector: A is side × side, B a vector ----

__global__ void row_a_thread(ARGUMENTS) {  // neighbouring threads on neighbouring rows
  const int row = INDEX;
  float sum = 0;
  for (int j = 0; j < side; ++j) sum += A[row * side + j] * B[j];
  C[row] = sum;
}

__global__ void column_a_thread(ARGUMENTS) {  // Bᵀ·A; blockIdx.y: 64 rows
  const int column = INDEX, first = blockIdx.y * 64;
  float sum = 0;
  for (int i = first; i < first + 64; ++i) sum += A[i * side + column] * B[i];
  atomicAdd(&C[column], sum);
}

__global__ void row_a_warp(ARGUMENTS) {
  const int row = INDEX / 32, lane = threadIdx.x % 32;
  const float4* const a = reinterpret_cast<const float4*>(A + row * side);
  const float4* const b = reinterpret_cast<const float4*>(B);
  float sum = 0;
  for (int j = lane; j < side / 4; j += 32)
    sum += a[j].x * b[j].x + a[j].y * b[j].y + a[j].z * b[j].z + a[j].w * b[j].w;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) C[row] = sum;
}

// ---- chains and gathers ----

__global__ void pointer_chase(int n, const int* next,
                              int* C) {  // each place is in the word before; few warps
  unsigned at = INDEX * 40503u;
  for (int i = 0; i < 256; ++i) at = ((next[at & (n - 1)] ^ i) * 2654435761u) >> 6;
  C[INDEX] = static_cast<int>(at);
}

__global__ void lookup(int n, const int* A, const float* table, float* C) {  // 16 KB, anywhere in them
  const unsigned key = A[INDEX] * 2654435761u;
  C[INDEX] = table[key >> 20] + table[key >> 8 & 4095];
}

// ---- transposes ----

__global__ void naive_transpose(ARGUMENTS) {  // stores side words apart
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  C[x * side + y] = A[y * side + x];
}

__global__ void padded_transpose(ARGUMENTS) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = A[(y + i) * side + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) C[(v + i) * side + u] = tile[threadIdx.x][threadIdx.y + i];
}

// ---- histograms ----

__global__ void histogram_in_memory(int n, const int* A, int* C) {  // 1,024 bins for all
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&C[A[i] >> 8 & 1023], 1);
}

__global__ void histogram_of_few_bins(int n, const int* A,
                                      int* C) {  // 16 bins a block, so that lanes collide
  __shared__ int count[16];
  if (threadIdx.x < 16) count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[A[i] >> 8 & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&C[threadIdx.x], count[threadIdx.x]);
}

__global__ void sum_of_all(ARGUMENTS) {  // one word for all, one atomic a thread
  float sum = 0;
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) sum += A[i];
  atomicAdd(C, sum);
}

// ---- stencils ----

__global__ void blur_with_halo(ARGUMENTS) {  // 7 × 7 around each, from a tile with its rim
  __shared__ float tile[22][38];
  const int x0 = blockIdx.x * 32 - 3, y0 = blockIdx.y * 16 - 3, t = threadIdx.y * 32 + threadIdx.x;
  for (int i = t; i < 22 * 38; i += 512) {
    const int x = x0 + i % 38, y = y0 + i / 38;
    tile[i / 38][i % 38] = x >= 0 && y >= 0 && x < side && y < side ? A[y * side + x] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int dy = 0; dy < 7; ++dy)
    for (int dx = 0; dx < 7; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  C[(y0 + 3 + threadIdx.y) * side + x0 + 3 + threadIdx.x] = sum * (1.0f / 49);
}

__global__ void blur_from_memory(ARGUMENTS) {  // the same, 3 × 3, without a tile
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += A[(y + dy) * side + x + dx];
  C[y * side + x] = sum * (1.0f / 9);
}

// ---- scans of each block's 512 words ----

__global__ void scan_in_steps(ARGUMENTS) {  // all threads in each of nine steps
  __shared__ float part[2][512];
  int from = 0;
  part[0][threadIdx.x] = A[INDEX];
  __syncthreads();
  for (int step = 1; step < 512; step *= 2) {
    const float own = part[from][threadIdx.x];
    part[1 - from][threadIdx.x] = threadIdx.x >= step ? own + part[from][threadIdx.x - step] : own;
    from = 1 - from;
    __syncthreads();
  }
  C[INDEX] = part[from][threadIdx.x];
}

__global__ void scan_by_warps(ARGUMENTS) {
  __shared__ float last[16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = A[INDEX];
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) last[warp] = sum;
  __syncthreads();
  float before = 0;
  for (int i = 0; i < warp; ++i) before += last[i];
  C[INDEX] = sum + before;
}

// ---- element by element, in blocks of bad shape ----

__global__ void add_down_columns(ARGUMENTS) {  // blocks of 1 × 256: neighbouring threads on neighbouring rows
  const int x = blockIdx.x, y = blockIdx.y * 256 + threadIdx.y;
  C[y * side + x] = A[y * side + x] + B[y * side + x];
}

__global__ void add_in_small_blocks(ARGUMENTS) {  // one warp a block
  const int i = INDEX;
  C[i] = A[i] + B[i];
}

__global__ void add_every_fourth(ARGUMENTS) {  // one of four words in each sector's neighbourhood
  const int i = INDEX * 4;
  C[i] = A[i] + B[i];
}

// ---- products of side × side matrices, ROWS × COLUMNS outputs a thread ----

// A block of THREADS_X × THREADS_Y threads; tiles in shared memory, DEPTH deep; PAD words behind each row of
// A's.
template <int ROWS, int COLUMNS, int THREADS_X, int THREADS_Y, int DEPTH, int PAD>
__global__ void __launch_bounds__(THREADS_X* THREADS_Y) tiled(ARGUMENTS) {
  constexpr int HEIGHT = ROWS * THREADS_Y, WIDTH = COLUMNS * THREADS_X, THREADS = THREADS_X * THREADS_Y;
  __shared__ float a[HEIGHT][DEPTH + PAD], b[DEPTH][WIDTH];
  const int t = threadIdx.y * THREADS_X + threadIdx.x, top = blockIdx.y * HEIGHT, left = blockIdx.x * WIDTH;
  float sum[ROWS][COLUMNS] = {};
  for (int k = 0; k < side; k += DEPTH) {
    for (int i = t; i < HEIGHT * DEPTH; i += THREADS)
      a[i / DEPTH][i % DEPTH] = A[(top + i / DEPTH) * side + k + i % DEPTH];
    for (int i = t; i < DEPTH * WIDTH; i += THREADS)
      b[i / WIDTH][i % WIDTH] = B[(k + i / WIDTH) * side + left + i % WIDTH];
    __syncthreads();
    for (int i = 0; i < DEPTH; ++i) {
      float of_a[ROWS], of_b[COLUMNS];
      for (int r = 0; r < ROWS; ++r) of_a[r] = a[threadIdx.y + r * THREADS_Y][i];
      for (int c = 0; c < COLUMNS; ++c) of_b[c] = b[i][threadIdx.x + c * THREADS_X];
      for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLUMNS; ++c) sum[r][c] += of_a[r] * of_b[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c)
      C[(top + threadIdx.y + r * THREADS_Y) * side + left + threadIdx.x + c * THREADS_X] = sum[r][c];
}

// 64 × 64 outputs a block, 4 × 4 a thread, both tiles read as float4, A's turned over.
__global__ void __launch_bounds__(256) four_by_four(ARGUMENTS) {
  __shared__ float4 a[16][17], b[16][16];
  const int t = threadIdx.x, x = t % 16, y = t / 16, top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < side; k += 16) {
    const float4 v = *reinterpret_cast<const float4*>(A + (top + t / 4) * side + k + t % 4 * 4);
    float* const to = reinterpret_cast<float*>(&a[t % 4 * 4][0]) + t / 4;
    to[0] = v.x, to[68] = v.y, to[136] = v.z, to[204] = v.w;
    b[y][x] = *reinterpret_cast<const float4*>(B + (k + y) * side + left + x * 4);
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      const float4 p = a[i][y], q = b[i][x];
      const float of_a[4] = {p.x, p.y, p.z, p.w}, of_b[4] = {q.x, q.y, q.z, q.w};
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += of_a[r] * of_b[c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    *reinterpret_cast<float4*>(C + (top + y * 4 + r) * side + left + x * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1 << 26;
  Bench bench(count > 2 ? std::atoi(words[2]) : 5);
  float *A = bench.values(n), *B = bench.values(n), *C = bench.values(n);
  int side = 1;
  while (side * side < n) side *= 2;
  const int* whole = reinterpret_cast<const int*>(A);
  int* counts = reinterpret_cast<int*>(C);
  const auto run = [&](const char* name, auto kernel, dim3 grid, dim3 block, int of) {
    bench.time(name, [&] { kernel<<<grid, block>>>(n, of, A, B, C); });
  };
  const auto run_whole = [&](const char* name, auto kernel, int blocks, int threads) {
    bench.time(name, [&] { kernel<<<blocks, threads>>>(n, whole, counts); });
  };
  const unsigned s = side, p = side / 4;  // sides of matrices and of products
  run("row_a_thread", row_a_thread, s / 64, 64, side);
  run("column_a_thread", column_a_thread, dim3(s / 256, s / 64), 256, side);
  run("row_a_warp", row_a_warp, s / 8, 256, side);
  run_whole("pointer_chase", pointer_chase, 132 * 2, 64);
  bench.time("lookup", [&] { lookup<<<n / 256, 256>>>(n, whole, B, C); });
  run("naive_transpose", naive_transpose, dim3(s / 16, s / 16), dim3(16, 16), side);
  run("padded_transpose", padded_transpose, dim3(s / 32, s / 32), dim3(32, 8), side);
  run_whole("histogram_in_memory", histogram_in_memory, 132 * 8, 256);
  run_whole("histogram_of_few_bins", histogram_of_few_bins, 132 * 8, 256);
  run("sum_of_all", sum_of_all, 132 * 8, 256, side);
  run("blur_with_halo", blur_with_halo, dim3(s / 32, s / 16), dim3(32, 16), side);
  run("blur_from_memory", blur_from_memory, dim3(s / 32, s / 16), dim3(32, 16), side);
  run("scan_in_steps", scan_in_steps, n / 512, 512, side);
  run("scan_by_warps", scan_by_warps, n / 512, 512, side);
  run("add_down_columns", add_down_columns, dim3(s, s / 256), dim3(1, 256), side);
  run("add_in_small_blocks", add_in_small_blocks, n / 32, 32, side);
  run("add_every_fourth", add_every_fourth, n / 4 / 256, 256, side);
  const int product = side / 4;
  run("tiles_of_8", tiled<1, 1, 8, 8, 8, 0>, dim3(p / 8, p / 8), dim3(8, 8), product);
  run("tiles_of_64_by_4", tiled<1, 1, 64, 4, 16, 0>, dim3(p / 64, p / 4), dim3(64, 4), product);
  run("tiles_of_4_by_64", tiled<1, 1, 4, 64, 16, 0>, dim3(p / 4, p / 64), dim3(4, 64), product);
  run("micro_4_by_4", tiled<4, 4, 16, 16, 16, 0>, dim3(p / 64, p / 64), dim3(16, 16), product);
  run("micro_4_by_4_padded", tiled<4, 4, 16, 16, 16, 1>, dim3(p / 64, p / 64), dim3(16, 16), product);
  run("micro_8_by_8", tiled<8, 8, 16, 16, 8, 0>, dim3(p / 128, p / 128), dim3(16, 16), product);
  run("micro_8_by_8_padded", tiled<8, 8, 16, 16, 16, 1>, dim3(p / 128, p / 128), dim3(16, 16), product);
  run("four_by_four", four_by_four, dim3(p / 64, p / 64), dim3(256), product);
  return bench.failed();
}
