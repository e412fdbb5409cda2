// The lectures' matrix multiplications, square, for counters that were measured on an H200.

template <int TILE>
__device__ void basic(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && column < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + column];
    C[row * n + column] = sum;
  }
}

template <int TILE>
__device__ void tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int phase = 0; phase < n / TILE; ++phase) {
    As[ty][tx] = A[row * n + phase * TILE + tx];
    Bs[ty][tx] = B[(phase * TILE + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * n + column] = sum;
}

template <int TILE>
__device__ void bounded(const float* A, const float* B, float* C, int n) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int phase = 0; phase < (n - 1) / TILE + 1; ++phase) {
    const int a = phase * TILE + tx, b = phase * TILE + ty;
    As[ty][tx] = row < n && a < n ? A[row * n + a] : 0.0f;
    Bs[ty][tx] = b < n && column < n ? B[b * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < n && column < n) C[row * n + column] = sum;
}

// 64 × 32 outputs for 128 threads, 4 × 4 a thread: lanes 8 × 4, warps 2 × 2; 16 steps of k a phase.
extern "C" __global__ void register_tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float As[64][16 + 4];
  __shared__ float Bs[16][32];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row = 32 * (warp / 2) + 4 * (lane / 4), column = 16 * (warp % 2) + 4 * (lane % 4);
  const int first_row = 64 * blockIdx.y, first_column = 32 * blockIdx.x;
  float sum[4][4] = {};
  for (int phase = 0; phase < (n + 15) / 16; ++phase) {
    for (int i = thread; i < 64 * 16; i += 128) {
      const int r = first_row + i / 16, k = 16 * phase + i % 16;
      As[i / 16][i % 16] = r < n && k < n ? A[r * n + k] : 0.0f;
    }
    for (int i = thread; i < 16 * 32; i += 128) {
      const int k = 16 * phase + i / 32, c = first_column + i % 32;
      Bs[i / 32][i % 32] = k < n && c < n ? B[k * n + c] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += As[row + i][k] * Bs[k][column + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (first_row + row + i < n && first_column + column + j < n)
        C[(first_row + row + i) * n + first_column + column + j] = sum[i][j];
}

#define KERNEL(name, TILE)                                                                    \
  extern "C" __global__ void name##_##TILE(const float* A, const float* B, float* C, int n) { \
    name<TILE>(A, B, C, n);                                                                   \
  }
KERNEL(basic, 16)
KERNEL(basic, 32)
KERNEL(tiled, 16)
KERNEL(tiled, 32)
KERNEL(bounded, 16)
KERNEL(bounded, 32)
#undef KERNEL
