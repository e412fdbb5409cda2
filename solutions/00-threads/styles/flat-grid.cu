// Two-dimensional blocks as one line of threads, and the rest by the last threads of the grid.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(saxpy, 256, 256)
LAUNCH_SHAPE_OF(saxpy_stride, 32, 8, 256, 1)
LAUNCH_BLOCKS_OF(saxpy_stride, 24)
LAUNCH_SHAPE_1D_OF(saxpy_four, 64, 256)
LAUNCH_SHAPE_1D_OF(function_errors, 256, 256)

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  y[i] = fmaf(a, x[i], y[i]);
}

extern "C" __global__ void saxpy_stride(float a, const float* x, float* y, int n) {
  const int lane = threadIdx.x, warp = threadIdx.y + blockDim.y * blockIdx.x;
  const int warps = blockDim.y * gridDim.x;
  for (int base = warp * 32; base < n; base += warps * 32)
    if (base + lane < n) y[base + lane] += a * x[base + lane];
}

extern "C" __global__ void saxpy_four(float a, const float* x, float* y, int n) {
  const int all = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = me * 4; i <= n - 4; i += all * 4) {
    float4 v = *reinterpret_cast<float4*>(y + i);
    const float4 u = *reinterpret_cast<const float4*>(x + i);
    v.x += a * u.x, v.y += a * u.y, v.z += a * u.z, v.w += a * u.w;
    *reinterpret_cast<float4*>(y + i) = v;
  }
  const int last = all - 1 - me;
  if (last < n % 4) y[n - 1 - last] += a * x[n - 1 - last];
}

extern "C" __global__ void function_errors(const float* x, float4* values, float4* errors, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    float4 r;
    r.x = sinf(v), r.y = __sinf(v), r.z = 1 / sqrtf(v), r.w = rsqrtf(v);
    values[i] = r;
    double s = sin((double)v), q = rsqrt((double)v);
    errors[i] = {(float)fabs(r.x - s), (float)fabs(r.y - s), (float)fabs(r.z - q), (float)fabs(r.w - q)};
  }
}
