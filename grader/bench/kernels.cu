// Times one kernel through the CUDA runtime: on the emulator, or on a GPU with NVIDIA's library.
//
// kernels KERNEL N REPEATS   →   seconds of each launch after one for warm-up, one a line; then the sum of C
// kernels.cl has the same kernels for OpenCL. A and B are n×n floats, all one.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int TILE_WIDTH = 16;

// An output a thread, from two tiles in shared memory.
__global__ void tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float A_tile[TILE_WIDTH][TILE_WIDTH];
  __shared__ float B_tile[TILE_WIDTH][TILE_WIDTH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty, column = blockIdx.x * TILE_WIDTH + tx;
  float sum = 0.0f;
  for (int phase = 0; phase < k / TILE_WIDTH; ++phase) {
    A_tile[ty][tx] = A[row * k + phase * TILE_WIDTH + tx];
    B_tile[ty][tx] = B[(phase * TILE_WIDTH + ty) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) sum += A_tile[ty][i] * B_tile[i][tx];
    __syncthreads();
  }
  C[row * n + column] = sum;
}

// An output a thread, all from global memory.
__global__ void basic(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += A[row * n + i] * B[i * n + column];
  C[row * n + column] = sum;
}

// 64×64 outputs a block, 4×4 a thread.
__global__ void register_tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float As[16][64], Bs[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, thread = 16 * ty + tx;
  const int first_row = 64 * blockIdx.y, first_column = 64 * blockIdx.x;
  float sum[4][4] = {};
  for (int phase = 0; phase < n; phase += 16) {
    for (int i = thread; i < 1024; i += 256) {
      As[i % 16][i / 16] = A[(first_row + i / 16) * n + phase + i % 16];
      Bs[i / 64][i % 64] = B[(phase + i / 64) * n + first_column + i % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = As[k][4 * ty + i];
      for (int j = 0; j < 4; ++j) b[j] = Bs[k][4 * tx + j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C[(first_row + 4 * ty + i) * n + first_column + 4 * tx + j] = sum[i][j];
}

// Four float4 a thread.
__global__ void vectors(const float4* A, const float4* B, float4* C, int n) {
  const int threads = n * n / 16, i = blockIdx.x * 256 + threadIdx.x;
  for (int j = i; j < 4 * threads; j += threads) {
    const float4 a = A[j], b = B[j];
    C[j] = make_float4(2 * a.x + b.x, 2 * a.y + b.y, 2 * a.z + b.z, 2 * a.w + b.w);
  }
}

// Each inner point and its four neighbours.
__global__ void stencil(const float* A, const float*, float* C, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * n + x;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
  C[i] = 0.5f * A[i] + 0.125f * (A[i - 1] + A[i + 1] + A[i - n] + A[i + n]);
}

// Eight elements a thread, then the warp by shuffles.
__global__ void reduction(const float* A, const float*, float* C, int n) {
  const int threads = n * n / 8, i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int j = i; j < 8 * threads; j += threads) sum += A[j];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) C[i / 32] = sum;
}

// 0 to 63 turns, another number in each lane.
__global__ void divergent(const float* A, const float*, float* C, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int turns = static_cast<int>(static_cast<unsigned>(i) * 2654435761u >> 26);
  float x = A[i];
  for (int j = 0; j < turns; ++j) {
    if ((j ^ i) & 1)
      x = x * 0.5f + 1.0f;
    else
      x = x * 0.25f - 1.0f;
  }
  C[i] = x;
}

__global__ void atomics(const float*, const float*, int* C, int n) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  atomicAdd(&C[i * 2654435761u >> 22], 1);
}

static void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "kernels: %s failed: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

static void launch(const char* kernel, float* A, float* B, float* C, int n) {
  const auto is = [kernel](const char* name) { return std::strcmp(kernel, name) == 0; };
  const dim3 square(n / TILE_WIDTH, n / TILE_WIDTH), block(TILE_WIDTH, TILE_WIDTH);
  const auto vector = [](float* each) { return reinterpret_cast<float4*>(each); };
  if (is("tiled"))
    tiled<<<square, block>>>(A, B, C, n, n, n);
  else if (is("basic"))
    basic<<<square, block>>>(A, B, C, n);
  else if (is("stencil"))
    stencil<<<square, block>>>(A, B, C, n);
  else if (is("register_tiled"))
    register_tiled<<<dim3(n / 64, n / 64), dim3(16, 16)>>>(A, B, C, n);
  else if (is("vectors"))
    vectors<<<n * n / 16 / 256, 256>>>(vector(A), vector(B), vector(C), n);
  else if (is("reduction"))
    reduction<<<n * n / 8 / 256, 256>>>(A, B, C, n);
  else if (is("divergent"))
    divergent<<<n * n / 256, 256>>>(A, B, C, n);
  else if (is("atomics"))
    atomics<<<n * n / 256, 256>>>(A, B, reinterpret_cast<int*>(C), n);
  else
    std::exit(2);
  must(cudaGetLastError(), kernel);
  must(cudaDeviceSynchronize(), "the launch");
}

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: kernels KERNEL N REPEATS\n");
    return 2;
  }
  const int n = std::atoi(words[2]), repeats = std::atoi(words[3]);
  std::vector<float> ones(static_cast<std::size_t>(n) * n, 1.0f);
  const std::size_t bytes = ones.size() * sizeof(float);
  float* matrices[3];
  for (auto& matrix : matrices) {
    must(cudaMalloc(&matrix, bytes), "cudaMalloc");
    must(cudaMemcpy(matrix, ones.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  for (int i = 0; i <= repeats; ++i) {
    must(cudaMemset(matrices[2], 0, bytes), "cudaMemset");
    const auto begin = std::chrono::steady_clock::now();
    launch(words[1], matrices[0], matrices[1], matrices[2], n);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i > 0) std::printf("%.9f\n", took.count());
  }
  must(cudaMemcpy(ones.data(), matrices[2], bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  double sum = 0;
  for (const float value : ones) sum += value;
  std::printf("sum %.17g\n", sum);
  for (float* matrix : matrices) must(cudaFree(matrix), "cudaFree");
}
