// The kernels of kernels.cu in OpenCL, for the comparison with PoCL and Oclgrind.
#define TILE 16

kernel void tiled(global const float* A, global const float* B, global float* C, int n) {
  local float A_tile[TILE][TILE];
  local float B_tile[TILE][TILE];
  const int tx = get_local_id(0);
  const int ty = get_local_id(1);
  const int row = get_group_id(1) * TILE + ty;
  const int column = get_group_id(0) * TILE + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < n / TILE; ++phase) {
    A_tile[ty][tx] = A[row * n + phase * TILE + tx];
    B_tile[ty][tx] = B[(phase * TILE + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) sum += A_tile[ty][i] * B_tile[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * n + column] = sum;
}

kernel void basic(global const float* A, global const float* B, global float* C, int n) {
  const int row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += A[row * n + i] * B[i * n + column];
  C[row * n + column] = sum;
}

kernel void register_tiled(global const float* A, global const float* B, global float* C, int n) {
  local float As[16][64], Bs[16][64];
  const int tx = get_local_id(0), ty = get_local_id(1), thread = 16 * ty + tx;
  const int first_row = 64 * get_group_id(1), first_column = 64 * get_group_id(0);
  float sum[4][4] = {{0}};
  for (int phase = 0; phase < n; phase += 16) {
    for (int i = thread; i < 1024; i += 256) {
      As[i % 16][i / 16] = A[(first_row + i / 16) * n + phase + i % 16];
      Bs[i / 64][i % 64] = B[(phase + i / 64) * n + first_column + i % 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = As[k][4 * ty + i];
      for (int j = 0; j < 4; ++j) b[j] = Bs[k][4 * tx + j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C[(first_row + 4 * ty + i) * n + first_column + 4 * tx + j] = sum[i][j];
}

kernel void vectors(global const float4* A, global const float4* B, global float4* C, int n) {
  const int threads = n * n / 16, i = get_global_id(0);
  for (int j = i; j < 4 * threads; j += threads) C[j] = 2 * A[j] + B[j];
}

kernel void stencil(global const float* A, global const float* B, global float* C, int n) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * n + x;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
  C[i] = 0.5f * A[i] + 0.125f * (A[i - 1] + A[i + 1] + A[i - n] + A[i + n]);
}

// OpenCL 1.2 has no shuffles: the 32 partial sums go through local memory.
kernel void reduction(global const float* A, global const float* B, global float* C, int n) {
  local float partial[256];
  const int threads = n * n / 8, i = get_global_id(0), own = get_local_id(0);
  float sum = 0;
  for (int j = i; j < 8 * threads; j += threads) sum += A[j];
  partial[own] = sum;
  for (int distance = 16; distance > 0; distance /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own % 32 < distance) partial[own] += partial[own + distance];
  }
  if (own % 32 == 0) C[i / 32] = partial[own];
}

kernel void divergent(global const float* A, global const float* B, global float* C, int n) {
  const int i = get_global_id(0);
  const int turns = (int)((uint)i * 2654435761u >> 26);
  float x = A[i];
  for (int j = 0; j < turns; ++j) {
    if ((j ^ i) & 1)
      x = x * 0.5f + 1.0f;
    else
      x = x * 0.25f - 1.0f;
  }
  C[i] = x;
}

kernel void atomics(global const float* A, global const float* B, global int* C, int n) {
  const uint i = get_global_id(0);
  atomic_add(&C[i * 2654435761u >> 22], 1);
}
