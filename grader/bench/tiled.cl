// The tiled kernel of lab 02 in OpenCL, for the comparison with PoCL and Oclgrind.
#define TILE 16

kernel void matmul_tiled(global const float* A, global const float* B, global float* C, int m, int n, int k) {
  local float A_tile[TILE][TILE];
  local float B_tile[TILE][TILE];
  const int tx = get_local_id(0);
  const int ty = get_local_id(1);
  const int row = get_group_id(1) * TILE + ty;
  const int column = get_group_id(0) * TILE + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < k / TILE; ++phase) {
    A_tile[ty][tx] = A[row * k + phase * TILE + tx];
    B_tile[ty][tx] = B[(phase * TILE + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) sum += A_tile[ty][i] * B_tile[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * n + column] = sum;
}
