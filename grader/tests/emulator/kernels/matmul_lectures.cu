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

#define KERNEL(name, TILE)                                                                              \
  extern "C" __global__ void name##_##TILE(const float* A, const float* B, float* C, int n) { \
    name<TILE>(A, B, C, n);                                                                             \
  }
KERNEL(basic, 16)
KERNEL(basic, 32)
KERNEL(tiled, 16)
KERNEL(tiled, 32)
KERNEL(bounded, 16)
KERNEL(bounded, 32)
#undef KERNEL
