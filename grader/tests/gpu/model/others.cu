// Kernels that are not tiled products, one for each thing that can hold a kernel up. The model of time has not
// been fitted to them.
//
//   others ELEMENTS [REPEATS]     ELEMENTS: a power of four, at least 2^20; one JSON line a kernel
#include "bench.cuh"

namespace {

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void add_vectors(int n, const float* A, const float* B, float* C) {
  const int i = INDEX;
  const float4 a = reinterpret_cast<const float4*>(A)[i], b = reinterpret_cast<const float4*>(B)[i];
  reinterpret_cast<float4*>(C)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__global__ void every_32nd(int n, const float* A, const float* B, float* C) {  // bad coalescing, both ways
  const int i = INDEX, at = (i % (n / 32)) * 32 + i / (n / 32);
  C[at] = A[at] * 2.0f;
}

__global__ void gather(int n, const float* A, const float* B, float* C) {  // a word anywhere for each lane
  const unsigned i = INDEX;
  C[i] = A[(i * 2654435761u) & (n - 1)];
}

__global__ void row_sums(int n, const float* A, const float* B, float* C) {  // a thread a row of 256
  const int i = INDEX;
  float sum = 0;
  for (int j = 0; j < 256; ++j) sum += A[i * 256 + j];
  C[i] = sum;
}

__global__ void warp_sums(int n, const float* A, const float* B, float* C) {  // a warp a row of 256
  const int warp = INDEX / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int j = lane; j < 256; j += 32) sum += A[warp * 256 + j];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) C[warp] = sum;
}

__global__ void block_sums(int n, const float* A, const float* B, float* C) {  // a tree in shared memory
  __shared__ float part[256];
  part[threadIdx.x] = A[INDEX];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) C[blockIdx.x] = part[0];
}

__global__ void transpose_conflicts(int n, const float* A, const float* B, float* C) {  // a column of one bank
  __shared__ float tile[32][32];
  const int side = gridDim.x * 32, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = A[(y + i) * side + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) C[(v + i) * side + u] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void five_points(int n, const float* A, const float* B, float* C) {
  const int side = gridDim.x * 32, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  const float* at = A + y * side + x;
  C[y * side + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-side] + at[side]);
}

__global__ void shared_histogram(int n, const int* A, int* C) {
  __shared__ int count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[A[i] >> 8 & 255], 1);
  __syncthreads();
  atomicAdd(&C[threadIdx.x], count[threadIdx.x]);
}

__global__ void scattered_atomics(int n, const int* A, int* C) {  // any of a million words
  const unsigned i = INDEX;
  atomicAdd(&C[(i * 2654435761u) & ((1 << 20) - 1)], 1);
}

__global__ void crowded_atomics(int n, const int* A, int* C) {  // 64 words for all
  const unsigned i = INDEX;
  atomicAdd(&C[(i * 2654435761u) >> 26], 1);
}

__global__ void special_functions(int n, const float* A, const float* B, float* C) {
  float x = A[INDEX];
  for (int i = 0; i < 64; ++i) x = __expf(x) * 0.5f + __sinf(x);
  C[INDEX] = x;
}

__global__ void integer_hash(int n, const int* A, int* C) {
  unsigned x = A[INDEX];
  for (int i = 0; i < 128; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  C[INDEX] = static_cast<int>(x);
}

__global__ void double_precision(int n, const float* A, const float* B, float* C) {
  double x = static_cast<double>(A[INDEX]), sum = 0;
  for (int i = 0; i < 128; ++i) sum = sum * x + 0.25;
  C[INDEX] = static_cast<float>(sum);
}

__global__ void chain(int n, const int* A, int* C) {  // each load waits for the one before
  int at = INDEX * 97 & (n - 1);
  for (int i = 0; i < 64; ++i) at = (at + 4097 + (A[at] & 1)) & (n - 1);
  C[INDEX] = at;
}

__global__ void few_warps(int n, const float* A, const float* B, float* C) {  // 48 KB of shared memory a warp
  __shared__ float kept[12000];
  for (int i = 0; i < 32; ++i) kept[threadIdx.x + i * 32] = A[(blockIdx.x * 32 + i) * 32 + threadIdx.x];
  __syncwarp();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += kept[threadIdx.x * 32 + (i + threadIdx.x) % 32];
  C[INDEX] = sum;
}

__global__ void matrix_vector(int n, const float* A, const float* B, float* C) {  // a block a row of 4096
  __shared__ float part[8];
  float sum = 0;
  for (int j = threadIdx.x; j < 4096; j += 256) sum += A[blockIdx.x * 4096 + j] * B[j];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 8; ++i) sum += part[i];
  C[blockIdx.x] = sum;
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
  const auto run = [&](const char* name, auto kernel, int threads, dim3 block) {
    bench.time(name, [&] { kernel<<<threads / block.x, block>>>(n, A, B, C); });
  };
  const auto run_whole = [&](const char* name, auto kernel, int threads, dim3 block) {
    bench.time(name, [&] { kernel<<<threads / block.x, block>>>(n, whole, counts); });
  };
  const auto run_square = [&](const char* name, auto kernel, int rows) {
    bench.time(name, [&] { kernel<<<dim3(side / 32, side / rows), dim3(32, 8)>>>(n, A, B, C); });
  };
  run("add_vectors", add_vectors, n / 4, 256);
  run("every_32nd", every_32nd, n, 256);
  run("gather", gather, n, 256);
  run("row_sums", row_sums, n / 256, 256);
  run("warp_sums", warp_sums, n / 8, 256);
  run("block_sums", block_sums, n, 256);
  run_square("transpose_conflicts", transpose_conflicts, 32);
  run_square("five_points", five_points, 8);
  run_whole("shared_histogram", shared_histogram, 132 * 8 * 256, 256);
  run_whole("scattered_atomics", scattered_atomics, n, 256);
  run_whole("crowded_atomics", crowded_atomics, n, 256);
  run("special_functions", special_functions, n, 256);
  run_whole("integer_hash", integer_hash, n, 256);
  run("double_precision", double_precision, n, 256);
  run_whole("chain", chain, n / 16, 128);
  run("few_warps", few_warps, n / 32, 32);
  run("matrix_vector", matrix_vector, n / 4096 * 256, 256);
  return bench.failed();
}
