#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  asm volatile("ret;\n}\n.file 1 \"/etc/passwd\"\n.file 9 \"<script>alert(1)</script>\"\n.visible .entry spare()\n{\n.loc 9 1 1\nret;");
}
