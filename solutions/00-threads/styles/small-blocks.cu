// Blocks of 64 and 32; the thread of the last group takes the rest alone.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(saxpy, 64, 64)
LAUNCH_SHAPE_1D_OF(saxpy_stride, 64, 64)
LAUNCH_BLOCKS_OF(saxpy_stride, 7)
LAUNCH_SHAPE_1D_OF(saxpy_four, 128, 512)
LAUNCH_SHAPE_1D_OF(function_errors, 32, 32)

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  y[i] = fmaf(a, x[i], y[i]);
}

extern "C" __global__ void saxpy_stride(float a, const float* x, float* y, int n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}

extern "C" __global__ void saxpy_four(float a, const float* x, float* y, int n) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * g + 3 < n) {
    float4 u = ((const float4*)x)[g], v = ((float4*)y)[g];
    ((float4*)y)[g] = make_float4(fmaf(a, u.x, v.x), fmaf(a, u.y, v.y), fmaf(a, u.z, v.z), fmaf(a, u.w, v.w));
  } else
    for (int i = 4 * g; i < n; ++i) y[i] += a * x[i];
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
