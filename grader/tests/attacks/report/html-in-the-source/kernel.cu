#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  C[-1] = 0; // </code></pre></script><script>alert(1)</script><!-- ]]>
}
