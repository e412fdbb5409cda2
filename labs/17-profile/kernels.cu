// Kernels to measure. Your sheet names yours, with its n; `./warpgrade profile 17` shows what it does on the GPU.
// Copy this file before you change it: `./warpgrade profile 17 COPY.cu` measures the copy.
//
//   kernels KERNEL N    launches one kernel once, on matrices of N × N floats, row by row, N a multiple of 256
//
// A comment in brackets names a line for the questions: [load], [read], [store].
#include <cstdio>
#include <cstdlib>
#include <cstring>

// ---- scores: C = A · Bᵗ. Each row of A meets each row of B. ---------------------------------------------

constexpr int SCORES_TILE = 32;

__global__ void scores(const float* A, const float* B, float* C, int n) {
  constexpr int T = SCORES_TILE;
  __shared__ float tile_a[T][T];
  __shared__ float tile_b[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, column = blockIdx.x * T;
  float sum = 0;
  for (int first = 0; first < n; first += T) {
    tile_a[y][x] = A[row * n + first + x];
    tile_b[y][x] = B[(column + y) * n + first + x];  // [load]
    __syncthreads();
    for (int k = 0; k < T; ++k) {
      const float a = tile_a[y][k];
      const float b = tile_b[x][k];  // [read]
      sum += a * b;
    }
    __syncthreads();
  }
  C[row * n + column + x] = sum;  // [store]
}

static void run_scores(const float* A, const float* B, float* C, int n) {
  const int blocks = n / SCORES_TILE;
  scores<<<dim3(blocks, blocks), dim3(SCORES_TILE, SCORES_TILE)>>>(A, B, C, n);
}

// ---- project: C = A · Bᵗ once more, four outputs a thread. The tile of B is turned while it is loaded. ----

constexpr int PROJECT_TILE = 32;
constexpr int PROJECT_OUTPUTS = 4;  // of a thread, in rows that lie T / PROJECT_OUTPUTS apart

__global__ void project(const float* A, const float* B, float* C, int n) {
  constexpr int T = PROJECT_TILE, STEP = T / PROJECT_OUTPUTS;
  __shared__ float tile_a[T][T];
  __shared__ float tile_b[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, column = blockIdx.x * T;
  float sums[PROJECT_OUTPUTS] = {};
  for (int first = 0; first < n; first += T) {
    for (int i = 0; i < T; i += STEP) {
      tile_a[y + i][x] = A[(row + i) * n + first + x];
      tile_b[y + i][x] = B[(column + x) * n + first + y + i];  // [load]
    }
    __syncthreads();
    for (int k = 0; k < T; ++k) {
      const float b = tile_b[k][x];  // [read]
      for (int i = 0; i < PROJECT_OUTPUTS; ++i) sums[i] += tile_a[y + i * STEP][k] * b;
    }
    __syncthreads();
  }
  for (int i = 0; i < PROJECT_OUTPUTS; ++i) C[(row + i * STEP) * n + column + x] = sums[i];  // [store]
}

static void run_project(const float* A, const float* B, float* C, int n) {
  const int blocks = n / PROJECT_TILE;
  project<<<dim3(blocks, blocks), dim3(PROJECT_TILE, PROJECT_TILE / PROJECT_OUTPUTS)>>>(A, B, C, n);
}

// ---- smooth: each element of C is a mean of 33 neighbours in its row of A, weighted by B's first row. -----

constexpr int SMOOTH_THREADS = 256;
constexpr int SMOOTH_RADIUS = 16;

__global__ void smooth(const float* A, const float* B, float* C, int n) {
  constexpr int THREADS = SMOOTH_THREADS, RADIUS = SMOOTH_RADIUS;
  __shared__ float tile[THREADS + 2 * RADIUS];
  __shared__ float weights[2 * RADIUS + 1];
  const float* row = A + blockIdx.y * n;
  const int first = blockIdx.x * THREADS;
  for (int i = threadIdx.x; i < THREADS + 2 * RADIUS; i += THREADS) {
    const int at = min(max(first + i - RADIUS, 0), n - 1);
    tile[i] = row[at];  // [load]
  }
  if (threadIdx.x <= 2 * RADIUS) weights[threadIdx.x] = B[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int t = 0; t <= 2 * RADIUS; ++t) {
    const float near = tile[threadIdx.x + t];  // [read]
    sum += weights[t] * near;
  }
  C[blockIdx.y * n + first + threadIdx.x] = sum;  // [store]
}

static void run_smooth(const float* A, const float* B, float* C, int n) {
  smooth<<<dim3(n / SMOOTH_THREADS, n), SMOOTH_THREADS>>>(A, B, C, n);
}

// ---- normalise: each row of A becomes a row of C whose squares sum up to 1. ------------------------------

constexpr int NORMALISE_THREADS = 128;
constexpr int NORMALISE_MOST = 11264;  // elements of a row

__global__ void normalise(const float* A, const float*, float* C, int n) {
  constexpr int THREADS = NORMALISE_THREADS;
  __shared__ float row[NORMALISE_MOST];
  __shared__ float parts[THREADS];
  const float* x = A + blockIdx.x * n;
  float sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += THREADS) {
    const float value = x[i];  // [load]
    row[i] = value;
    sum += value * value;
  }
  parts[threadIdx.x] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  __syncthreads();
  const float scale = rsqrtf(parts[0]);
  for (int i = threadIdx.x; i < n; i += THREADS) {
    const float value = row[i];  // [read]
    C[blockIdx.x * n + i] = scale * value;  // [store]
  }
}

static void run_normalise(const float* A, const float* B, float* C, int n) {
  normalise<<<n, NORMALISE_THREADS>>>(A, B, C, n);
}

// ---- turn: C is A with rows and columns exchanged, doubled, plus one. The handout's example. ----------------

constexpr int TURN_TILE = 32;

__global__ void turn(const float* A, const float*, float* C, int n) {
  constexpr int T = TURN_TILE;
  __shared__ float tile[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T, column = blockIdx.x * T;
  tile[y][x] = A[(row + y) * n + column + x];  // [load]
  __syncthreads();
  const float value = tile[x][y];  // [read]
  C[(column + y) * n + row + x] = 2.0f * value + 1.0f;  // [store]
}

static void run_turn(const float* A, const float* B, float* C, int n) {
  turn<<<dim3(n / TURN_TILE, n / TURN_TILE), dim3(TURN_TILE, TURN_TILE)>>>(A, B, C, n);
}

// ---- the program -----------------------------------------------------------------------------------------

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*run)(const float*, const float*, float*, int);
  } kernels[] = {
      {"scores", run_scores}, {"project", run_project}, {"smooth", run_smooth}, {"normalise", run_normalise},
      {"turn", run_turn}};
  const int n = argc == 3 ? std::atoi(argv[2]) : 0;
  if (n <= 0 || n % 256 != 0 || n > NORMALISE_MOST) {
    std::fprintf(stderr, "type: %s KERNEL N, N a multiple of 256\n", argv[0]);
    return 2;
  }
  const std::size_t bytes = sizeof(float) * n * n;
  float *A, *B, *C;
  check(cudaMalloc(&A, bytes));
  check(cudaMalloc(&B, bytes));
  check(cudaMalloc(&C, bytes));
  check(cudaMemset(A, 0, bytes));
  check(cudaMemset(B, 0, bytes));
  for (const auto& kernel : kernels)
    if (std::strcmp(kernel.name, argv[1]) == 0) kernel.run(A, B, C, n);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  check(cudaFree(A));
  check(cudaFree(B));
  check(cudaFree(C));
}
