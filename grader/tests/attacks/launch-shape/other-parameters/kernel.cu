#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

struct More { float* C; char rest[1000]; };
extern "C" __global__ void matmul_basic(More more, const float* A, const float* B, float* C, int m, int n, int k) { C[0] = more.rest[999]; }
